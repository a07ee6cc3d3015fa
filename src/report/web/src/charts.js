// Charts by ECharts in the page's own type and colours. A chart is drawn when it comes into view,
// again when its room or the theme changes, and before the page is printed.
import { init, use } from 'echarts/core';
import { BarChart, CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import { DataZoomComponent, GridComponent, LegendComponent, TooltipComponent } from 'echarts/components';
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers';
import { h } from './dom.js';
import { number, short } from './format.js';

use([BarChart, LineChart, CustomChart, ScatterChart, GridComponent, TooltipComponent, LegendComponent,
  DataZoomComponent, CanvasRenderer, SVGRenderer]);

const drawn = new Set();

export function css(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export function colours() {
  return Array.from({ length: 10 }, (_, i) => css(`--series-${i + 1}`));
}

/** Charts are drawn with the colours of now. */
export function redrawCharts() {
  for (const c of drawn) if (c.element.isConnected) c.draw(); else drawn.delete(c);
}

const inView = new IntersectionObserver((entries) => {
  for (const e of entries) if (e.isIntersecting) e.target.chart.start();
}, { rootMargin: '300px' });
const resized = new ResizeObserver((entries) => {
  for (const e of entries) e.target.chart.resize();
});
let isPrinting = false;
addEventListener('beforeprint', () => {
  isPrinting = true;
  for (const c of drawn) if (c.element.isConnected) { c.start(); c.resize(); }
  redrawCharts();
});
addEventListener('afterprint', () => { isPrinting = false; redrawCharts(); });

/** `option()` says what to draw; options: {height, canvas, label, ready(instance)}. */
export function chart(option, { height = 320, canvas = false, label = '', ready } = {}) {
  const element = h('div', { class: 'chart', style: `height:${height}px`, role: 'img', 'aria-label': label });
  const self = {
    element,
    instance: null,
    start() {
      if (self.instance || !element.isConnected || !element.clientWidth) return;
      self.instance = init(element, null, { renderer: canvas ? 'canvas' : 'svg' });
      element.instance = self.instance;
      self.draw();
      if (ready) ready(self.instance);
    },
    draw() {
      if (self.instance) self.instance.setOption({ ...base(), ...option() }, { notMerge: true });
    },
    resize() {
      if (!self.instance) self.start();
      else if (element.clientWidth) self.instance.resize();
    },
  };
  element.chart = self;
  drawn.add(self);
  inView.observe(element);
  resized.observe(element);
  return self;
}

const text = () => ({ color: css('--ink-soft'), fontFamily: css('--font'), fontSize: 12 });

function base() {
  return {
    animation: false,
    color: colours(),
    textStyle: text(),
    grid: { left: 12, right: 16, top: 44, bottom: 8, containLabel: true },
    legend: legend(),
    tooltip: tooltip(),
  };
}

function legend() {
  return {
    type: 'scroll', top: 0, left: 0, right: 16, itemWidth: 11, itemHeight: 11, itemGap: 16, icon: 'rect',
    textStyle: text(), pageTextStyle: text(), pageIconColor: css('--ink-soft'), pageIconInactiveColor: css('--rule'),
    inactiveColor: css('--rule'), ...(isPrinting ? { type: 'plain', itemGap: 8, textStyle: { ...text(), fontSize: 10 } } : {}),
  };
}

/** Legend marks look like what they stand for. */
const ICONS = {
  line: 'path://M0 0h14v2.4h-14z',
  dots: 'path://M0 4.3h3.1a2.6 2.6 0 0 1 4.8 0h3.1v1.4h-3.1a2.6 2.6 0 0 1 -4.8 0h-3.1z',
  across: 'path://M0 0h11v2h-11z',
  upright: 'path://M0 0h1.6v11h-1.6z',
  ring: 'circle',
};

/** The legend of these series, each with its own mark where `marks` has one: {name: icon}. */
function legendOf(series, marks) {
  return { ...legend(), data: series.map((s) => ({ name: s.name, ...(marks[s.name] ? { icon: marks[s.name] } : {}) })) };
}

export function tooltip(more) {
  return {
    trigger: 'axis', confine: true, axisPointer: { type: 'shadow', shadowStyle: { color: css('--hover') } },
    backgroundColor: css('--raised'), borderColor: css('--rule'), padding: [8, 12],
    textStyle: { ...text(), color: css('--ink') }, extraCssText: 'box-shadow:0 4px 16px rgb(0 0 0 / .14)', ...more,
  };
}

/** Rows of a tooltip as elements: no name becomes markup. */
export function tooltipOf(title, rows) {
  return h('div', { class: 'tip' }, h('strong', null, title), h('table', null, rows.map((r) => h('tr', null,
    h('td', null, h('i', { style: `background:${r.colour}` }), r.name), h('td', { class: 'number' }, r.text)))));
}

export function valueAxis(title, more) {
  return {
    type: 'value', name: title, nameLocation: 'end', nameGap: 10,
    nameTextStyle: { ...text(), align: 'left', padding: [0, 0, 0, -28] },
    axisLabel: { ...text(), formatter: short }, axisLine: { show: false }, axisTick: { show: false },
    splitLine: { lineStyle: { color: css('--grid') } }, ...more,
  };
}

export function categoryAxis(names, more) {
  return {
    type: 'category', data: names, axisTick: { show: false }, axisLine: { lineStyle: { color: css('--rule') } },
    axisLabel: { ...text(), interval: 0, hideOverlap: true, rotate: names.length > 9 || names.some((n) => n.length > 14) ? 45 : 0,
      overflow: 'truncate', width: 160 }, ...more,
  };
}

/** How values stand on an axis. Those that are relative begin at 1, and go up and down from there. */
function scale(isLog, isRelative) {
  if (isRelative && isLog) return { to: (v) => Math.log2(v), from: (t) => 2 ** t, type: 'value' };
  if (isRelative) return { to: (v) => v - 1, from: (t) => t + 1, type: 'value' };
  return { to: (v) => v, from: (t) => t, type: isLog ? 'log' : 'value' };
}

function usable(value, isLog) {
  return value !== null && value !== undefined && (!isLog || value > 0);
}

const GAP = '12%';
const CATEGORY_GAP = '32%';

/** A short line across the bar that the paper states a number of. */
function paperMarks(marks, nSeries, s) {
  return {
    type: 'custom', name: 'paper', silent: true, z: 5, itemStyle: { color: css('--ink') },
    data: marks.map((m) => [m.x, s.to(m.value), m.series]), encode: { x: 0, y: 1 },
    renderItem(params, api) {
      const bars = api.barLayout({ count: nSeries, barGap: GAP, barCategoryGap: CATEGORY_GAP });
      const bar = bars[api.value(2)];
      const [x, y] = api.coord([api.value(0), api.value(1)]);
      const line = { x1: x + bar.offset - 2, x2: x + bar.offset + bar.width + 2, y1: y, y2: y };
      return { type: 'line', shape: line, style: { stroke: css('--ink'), lineWidth: 2 } };
    },
  };
}

/** Half the width of a 95 % interval above and below the bar; only its ends count for the axis. */
function whiskers(series, s, isLog) {
  const data = series.flatMap((line, i) => (line.error || []).flatMap((e, x) => {
    const [low, high] = [line.values[x] - e, line.values[x] + e];
    return line.values[x] !== null && e ? [[x, s.to(isLog && low <= 0 ? line.values[x] : low), s.to(high), i]] : [];
  }));
  return {
    type: 'custom', name: '95 % interval', silent: true, z: 4, itemStyle: { color: css('--ink') },
    data, encode: { x: 0, y: [1, 2] },
    renderItem(params, api) {
      const bar = api.barLayout({ count: series.length, barGap: GAP, barCategoryGap: CATEGORY_GAP })[api.value(3)];
      const [x, high] = api.coord([api.value(0), api.value(2)]);
      const [, low] = api.coord([api.value(0), api.value(1)]);
      const middle = x + bar.offset + bar.width / 2;
      return { type: 'line', shape: { x1: middle, x2: middle, y1: high, y2: low }, style: { stroke: css('--ink'), lineWidth: 1.2 } };
    },
  };
}

function barTooltip(spec, lines) {
  return tooltip({
    formatter(params) {
      const x = params[0].dataIndex;
      return tooltipOf(spec.x[x], lines.map((line, i) => {
        const mark = (spec.paper || []).find((m) => m.x === x && m.series === i);
        const said = mark ? `  (paper ${number(mark.value)})` : '';
        return { name: line.name, colour: line.colour || colours()[i % 10], text: number(line.values[x]) + said };
      }));
    },
  });
}

/**
 * Bars side by side. spec: {x: names, series: [{name, values, error}], title, isLog, isRelative,
 * paper: [{x, series, value}]}.
 */
export function bars(spec) {
  const s = scale(spec.isLog, spec.isRelative);
  const marks = spec.paper || [];
  const axis = valueAxis(spec.title, { type: s.type, axisLabel: { ...text(), formatter: (t) => short(s.from(t)) } });
  const series = [
    ...spec.series.map((line) => ({
      type: 'bar', name: line.name, barGap: GAP, barCategoryGap: CATEGORY_GAP, barMaxWidth: 34,
      itemStyle: line.colour ? { color: line.colour } : {}, data: line.values.map((v) => (usable(v, spec.isLog) ? s.to(v) : null)),
    })),
    ...(marks.length ? [paperMarks(marks, spec.series.length, s)] : []),
    ...(spec.series.some((line) => (line.error || []).some(Boolean)) ? [whiskers(spec.series, s, spec.isLog)] : []),
  ];
  return {
    legend: legendOf(series, { paper: ICONS.across, '95 % interval': ICONS.upright }),
    xAxis: categoryAxis(spec.x, spec.isRelative ? { axisLine: { onZero: true, lineStyle: { color: css('--ink-soft') } },
      axisLabel: { ...categoryAxis(spec.x).axisLabel, verticalAlign: 'top' }, offset: 0 } : {}),
    yAxis: axis,
    tooltip: barTooltip(spec, spec.series),
    series,
  };
}

/** Bars on each other, shares of 100 %, or as they are. spec: {x, series: [{name, values, colour}], title, isShare}. */
export function stacks(spec) {
  const totals = spec.x.map((_, x) => spec.series.reduce((sum, line) => sum + (line.values[x] || 0), 0));
  const share = (v, x) => (spec.isShare && totals[x] ? 100 * v / totals[x] : v);
  return {
    yAxis: valueAxis(spec.title, spec.isShare ? { max: 100, axisLabel: { ...text(), formatter: '{value} %' } } : {}),
    xAxis: categoryAxis(spec.x),
    tooltip: tooltip({
      formatter: (params) => tooltipOf(spec.x[params[0].dataIndex], params.slice().reverse().map((p) => ({
        name: p.seriesName, colour: p.color, text: spec.isShare ? `${p.value.toFixed(1)} %` : number(p.value) }))),
    }),
    series: spec.series.map((line) => ({
      type: 'bar', stack: 'all', name: line.name, barMaxWidth: 46, barCategoryGap: '28%',
      itemStyle: line.colour ? { color: line.colour } : {}, data: line.values.map((v, x) => share(v || 0, x)),
    })),
  };
}

/** Curves over categories (names) or over numbers (cycles). spec: {x, series: [{name, values, right}], title, right, isLog, xTitle, isTime, paper, zoom}. */
export function lines(spec) {
  const marks = (spec.paper || []).map((m) => [m.x, m.value]);
  const log = spec.isLog ? { type: 'log' } : {};
  const many = spec.x.length > 60;
  const series = [
    ...spec.series.map((line) => ({
      type: 'line', name: line.name, symbol: many ? 'none' : 'circle', symbolSize: 6, lineStyle: { width: 1.8 }, yAxisIndex: line.right ? 1 : 0,
      sampling: many ? 'lttb' : undefined, connectNulls: false,
      data: spec.isTime ? line.values.map((v, i) => [spec.x[i], usable(v, spec.isLog) ? v : null])
        : line.values.map((v) => (usable(v, spec.isLog) ? v : null)),
    })),
    ...(marks.length ? [{ type: 'scatter', name: 'paper', symbol: 'circle', symbolSize: 13, data: marks, silent: true,
      itemStyle: { color: 'transparent', borderColor: css('--ink'), borderWidth: 1.8 } }] : []),
  ];
  const marksOfLines = Object.fromEntries(spec.series.map((line) => [line.name, many ? ICONS.line : ICONS.dots]));
  return {
    grid: { left: 12, right: 16, top: 44, bottom: spec.zoom ? 44 : spec.xTitle ? 28 : 8, containLabel: true },
    xAxis: spec.isTime
      ? valueAxis('', { min: spec.x[0], max: spec.x[spec.x.length - 1], splitLine: { show: false }, name: spec.xTitle, nameLocation: 'middle', nameGap: 28,
        nameTextStyle: text() })
      : categoryAxis(spec.x, { name: spec.xTitle, nameLocation: 'middle', nameGap: 28, nameTextStyle: text(), boundaryGap: true }),
    yAxis: [valueAxis(spec.title, log), ...(spec.right ? [valueAxis(spec.right, { splitLine: { show: false }, nameTextStyle: { ...text(), align: 'right' } })] : [])],
    dataZoom: spec.zoom ? zoom() : [],
    legend: { ...legendOf(series, { ...marksOfLines, paper: ICONS.ring }), itemWidth: 14, show: series.length > 1 },
    tooltip: tooltip({
      axisPointer: { type: 'line', lineStyle: { color: css('--rule') } },
      formatter: (params) => tooltipOf(spec.isTime ? `cycle ${number(params[0].value[0])}` : spec.x[params[0].dataIndex],
        params.filter((p) => p.seriesName !== 'paper').map((p) => ({ name: p.seriesName, colour: p.color,
          text: number(spec.isTime ? p.value[1] : p.value) }))),
    }),
    series,
  };
}

export function zoom() {
  return [{ type: 'inside', filterMode: 'none' },
    { type: 'slider', height: 20, bottom: 4, filterMode: 'none', borderColor: css('--rule'), fillerColor: css('--hover'), handleSize: '100%',
      textStyle: text(), showDetail: false, brushSelect: false, dataBackground: { lineStyle: { opacity: 0 }, areaStyle: { opacity: 0 } } }];
}
