// The page: one section after the other from the data that `heddle report` put into it.
import { h, replaceChildren } from './dom.js';
import { Report } from './model.js';
import { redrawCharts } from './charts.js';
import { overview } from './overview.js';
import { comparison } from './comparison.js';
import { papers } from './papers.js';
import { latency } from './latency.js';
import { reuse } from './reuse.js';
import { counters } from './counters.js';
import { timelines } from './timeline.js';
import { kernels } from './kernels.js';
import { results } from './results.js';
import { machines } from './machines.js';
import { live } from './live.js';

const SECTIONS = [
  ['overview', 'Overview', overview],
  ['compare', 'Speed-up and misses', comparison],
  ['papers', 'Papers and figures', papers],
  ['latency', 'Where cycles go', latency],
  ['reuse', 'Reuse distances', reuse],
  ['counters', 'Counters over time', counters],
  ['warps', 'Warp timelines', timelines],
  ['kernels', 'Kernels', kernels],
  ['machines', 'Machines', machines],
  ['results', 'All results', results],
];

const THEMES = ['system', 'light', 'dark'];

const systemDark = matchMedia('(prefers-color-scheme: dark)');

/** Colours of `theme`, or what the system says. */
function applyTheme(theme) {
  document.documentElement.dataset.theme = theme === 'system' ? (systemDark.matches ? 'dark' : 'light') : theme;
  redrawCharts();
}

function setTheme(theme) {
  try { localStorage.setItem('heddle-theme', theme); } catch { /* a file may have no storage */ }
  applyTheme(theme);
}

function storedTheme() {
  try {
    const theme = localStorage.getItem('heddle-theme');
    return THEMES.includes(theme) ? theme : 'system';
  } catch {
    return 'system';
  }
}

function themeSwitch() {
  const buttons = THEMES.map((theme) => h('button', { type: 'button', 'data-theme-choice': theme,
    onclick: () => { setTheme(theme); mark(theme); } }, theme));
  const mark = (theme) => buttons.forEach((b) => b.setAttribute('aria-pressed', String(b.dataset.themeChoice === theme)));
  mark(storedTheme());
  return h('div', { class: 'switch', role: 'group', 'aria-label': 'Colours' }, buttons);
}

function header(report) {
  const { data } = report;
  return h('header', null,
    h('div', { class: 'brand' }, h('h1', null, 'Heddle'), h('p', null, data.store)),
    themeSwitch());
}

function navigation() {
  const links = SECTIONS.map(([id, title]) => h('a', { href: `#${id}` }, title));
  const seen = new IntersectionObserver((entries) => {
    for (const e of entries) {
      if (!e.isIntersecting) continue;
      links.forEach((a) => a.classList.toggle('here', a.getAttribute('href') === `#${e.target.id}`));
    }
  }, { rootMargin: '-20% 0px -70% 0px' });
  return { element: h('nav', { 'aria-label': 'Sections' }, links), watch: (s) => seen.observe(s) };
}

function licences() {
  const text = document.getElementById('licences').textContent;
  return h('details', { class: 'licences' }, h('summary', null, 'Charts by Apache ECharts; licences'), h('pre', null, text));
}

/** One section that cannot be drawn leaves the others as they are. */
function sectionOf(build, report) {
  try {
    return build(report);
  } catch (error) {
    console.error(error);
    return h('div', { class: 'empty' }, h('p', null, `This section could not be drawn: ${error.message}`));
  }
}

export function show(data) {
  const report = new Report(data);
  const nav = navigation();
  const main = h('main', null, SECTIONS.map(([id, title, build]) =>
    h('section', { id }, h('h2', null, title), sectionOf(build, report))));
  replaceChildren(document.getElementById('page'), header(report),
    h('div', { class: 'columns' }, nav.element, main),
    h('footer', null, h('p', null, `Heddle ${data.version}, model ${data.model}. Written ${data.written}.`), licences()));
  main.querySelectorAll('section').forEach(nav.watch);
  document.title = `Heddle: ${data.store}`;
}

applyTheme(storedTheme());
systemDark.addEventListener('change', () => applyTheme(storedTheme()));
addEventListener('beforeprint', () => applyTheme('light'));
addEventListener('afterprint', () => applyTheme(storedTheme()));
const data = JSON.parse(document.getElementById('data').textContent);
show(data);
live(data, show);
