// Statistics over time: those of the mechanisms (CCWS, DLP, Ctrl-C, ...), and the machine's.
import { chart, lines } from './charts.js';
import { choice, empty, h, replaceChildren, toggle } from './dom.js';
import { runName } from './model.js';

/** What the run's own mechanisms count comes before what every machine has. */
function defaultColumns(columns, isOwn) {
  const own = columns.filter((c) => isOwn(c.name) && c.values.some((v) => v));
  return (own.length ? own : columns.filter((c) => ['ipc', 'l1d.hit_rate'].includes(c.name))).slice(0, 3).map((c) => c.name);
}

function picker(one, shown, isOwn, draw) {
  const names = one.columns.filter((c) => c.values.some((v) => v)).map((c) => c.name);
  names.sort((a, b) => Number(isOwn(b)) - Number(isOwn(a)));
  return h('div', { class: 'chips', role: 'group', 'aria-label': 'Statistics' }, names.map((name) => {
    const on = shown.has(name);
    return h('button', { type: 'button', 'aria-pressed': String(on), class: isOwn(name) ? 'own' : null, onclick: () => {
      if (on) shown.delete(name); else shown.add(name);
      draw();
    } }, name);
  }));
}

export function counters(report) {
  const { series } = report;
  if (!series.length) {
    return empty('The store has no time series. Explaining a result runs it again and samples the counters of its scheduler and policies:',
      [report.explainCommand()]);
  }
  const isOwn = (name) => name in report.data.mechanisms;
  const state = { at: 0, isLog: false, shown: new Set(defaultColumns(series[0].columns, isOwn)) };
  const body = h('div');
  function draw() {
    const one = series[state.at];
    const pictures = one.columns.filter((c) => state.shown.has(c.name)).map((c) => {
      const picture = chart(() => lines({ x: one.cycles, isTime: true, xTitle: '', title: c.unit ? `${c.name} (${c.unit})` : c.name, isLog: state.isLog, zoom: true,
        series: [{ name: c.name, values: c.values }] }), { height: 220, label: c.name });
      picture.element.dataset.chart = `series ${c.name}`;
      return picture.element;
    });
    replaceChildren(body, h('div', { class: 'controls' },
      choice('Result', series.map((s, i) => ({ value: String(i), label: runName(report.byId.get(s.run)) })), String(state.at), (i) => {
        state.at = Number(i);
        state.shown = new Set(defaultColumns(series[state.at].columns, isOwn));
        draw();
      }), toggle('Logarithmic', state.isLog, (on) => { state.isLog = on; draw(); })),
    picker(one, state.shown, isOwn, draw), pictures);
  }
  draw();
  return h('div', null, h('p', { class: 'lead' }, 'Each value is of the cycles since the one before. Drag the handles below a chart, or scroll in it, to zoom.'), body);
}
