// What the page's data says, as the sections ask for it.

/** Rows of a table of the document as objects. */
function objects(table) {
  if (!table) return [];
  return table.rows.map((row) => Object.fromEntries(table.columns.map((name, i) => [name, row[i]])));
}

/** [statistic, value, ...] by the statistic's place in the list. */
function valuesOf(pairs, places, n) {
  const values = new Array(n).fill(null);
  for (let i = 0; i < (pairs || []).length; i += 2) {
    const at = places.get(pairs[i]);
    if (at !== undefined) values[at] = pairs[i + 1];
  }
  return values;
}

function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
}

/** The command that repeats a run, where the store does not have it. */
function commandOf(run) {
  const words = ['heddle', 'run', run.workload, '--size', run.size, '--seed', String(run.seed)];
  if (run.gpu) words.push('--gpu', run.gpu);
  if (run.scheduler) words.push('--scheduler', run.scheduler);
  if (run.l1d) words.push('--l1d', run.l1d);
  for (const setting of run.settings.split(' ').filter(Boolean)) words.push('--set', setting);
  return words.map(quoted).join(' ');
}

/** One series a run: columns over the same cycles. */
function seriesOf(table, statistics) {
  const names = new Map(statistics.map((s) => [s.id, s]));
  return [...groupBy(objects(table), (row) => row.run)].map(([run, rows]) => {
    const cycles = distinct(rows, (r) => r.cycle).sort((a, b) => a - b);
    const at = new Map(cycles.map((c, i) => [c, i]));
    const columns = [...groupBy(rows, (r) => r.stat)].map(([stat, of]) => {
      const values = new Array(cycles.length).fill(null);
      for (const r of of) values[at.get(r.cycle)] = r.value;
      return { name: names.get(stat).name, unit: names.get(stat).unit, values };
    });
    return { run, cycles, columns };
  });
}

function detailsOf(table) {
  return [...groupBy(objects(table), (row) => row.run)].map(([run, rows]) => ({
    run, ...Object.fromEntries(rows.map((r) => [r.name, JSON.parse(r.value)])),
  }));
}

/** Parameters of the machine that are unlike those of its GPU as it comes with Heddle. */
function machinesOf(data, runs) {
  return objects(data.configurations).map((config) => {
    const parameters = JSON.parse(config.parameters);
    const of = runs.filter((r) => r.config === config.id);
    const gpu = of.length ? of[0].gpu : parameters.name;
    const shipped = data.shipped[gpu] || {};
    const changed = Object.fromEntries(Object.entries(parameters).filter(([name, value]) => shipped[name] !== value));
    const label = of.length ? `${gpu} · ${machineName(of[0])}` : gpu;
    return { label, gpu, runs: of.length, parameters, changed, shipped };
  }).filter((m) => m.runs);
}

export class Report {
  constructor(data) {
    this.data = data;
    this.statistics = objects(data.statistics).map((s) => ({ ...s, help: data.help[s.name] || '' }));
    const places = new Map(this.statistics.map((s, i) => [s.id, i]));
    this.statIndex = new Map(this.statistics.map((s, i) => [s.name, i]));
    this.all = objects(data.runs).map((r) => ({
      ...r, command: r.command || commandOf(r), is_current: r.is_current === 1,
      values: valuesOf(data.values[r.id], places, this.statistics.length),
    }));
    this.told = new Set(this.all.flatMap((r) => r.values.flatMap((v, i) => (v === null ? [] : [i]))));
    this.runs = this.all.filter((r) => r.state === 'done');
    this.failures = this.all.filter((r) => r.state === 'failed');
    this.byId = new Map(this.all.map((r) => [r.id, r]));
    this.figures = data.figures.map((f) => ({ ...f.of, inputs: f.inputs, command: f.command }));
    [this.leftOut] = objects(data.left_out);
    this.machines = machinesOf(data, this.all);
    const isShown = (d) => this.byId.has(d.run); // the oldest runs may have been left out
    this.series = seriesOf(data.series, this.statistics).filter(isShown);
    this.details = detailsOf(data.details).filter(isShown);
    this.kernels = [...groupBy(objects(data.kernels), (k) => k.run)].map(([run, of]) => ({
      run, kernels: of.map((k) => ({ ...k, name: this.kernelName(k.name), values: valuesOf(data.kernel_values[k.id], places, this.statistics.length) })),
    })).filter(isShown);
  }

  /** A kernel of C++ by the name in its source. */
  kernelName(name) {
    return Object.hasOwn(this.data.names, name) ? this.data.names[name] : name;
  }

  /** A statistic of a run, or null. */
  stat(run, name) {
    const at = this.statIndex.get(name);
    return at === undefined ? null : run.values[at];
  }

  /** Whether some run has told it, and not always 0. */
  has(name) {
    return this.told.has(this.statIndex.get(name));
  }

  unit(name) {
    return this.has(name) ? this.statistics[this.statIndex.get(name)].unit : '';
  }

  help(name) {
    return this.has(name) ? this.statistics[this.statIndex.get(name)].help : '';
  }

  /** The command that fills the sections that one run at a time fills. */
  explainCommand() {
    return `heddle report --store ${this.data.store} --explain ${this.runs.length ? this.runs[0].id : 'ID'}`;
  }
}

/** What was run, but for the workload and its input: "gto, lru, l1d.n_ways=8". */
export function machineName(run) {
  return [run.scheduler, run.l1d, run.settings].filter(Boolean).join(' · ');
}

export function inputName(run) {
  return `${run.workload} (${run.size}${run.seed === 1 ? '' : `, seed ${run.seed}`})`;
}

export function runName(run) {
  return `${inputName(run)}, ${run.gpu || '?'}, ${machineName(run)}`;
}

export function distinct(items, of) {
  return [...new Set(items.map(of))];
}

export function groupBy(items, of) {
  const groups = new Map();
  for (const item of items) {
    const key = of(item);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(item);
  }
  return groups;
}

export function geometricMean(values) {
  const usable = values.filter((v) => v !== null && v > 0);
  if (!usable.length || usable.length !== values.length) return null;
  return Math.exp(usable.reduce((sum, v) => sum + Math.log(v), 0) / usable.length);
}
