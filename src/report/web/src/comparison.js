// Machines side by side: speed-up over one of them, and misses of L1D, workload by workload.
import { bars, chart, colours } from './charts.js';
import { choice, empty, h, replaceChildren, toggle } from './dom.js';
import { number } from './format.js';
import { distinct, geometricMean, groupBy, machineName } from './model.js';
import { table } from './table.js';

const MEASURES = [
  ['l1d.mpki', 'L1D misses and bypasses per 1,000 thread instructions'], ['l1d.mpki_no_bypass', 'L1D misses alone per 1,000 thread instructions'], ['l1d.hit_rate', 'L1D hit rate'], ['ipc', 'Thread instructions a cycle'],
  ['cycles', 'Cycles'], ['l2.misses', 'L2 misses'], ['dram.bytes', 'DRAM bytes'], ['noc.flits_down', 'Flits to SMs'],
];
const MAX_SHOWN = 8;

/** Student's t for 95 %, by degrees of freedom. */
const T95 = [0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];

/** Mean over the seeds of one workload on one machine, and half its 95 % interval; null without runs. */
function meanOf(values) {
  const n = values.length;
  if (!n || values.some((v) => v === null)) return { mean: null, error: 0 };
  const mean = values.reduce((a, b) => a + b, 0) / n;
  if (n === 1) return { mean, error: 0 };
  const deviation = Math.sqrt(values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (n - 1));
  return { mean, error: (T95[n - 1] || 1.96) * deviation / Math.sqrt(n) };
}

class View {
  constructor(report, draw) {
    this.report = report;
    this.runs = report.runs.filter((r) => r.is_current && report.stat(r, 'cycles') !== null);
    this.groups = groupBy(this.runs, (r) => `${r.gpu}, ${r.size}`);
    this.draw = draw;
    this.measure = MEASURES.map(([m]) => m).find((m) => report.has(m));
    const largest = [...this.groups].sort((a, b) => b[1].length - a[1].length)[0];
    this.choose(largest[0]);
  }

  choose(group) {
    this.group = group;
    const of = this.groups.get(group);
    this.machines = [...groupBy(of, machineName)].sort((a, b) => b[1].length - a[1].length).map(([name]) => name);
    this.baseline = this.firstBaseline(of);
    this.shown = new Set([this.baseline, ...this.machines].slice(0, MAX_SHOWN));
    this.workloads = distinct(of, (r) => r.workload).sort();
  }

  /** Of the machines that have most workloads the plainest. */
  firstBaseline(runs) {
    const covered = new Map([...groupBy(runs, machineName)].map(([name, of]) => [name, distinct(of, (r) => `${r.workload} ${r.seed}`).length]));
    const most = Math.max(...covered.values());
    const complete = this.machines.filter((m) => covered.get(m) === most);
    return complete.find((m) => m.startsWith('lrr · lru')) || complete.find((m) => m.includes('lru')) || complete[0];
  }

  /** Workloads that one of the machines can be compared in. */
  compared(machines) {
    return this.workloads.filter((w) => machines.some((m) => this.speedups(m, w).length));
  }

  of(machine, workload) {
    return this.groups.get(this.group).filter((r) => r.workload === workload && machineName(r) === machine);
  }

  /** Of each seed that both have. */
  speedups(machine, workload) {
    const before = this.of(this.baseline, workload);
    return this.of(machine, workload).flatMap((r) => {
      const same = before.find((b) => b.seed === r.seed);
      return same ? [this.report.stat(same, 'cycles') / this.report.stat(r, 'cycles')] : [];
    });
  }

  values(machine, measure, workloads = this.workloads) {
    return workloads.map((w) => (measure === 'speed-up' ? meanOf(this.speedups(machine, w))
      : meanOf(this.of(machine, w).map((r) => this.report.stat(r, measure)))));
  }

  /** Of a machine, the same in every chart. */
  colour(machine) {
    return colours()[[...this.shown].indexOf(machine) % 10];
  }

  series(measure, machines, workloads) {
    return machines.map((name) => {
      const means = this.values(name, measure, workloads);
      const values = means.map((m) => m.mean);
      const errors = means.map((m) => m.error);
      if (measure === 'speed-up') {
        values.push(geometricMean(values));
        errors.push(0);
      }
      return { name, values, error: errors.some((e) => e > 0) ? errors : undefined, colour: this.colour(name) };
    });
  }
}

function chips(view) {
  return h('div', { class: 'chips', role: 'group', 'aria-label': 'Machines' }, view.machines.map((m) => {
    const on = view.shown.has(m);
    return h('button', { type: 'button', 'aria-pressed': String(on), onclick: () => {
      if (on) view.shown.delete(m); else view.shown.add(m);
      view.draw();
    } }, m);
  }));
}

function controls(view) {
  return h('div', { class: 'controls' },
    view.groups.size > 1 ? choice('GPU and input', [...view.groups.keys()], view.group, (g) => { view.choose(g); view.draw(); }) : null,
    choice('Compared with', view.machines, view.baseline, (m) => { view.baseline = m; view.draw(); }),
    choice('Second chart', MEASURES.filter(([m]) => view.report.has(m)).map(([value, label]) => ({ value, label })), view.measure,
      (m) => { view.measure = m; view.draw(); }),
    toggle('Logarithmic', view.isLog, (on) => { view.isLog = on; view.draw(); }));
}

function asTable(view, machines) {
  const rows = machines.flatMap((machine) => view.workloads.map((workload, i) => ({ machine, workload,
    speedup: view.values(machine, 'speed-up')[i].mean, measure: view.values(machine, view.measure)[i].mean })));
  return table([
    { title: 'workload', of: (r) => r.workload }, { title: 'machine', of: (r) => r.machine },
    { title: 'speed-up', of: (r) => r.speedup, numeric: true },
    { title: view.measure, of: (r) => r.measure, numeric: true, help: view.report.help(view.measure) },
  ], rows);
}

function drawing(view) {
  const machines = view.machines.filter((m) => view.shown.has(m));
  const others = machines.filter((m) => m !== view.baseline);
  const label = MEASURES.find(([m]) => m === view.measure)[1];
  const compared = view.compared(others);
  const speed = chart(() => bars({ x: [...compared, 'geometric mean'], series: view.series('speed-up', others, compared), title: `Speed-up over ${view.baseline}`,
    isRelative: true, isLog: view.isLog }), { label: 'Speed-up by workload' });
  const measured = chart(() => bars({ x: view.workloads, series: view.series(view.measure, machines), title: label, isLog: view.isLog }), { label });
  speed.element.dataset.chart = 'speed-up';
  measured.element.dataset.chart = 'measure';
  const missing = others.length ? `No other machine has run a workload of ${view.baseline}.` : 'Choose a second machine to see a speed-up.';
  return [compared.length ? speed.element : h('p', { class: 'note' }, missing), measured.element,
    h('details', null, h('summary', null, 'The same as a table'), asTable(view, machines))];
}

export function comparison(report) {
  const timed = report.runs.filter((r) => r.is_current && report.stat(r, 'cycles') !== null);
  if (!timed.length) {
    return empty('There are no results of timed runs of this version of the model to compare.',
      [`heddle sweep EXPERIMENT.yaml --store ${report.data.store}`]);
  }
  const body = h('div');
  const view = new View(report, draw);
  function draw() {
    replaceChildren(body, controls(view), chips(view), drawing(view));
  }
  draw();
  return h('div', null, h('p', { class: 'lead' }, `Each machine is a scheduler, an L1D policy and what else was set. `
    + `${number(timed.length)} results; means over seeds carry their 95 % interval.`), body);
}
