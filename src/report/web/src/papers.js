// Claims of the papers, and their figures with the stated numbers drawn in.
import { bars, chart, lines, stacks } from './charts.js';
import { command, disclosure, empty, h, replaceChildren } from './dom.js';
import { number } from './format.js';
import { groupBy } from './model.js';
import { table } from './table.js';
import { countVerdicts, paperOf, verdict, verdictBar, VERDICTS } from './verdicts.js';

/** Sets of xs whose mean claims are about, in the order of `figure.groups`; empty if they do not match. */
function groupsOf(figure) {
  const sets = [];
  for (const c of figure.paper) {
    const isMean = c.at.length > 1 && !c.every && c.kind !== 'highest_between' && !c.at.every((x) => !figure.x.includes(x));
    const key = c.at.join('\n');
    if (isMean && !sets.includes(key)) sets.push(key);
  }
  return sets.length === figure.groups.length ? sets : [];
}

/** Numbers that the paper states of one x of one series, or of the mean over a group. Bounds are not drawn. */
function statedNumbers(figure) {
  const groups = groupsOf(figure);
  return figure.paper.flatMap((c) => {
    const series = figure.series.findIndex((s) => s.title === c.series);
    if (c.kind !== 'about' || series < 0) return [];
    const isMean = c.at.length > 1 && !c.every;
    const places = isMean ? [groups.indexOf(c.at.join('\n'))].map((g) => (g < 0 ? g : figure.x.length + g)) : c.at.map((at) => figure.x.indexOf(at));
    return places.filter((x) => x >= 0).map((x) => ({ x, series, value: c.about }));
  });
}

function draw(figure, isLog) {
  const groups = figure.chart === 'bars' && groupsOf(figure).length ? figure.groups : [];
  const spec = {
    x: [...figure.x, ...groups.map((g) => `mean of ${g.of}`)], title: figure.y_title, right: figure.right_title || undefined, xTitle: figure.chart === 'lines' ? figure.x_title : undefined, isLog,
    series: figure.series.map((s, i) => ({ name: s.title, values: [...s.values, ...groups.map((g) => g.values[i])], right: s.side === 'right' })),
    paper: statedNumbers(figure).filter((m) => m.x < figure.x.length + groups.length),
  };
  if (figure.chart === 'lines') return lines(spec);
  if (figure.chart === 'stacked') return stacks({ ...spec, series: spec.series.filter((s) => !s.right) });
  return bars({ ...spec, isRelative: figure.series.some((s) => s.relative) });
}

function numbers(figure) {
  const rows = figure.x.map((x, i) => ({ x, i }));
  return table([{ title: figure.x_axis, of: (r) => r.x },
    ...figure.series.map((s) => ({ title: s.title, of: (r) => s.values[r.i], numeric: true }))], rows);
}

function claimColumns() {
  return [
    { title: 'agrees', of: (c) => VERDICTS.indexOf(c.agrees), show: (c) => verdict(c.agrees) },
    { title: 'the paper says', of: (c) => c.says, show: (c, v) => v, class: 'says' },
    { title: 'paper', of: (c) => c.paper, show: (c, v) => v || '-', class: 'number' },
    { title: 'Heddle', of: (c) => c.heddle, show: (c, v) => v || '-', class: 'number' },
    { title: 'source', of: (c) => c.source, show: (c, v) => v, class: 'source' },
  ];
}

function figureCard(report, figure) {
  const isLog = { value: figure.scale === 'log' };
  const picture = chart(() => draw(figure, isLog.value), { height: 340, label: figure.title });
  picture.element.dataset.chart = figure.figure;
  // A baseline alone is 1 everywhere.
  const hasValues = figure.series.some((s) => s.values.some((v) => v !== null && v !== undefined && !(s.relative && v === 1)));
  const log = h('input', { type: 'checkbox', checked: isLog.value, onchange: () => { isLog.value = log.checked; picture.draw(); } });
  const missing = figure.points - figure.points_stored;
  return h('article', { class: 'figure', id: `figure-${figure.figure}` },
    h('h4', null, figure.title, h('span', { class: 'source' }, figure.source)),
    h('p', { class: 'note' }, [figure.inputs, missing ? `${number(missing)} of ${number(figure.points)} points are not in the store` : null,
      ...figure.missing.map((m) => `Heddle has no ${m}`)].filter(Boolean).join('; ')),
    !hasValues || figure.chart === 'stacked' ? null : h('label', { class: 'toggle' }, log, h('span', null, 'Logarithmic')),
    hasValues ? picture.element : h('p', { class: 'note' }, 'The store has too few of its points to draw it.'),
    hasValues && statedNumbers(figure).length ? h('p', { class: 'note' }, figure.chart === 'lines' ? 'Rings are numbers that the paper states.'
      : 'Black lines across bars are numbers that the paper states.') : null,
    figure.paper.length ? table(claimColumns(), figure.paper) : null,
    figure.note ? h('p', { class: 'note' }, figure.note) : null,
    disclosure('Numbers and command', () => h('div', null, numbers(figure), command(figure.command))));
}

function allClaims(figures) {
  const claims = figures.flatMap((f) => f.paper.map((c) => ({ ...c, figure: f })));
  return table([
    { title: 'figure', of: (c) => c.figure.figure, show: (c, v) => h('a', { href: `#figure-${v}` }, v), class: 'source' },
    ...claimColumns(),
  ], claims, { filter: 'Filter: workload, policy, figure' });
}

function paperView(report, paper, figures) {
  const claims = figures.flatMap((f) => f.paper);
  return h('div', null,
    claims.length ? [h('p', { class: 'paper-title' }, report.data.papers[paper] || ''), verdictBar(countVerdicts(claims)), allClaims(figures)] : null,
    figures.map((f) => figureCard(report, f)));
}

export function papers(report) {
  const { figures } = report;
  if (!figures.length) {
    return empty('No figure of a paper has points in this store. These commands run them, with small inputs and with the papers\' own:',
      [`heddle repro --size small --store ${report.data.store}`, `heddle repro s2-fig10 --store ${report.data.store}`]);
  }
  const groups = new Map([...groupBy(figures, paperOf)].sort());
  const body = h('div');
  const tabs = [...groups.keys()].map((paper) => h('button', { type: 'button', role: 'tab', onclick: () => open(paper) }, paper));
  function open(paper) {
    tabs.forEach((t) => t.setAttribute('aria-selected', String(t.textContent === paper)));
    replaceChildren(body, paperView(report, paper, groups.get(paper)));
  }
  open([...groups.keys()][0]);
  return h('div', null, tabs.length > 1 ? h('div', { class: 'tabs', role: 'tablist' }, tabs) : null, body);
}
