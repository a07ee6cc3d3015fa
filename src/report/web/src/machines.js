// Machines of the results, and how each differs from the GPU that comes with Heddle.
import { choice, h, replaceChildren } from './dom.js';
import { number, plural } from './format.js';
import { table } from './table.js';

function valueText(value) {
  return value === null || value === undefined ? '-' : typeof value === 'number' ? number(value) : String(value);
}

function parameters(machine) {
  const rows = Object.entries(machine.parameters).map(([name, value]) => ({ name, value, shipped: machine.shipped[name], differs: name in machine.changed }));
  return table([{ title: 'parameter', of: (p) => p.name }, { title: 'value', of: (p) => p.value, show: (p, v) => valueText(v), class: 'number' },
    { title: 'as shipped', of: (p) => (p.differs ? p.shipped : null), show: (p, v) => (p.differs ? valueText(v) : ''), class: 'number' },
    { title: 'differs', of: (p) => Number(p.differs), show: (p) => (p.differs ? 'yes' : '') }],
  rows, { filter: 'Filter parameters: l1d, dram, scheduler', sort: { column: 3, down: true }, rowClass: (p) => (p.differs ? 'differs' : null) });
}

export function machines(report) {
  const configurations = report.machines;
  if (!configurations.length) return h('p', { class: 'note' }, 'No result has told its machine.');
  const body = h('div');
  function draw(at) {
    const machine = configurations[at];
    const n = Object.keys(machine.changed).length;
    replaceChildren(body, h('div', { class: 'controls' },
      choice('Machine', configurations.map((c, i) => ({ value: String(i), label: c.label })), String(at), (i) => draw(Number(i)))),
    h('p', { class: 'note' }, Object.keys(machine.shipped).length
      ? `${plural(machine.runs, 'result')}; ${n ? `${plural(n, 'parameter')} unlike ${machine.gpu} as it comes with Heddle` : `as ${machine.gpu} comes with Heddle`}.`
      : `${plural(machine.runs, 'result')}; ${machine.gpu} does not come with Heddle.`),
    parameters(machine));
  }
  draw(0);
  return body;
}
