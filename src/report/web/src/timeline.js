// What the warps of an SM did, one row a warp slot. Only what is in view is drawn, and only as much
// of it as pixels show.
import { chart, css, tooltipOf, valueAxis, zoom } from './charts.js';
import { choice, empty, h, replaceChildren } from './dom.js';
import { number } from './format.js';
import { runName } from './model.js';
import { CATEGORIES, categoryColour } from './categories.js';

const ROW = 11;

/** [start, end, category, ...] in cycles, from lengths in steps: [gap, length, category, ...]. */
function decode(slot, step) {
  const out = new Float64Array(slot.runs.length);
  for (let i = 0, at = 0; i < slot.runs.length; i += 3) {
    const start = at + slot.runs[i];
    at = start + slot.runs[i + 1];
    out[i] = start * step;
    out[i + 1] = at * step;
    out[i + 2] = slot.runs[i + 2];
  }
  return out;
}

/** The first run that ends after a cycle. */
function firstAfter(runs, cycle) {
  let low = 0;
  let high = runs.length / 3;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (runs[3 * middle + 1] <= cycle) low = middle + 1; else high = middle;
  }
  return 3 * low;
}

/** Rectangles of one category as one path. What is narrower than a pixel is drawn where it is the first of its pixel. */
function pathOf(rows, category, api, area) {
  const [from, to] = [api.value(1), api.value(2)];
  const parts = [];
  rows.forEach((runs, row) => {
    const y = api.coord([from, row])[1];
    let last = -1;
    for (let i = firstAfter(runs, from); i < runs.length && runs[i] < to; i += 3) {
      const x1 = Math.max(area.x, api.coord([runs[i], row])[0]);
      const x2 = Math.min(area.x + area.width, api.coord([runs[i + 1], row])[0]);
      const isNarrow = x2 - x1 < 1;
      if (isNarrow && Math.floor(x1) === last) continue;
      last = Math.floor(x2 - 1e-9);
      if (runs[i + 2] !== category) continue;
      parts.push(`M${x1.toFixed(1)} ${(y - ROW / 2 + 1).toFixed(1)}h${Math.max(1, x2 - x1).toFixed(1)}v${ROW - 2}h-${Math.max(1, x2 - x1).toFixed(1)}z`);
    }
  });
  return parts.join('');
}

function seriesOf(rows, one, window) {
  return CATEGORIES.map((c) => {
    const at = one.categories.indexOf(c.title);
    return {
      type: 'custom', name: c.title, itemStyle: { color: categoryColour(c) }, clip: true, silent: true,
      data: [[0, window.from, window.to]], encode: { x: [1, 2] },
      renderItem: (params, api) => ({ type: 'path', shape: { pathData: pathOf(rows, at, api, params.coordSys) || 'M0 0' }, style: { fill: categoryColour(c) } }),
    };
  });
}

function optionOf(rows, one, window) {
  const end = one.cycles;
  return {
    grid: { left: 64, right: 16, top: 44, bottom: 56 },
    tooltip: { show: false },
    xAxis: valueAxis('', { min: 0, max: end, splitLine: { show: false }, axisLine: { show: false } }),
    yAxis: { type: 'category', inverse: true, data: one.slots.map((slot) => slot.name.replace('warp slot', 'warp')), axisLine: { show: false }, axisTick: { show: false },
      axisLabel: { color: css('--ink-soft'), fontFamily: css('--font'), interval: (i) => i % 4 === 0 } },
    dataZoom: zoom().map((z) => ({ ...z, startValue: window.from, endValue: window.to, minValueSpan: Math.max(20, 4 * one.step) })),
    series: seriesOf(rows, one, window),
  };
}

/** Names what is under the pointer. */
function describe(one, rows, instance, at, tip) {
  const point = instance.convertFromPixel({ gridIndex: 0 }, [at.offsetX, at.offsetY]);
  const row = point ? Math.round(point[1]) : -1;
  const runs = rows[row];
  const i = runs ? firstAfter(runs, point[0]) : -1;
  if (!runs || i >= runs.length || runs[i] > point[0]) { tip.hidden = true; return; }
  const category = CATEGORIES.find((c) => c.title === one.categories[runs[i + 2]]);
  const kernel = one.kernels.find((k) => k.from <= point[0] && point[0] < k.to);
  replaceChildren(tip, tooltipOf(`${one.slots[row].name}, cycle ${number(Math.floor(runs[i]))} to ${number(runs[i + 1])}`, [
    { name: category ? category.title : '?', colour: category ? categoryColour(category) : '', text: `${number(runs[i + 1] - runs[i])} cycles` },
    ...(kernel ? [{ name: 'kernel', colour: 'transparent', text: kernel.name }] : [])]));
  tip.hidden = false;
  tip.style.left = `${Math.min(at.offsetX + 14, instance.getWidth() - 260)}px`;
  tip.style.top = `${at.offsetY + 14}px`;
}

function view(one) {
  const rows = one.slots.map((s) => decode(s, one.step));
  const window = { from: 0, to: one.cycles };
  const tip = h('div', { class: 'tip floating', hidden: true });
  const picture = chart(() => optionOf(rows, one, window), { height: 110 + ROW * rows.length, canvas: true, label: 'Warp timeline', ready(instance) {
    instance.on('datazoom', () => {
      const z = instance.getOption().dataZoom[0];
      window.from = z.startValue;
      window.to = z.endValue;
      instance.setOption({ series: seriesOf(rows, one, window) });
    });
    instance.getZr().on('mousemove', (e) => describe(one, rows, instance, e, tip));
    instance.getZr().on('globalout', () => { tip.hidden = true; });
  } });
  picture.element.dataset.chart = 'timeline';
  const zoomTo = (from, to) => picture.instance && picture.instance.dispatchAction({ type: 'dataZoom', startValue: from, endValue: to });
  const kernels = h('div', { class: 'chips' }, h('button', { type: 'button', onclick: () => zoomTo(0, one.cycles) }, 'whole run'),
    one.kernels.slice(0, 24).map((k) => h('button', { type: 'button', onclick: () => zoomTo(k.from, k.to) }, `${k.name} from ${number(k.from)}`)));
  return [kernels, h('div', { class: 'with-tip' }, picture.element, tip)];
}

export function timelines(report) {
  const found = report.details.filter((d) => d.timeline);
  if (!found.length) {
    return empty('The store has no warp timelines. Explaining a result runs it again and draws the warps of its first SM:',
      [report.explainCommand()]);
  }
  const body = h('div');
  const state = { at: 0 };
  function draw() {
    const drawn = found[state.at].timeline;
    const one = { ...drawn, kernels: drawn.kernels.map((k) => ({ ...k, name: report.kernelName(k.name) })) };
    replaceChildren(body, h('div', { class: 'controls' },
      choice('Result', found.map((d, i) => ({ value: String(i), label: runName(report.byId.get(d.run)) })), String(state.at), (i) => { state.at = Number(i); draw(); })),
    h('p', { class: 'note' }, `${one.sm}, ${number(one.cycles)} cycles. ${one.step > 1
      ? `Thinned: of each ${number(one.step)} cycles the category with most of them is drawn.` : 'Drawn cycle by cycle.'} Scroll to zoom, drag to move.`), view(one));
  }
  draw();
  return body;
}
