// Every result: a row each, with the command that repeats it and all its statistics.
import { command, h, replaceChildren } from './dom.js';
import { duration, number } from './format.js';
import { runName } from './model.js';
import { table } from './table.js';

const DEFAULTS = ['cycles', 'ipc', 'l1d.mpki', 'l1d.hit_rate', 'l2.misses', 'dram.bytes'];

function statistics(report, run) {
  const rows = report.statistics.map((s, i) => ({ ...s, value: run.values[i] })).filter((s) => s.value !== null && s.value !== undefined);
  return table([{ title: 'statistic', of: (s) => s.name, show: (s, v) => h('span', { title: s.help }, v) }, { title: 'value', of: (s) => s.value, numeric: true },
    { title: 'unit', of: (s) => s.unit, show: (s, v) => v }], rows, { filter: 'Filter statistics: l1d, dram, ...' });
}

function opened(report, run) {
  return h('div', { class: 'opened' }, h('h4', null, runName(run)), command(run.command),
    h('p', { class: 'note' }, `Result ${run.id}, ${run.verified ? 'verified against the reference' : run.replayed ? 'replayed from a trace, so not verified' : 'not verified'}; `
      + `took ${duration(run.seconds)}; stored ${run.stored_at}; model ${run.model}.`), statistics(report, run));
}

function columnsOf(report, shown) {
  const text = (title, of) => ({ title, of, show: (r, v) => v ?? '-' });
  return [{ title: 'id', of: (r) => r.id, numeric: true }, { ...text('workload', (r) => r.workload), class: 'long' }, text('size', (r) => r.size), { title: 'seed', of: (r) => r.seed, numeric: true },
    text('GPU', (r) => r.gpu), text('scheduler', (r) => r.scheduler), text('L1D', (r) => r.l1d), { ...text('settings', (r) => r.settings), class: 'long' },
    ...shown.map((name) => ({ title: name, numeric: true, of: (r) => report.stat(r, name), help: `${report.help(name)} (${report.unit(name)})` }))];
}

export function results(report) {
  const { runs } = report;
  if (!runs.length) return h('p', { class: 'note' }, 'None.');
  const shown = new Set(DEFAULTS.filter((n) => report.has(n)));
  const body = h('div');
  const more = h('input', { type: 'text', list: 'statistics', placeholder: 'Add a column: a statistic', 'aria-label': 'Add a column', onchange: () => {
    if (report.has(more.value)) shown.add(more.value);
    more.value = '';
    draw();
  } });
  const known = h('datalist', { id: 'statistics' }, report.statistics.filter((s) => report.has(s.name)).map((s) => h('option', { value: s.name }, s.help)));
  function draw() {
    replaceChildren(body, table(columnsOf(report, [...shown]), runs, {
      filter: 'Filter: kmn gto', expand: (run) => opened(report, run), rowClass: (r) => (r.is_current ? null : 'old') }));
  }
  draw();
  return h('div', null, h('p', { class: 'lead' }, `${number(runs.length)} results. Open a row for the command that repeats it and all of its statistics.`),
    h('div', { class: 'controls' }, more, known), body);
}
