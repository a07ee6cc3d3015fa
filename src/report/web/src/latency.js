// Where the cycles of warps went (doc/attribution.md): stacks of nine categories.
import { chart, stacks } from './charts.js';
import { choice, empty, h, replaceChildren, toggle } from './dom.js';
import { distinct, machineName } from './model.js';
import { CATEGORIES, categoryColour } from './categories.js';

const MANY_BARS = 16; // whose names a phone cannot show side by side

export function latency(report) {
  const runs = report.runs.filter((r) => r.is_current && report.stat(r, 'attribution.exec') !== null);
  if (!runs.length) {
    return empty('No result says where the cycles of its warps went. Experiments ask for it with `measure: attribution`; or explain a result:',
      [report.explainCommand()]);
  }
  const labelled = (r, isOfAll) => [isOfAll ? r.workload : null, machineName(r), hasSeeds ? `seed ${r.seed}` : null].filter(Boolean).join(' · ');
  const hasSeeds = distinct(runs, (r) => r.seed).length > 1;
  runs.sort((a, b) => a.workload.localeCompare(b.workload) || a.seed - b.seed || machineName(a).localeCompare(machineName(b)));
  const workloads = distinct(runs, (r) => `${r.workload}, ${r.gpu}, ${r.size}`);
  const state = { workload: runs.length > MANY_BARS ? workloads[0] : '', isShare: true };
  const body = h('div');
  function draw() {
    const shown = runs.filter((r) => !state.workload || `${r.workload}, ${r.gpu}, ${r.size}` === state.workload).slice(0, 40);
    const picture = chart(() => stacks({
      x: shown.map((r) => labelled(r, !state.workload)), title: 'Cycles of warps', isShare: state.isShare,
      series: CATEGORIES.map((c) => ({ name: c.title, colour: categoryColour(c), values: shown.map((r) => report.stat(r, `attribution.${c.name}`)) })),
    }), { height: 400, label: 'Where the cycles of warps went' });
    picture.element.dataset.chart = 'latency';
    replaceChildren(body, h('div', { class: 'controls' },
      choice('Workload', [{ value: '', label: 'all' }, ...workloads], state.workload, (w) => { state.workload = w; draw(); }),
      toggle('Shares', state.isShare, (on) => { state.isShare = on; draw(); })), picture.element);
  }
  draw();
  return h('div', null, h('p', { class: 'lead' }, 'The life of every warp, from its start to its exit, split by what it waited for.'), body);
}
