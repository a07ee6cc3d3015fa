// Statistics of each kernel of a result.
import { chart, stacks } from './charts.js';
import { choice, empty, h, replaceChildren } from './dom.js';
import { runName } from './model.js';
import { table } from './table.js';

const COLUMNS = [['launches', 'launches'], ['cycles', 'cycles'], ['ipc', 'IPC'], ['warp_insts', 'warp instructions'], ['l1d.loads', 'L1D loads'],
  ['l1d.hit_rate', 'L1D hit rate'], ['l1d.mpki', 'L1D MPKI'], ['l1d.bypasses', 'L1D bypasses'], ['l2.misses', 'L2 misses'], ['dram.bytes', 'DRAM bytes']];

function valueOf(report, kernel, name) {
  const at = report.statIndex.get(name);
  return at === undefined ? null : kernel.values[at] ?? 0; // zeros are left out of the page
}

function everything(report, kernel) {
  const rows = report.statistics.map((s, i) => ({ ...s, value: kernel.values[i] })).filter((s) => s.value);
  return table([{ title: 'statistic', of: (s) => s.name }, { title: 'value', of: (s) => s.value, numeric: true }, { title: 'unit', of: (s) => s.unit, show: (s, v) => v }],
    rows, { filter: 'Filter statistics' });
}

function view(report, one) {
  const picture = chart(() => stacks({ x: ['cycles'], title: 'Cycles', isShare: true,
    series: one.kernels.map((k) => ({ name: k.name, values: [valueOf(report, k, 'cycles')] })) }), { height: 200, label: 'Cycles by kernel' });
  return [table([{ title: 'kernel', of: (k) => k.name, show: (k, v) => v },
    ...COLUMNS.filter(([name]) => report.has(name)).map(([name, title]) => ({ title, numeric: true, of: (k) => valueOf(report, k, name), help: report.help(name) }))],
  one.kernels, { expand: (k) => everything(report, k) }),
  one.kernels.length > 1 ? h('details', null, h('summary', null, 'Shares of the cycles'), picture.element) : null];
}

export function kernels(report) {
  const found = report.kernels;
  if (!found.length) {
    return empty('The store has no statistics by kernel.', [report.explainCommand()]);
  }
  const body = h('div');
  function draw(at) {
    replaceChildren(body, h('div', { class: 'controls' },
      choice('Result', found.map((k, i) => ({ value: String(i), label: runName(report.byId.get(k.run)) })), String(at), (i) => draw(Number(i)))),
    view(report, found[at]));
  }
  draw(0);
  return h('div', null, h('p', { class: 'lead' }, 'Sums over all launches of a kernel. Open a row for all its statistics.'), body);
}
