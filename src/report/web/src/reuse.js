// How far apart the loads of a line are, overall and by static instruction with its source line.
import { chart, css, stacks } from './charts.js';
import { choice, empty, h, replaceChildren } from './dom.js';
import { number, percent } from './format.js';
import { runName } from './model.js';
import { table } from './table.js';

const KINDS = [
  { value: 'lines', label: 'distinct other lines of the set in between (S3)' },
  { value: 'accesses', label: 'loads of the set in between (S2)' },
];

function ramp(n) {
  return Array.from({ length: n }, (_, i) => css(`--ramp-${1 + Math.round(i * 6 / Math.max(1, n - 1))}`));
}

/** Distances of one kind: the median, and counts by range in order. */
function distances(of, ranges) {
  return { median: of.median, counts: ranges.map((r) => of[r]) };
}

/** What `heddle cache reuse --json` says, with the source line that the profile of the run has for each PC. */
function read(detail, report) {
  const { reuse: r } = detail;
  const ranges = Object.keys(r.distances.lines).filter((name) => name !== 'median');
  const known = new Map((detail.per_pc || []).map((p) => [p.pc, p]));
  const both = (d) => ({ reuses: d.reuses, lines: distances(d.lines, ranges), accesses: distances(d.accesses, ranges) });
  const pcs = r.by_pc.map((d) => {
    const p = known.get(d.pc) || {};
    return { pc: d.pc, kernel: p.kernel && report.kernelName(p.kernel), instruction: p.instruction, source: p.source_file ? `${p.source_file.replace(/^\.\//, '')}:${p.source_line}` : null, ...both(d) };
  });
  return { ranges, loads: r.loads, unbounded: r.unbounded, all: both(r.distances), pcs };
}

function place(pc) {
  return pc.source ? `PC ${pc.pc} · ${pc.source}` : `PC ${pc.pc}`;
}

function distribution(one, kind) {
  const rows = [{ label: 'all', of: one.all }, ...one.pcs.map((p) => ({ label: place(p), of: p }))].slice(0, 40);
  const picture = chart(() => stacks({
    x: rows.map((r) => r.label), title: 'Share of reuses', isShare: true,
    series: one.ranges.map((name, i) => ({ name, colour: ramp(one.ranges.length)[i], values: rows.map((r) => r.of[kind].counts[i]) })),
  }), { height: 360, label: 'Reuse distances' });
  picture.element.dataset.chart = 'reuse';
  return picture.element;
}

function byPc(one, kind) {
  return table([
    { title: 'PC', of: (p) => p.pc, numeric: true }, { title: 'kernel', of: (p) => p.kernel, show: (p, v) => v || '-' },
    { title: 'source', of: (p) => p.source, show: (p, v) => v || '-' },
    { title: 'instruction', of: (p) => p.instruction, show: (p, v) => h('code', null, v || '-') },
    { title: 'reuses', of: (p) => p.reuses, numeric: true }, { title: 'median', of: (p) => p[kind].median, numeric: true },
    ...one.ranges.map((name, i) => ({ title: name, numeric: true, of: (p) => (p.reuses ? p[kind].counts[i] / p.reuses : null),
      show: (p) => percent(p[kind].counts[i], p.reuses) })),
  ], one.pcs, { filter: 'Filter by kernel, source line or instruction' });
}

function unbounded(one) {
  const u = one.unbounded;
  const rows = [['hits, same thread', u.intra_thread], ['hits, other thread of the warp', u.inter_thread], ['hits, other warp', u.inter_warp],
    ['compulsory misses', u.compulsory_misses], ['misses of removed lines', u.other_misses]];
  return table([{ title: 'in a cache without bounds', of: (r) => r[0] }, { title: 'loads', of: (r) => r[1], numeric: true },
    { title: 'share', of: (r) => r[1], numeric: true, show: (r) => percent(r[1], one.loads) }], rows);
}

export function reuse(report) {
  const found = report.details.filter((d) => d.reuse);
  if (!found.length) {
    return empty('No result of this store has its reuse distances. Explaining a result runs it again and measures them:',
      [report.explainCommand()]);
  }
  const state = { at: 0, kind: 'lines' };
  const body = h('div');
  function draw() {
    const one = read(found[state.at], report);
    replaceChildren(body, h('div', { class: 'controls' },
      choice('Result', found.map((d, i) => ({ value: String(i), label: runName(report.byId.get(d.run)) })), String(state.at), (i) => { state.at = Number(i); draw(); }),
      choice('Distance', KINDS, state.kind, (k) => { state.kind = k; draw(); })),
    h('p', { class: 'note' }, `${number(one.loads)} loads, of which ${number(one.all.reuses)} load a line again.`),
    distribution(one, state.kind), byPc(one, state.kind), unbounded(one));
  }
  draw();
  return body;
}
