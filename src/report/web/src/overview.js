// What the store holds, in one look: counts, claims by paper, and what failed.
import { h } from './dom.js';
import { duration, number, plural } from './format.js';
import { distinct, groupBy, runName } from './model.js';
import { table } from './table.js';
import { countVerdicts, paperOf, verdictBar } from './verdicts.js';

function tile(value, what, note) {
  return h('div', { class: 'tile' }, h('b', null, value), h('span', null, what), note ? h('small', null, note) : null);
}

function millions(n) {
  return n >= 1e7 ? `${number(Math.round(n / 1e6))} M` : `${(n / 1e6).toFixed(1)} M`;
}

function tiles(report) {
  const { runs, failures } = report;
  const seconds = runs.reduce((sum, r) => sum + r.seconds, 0);
  const insts = runs.reduce((sum, r) => sum + (report.stat(r, 'warp_insts') || 0), 0);
  return h('div', { class: 'tiles' },
    tile(number(runs.length), runs.length === 1 ? 'result' : 'results', failures.length ? `${number(failures.length)} failed` : null),
    tile(number(distinct(runs, (r) => r.workload).length), 'workloads'),
    tile(number(distinct(runs, (r) => `${r.gpu}|${r.scheduler}|${r.l1d}|${r.settings}`).length), 'machines',
      plural(distinct(runs, (r) => r.gpu).length, 'GPU')),
    tile(millions(insts), 'warp instructions simulated'),
    tile(duration(seconds), 'of simulation'));
}

function papersAtAGlance(report) {
  const claims = report.figures.flatMap((f) => f.paper.map((c) => ({ ...c, paper: paperOf(f) })));
  if (!claims.length) return null;
  const rows = [...groupBy(claims, (c) => c.paper)].sort().map(([paper, of]) =>
    h('tr', null, h('th', { scope: 'row' }, paper), h('td', null, verdictBar(countVerdicts(of))), h('td', { class: 'number' }, plural(of.length, 'claim'))));
  return h('div', null, h('h3', null, 'Claims of the papers'), h('table', { class: 'glance' }, h('tbody', null, rows)));
}

function failed(report) {
  if (!report.failures.length) return null;
  return h('div', null, h('h3', null, 'Failed'), table([
    { title: 'run', of: runName, show: (r, v) => v },
    { title: 'message', of: (r) => r.message, show: (r, v) => h('pre', { class: 'message' }, v || '-') },
    { title: 'command', of: (r) => r.command, show: (r, v) => h('code', null, v) },
  ], report.failures));
}

function old(report) {
  const models = groupBy(report.all, (r) => r.is_current);
  const n = (models.get(false) || []).length;
  if (!n) return null;
  return h('p', { class: 'note' }, `${plural(n, 'result')} of other versions of the model, or of earlier builds of a plug-in, ${n === 1 ? 'is' : 'are'} in the store. `
    + 'Comparisons, claims and figures leave them out.');
}

/** What would have made the page too large. */
function leftOut(report) {
  const { results, statistics, kernels, series, details } = report.leftOut;
  const parts = [results && plural(results, 'result'), statistics && `the statistics of ${plural(statistics, 'result')}`,
    kernels && `the kernels of ${plural(kernels, 'result')}`, series && plural(series, 'time series', 'time series'), details && `details of ${plural(details, 'result')}`].filter(Boolean);
  if (!parts.length) return null;
  return h('p', { class: 'note' }, `Left out, the oldest first, to keep the page under 20 MB: ${parts.join(', ')}. The store has them all.`);
}

export function overview(report) {
  if (!report.all.length) {
    return h('div', { class: 'empty' }, h('p', null, 'The store has no results yet.'));
  }
  return h('div', null, tiles(report), old(report), leftOut(report), papersAtAGlance(report), failed(report));
}
