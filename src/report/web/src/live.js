// Under `heddle serve`: how far the sweep is, and the page again when there are new results.
import { h } from './dom.js';
import { duration, plural } from './format.js';

const PERIOD_MS = 2000;
const REST_MS = 8000; // a page that somebody works with is not taken away

function line(p) {
  if (!p.sweeps) return 'No sweep is running.';
  const left = p.seconds_left === null ? '' : `, about ${duration(p.seconds_left)} left`;
  return `${p.points_done} of ${plural(p.points, 'point')}, ${p.running} running${left}`;
}

async function fetchJson(path) {
  const answer = await fetch(path, { cache: 'no-store' });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error || answer.statusText);
  return body;
}

export function live(data, show) {
  if (!data.live) return;
  const bar = h('progress', { max: 1, value: 0 });
  const text = h('span', null, '');
  const box = h('div', { class: 'live', role: 'status' }, h('i'), text, bar);
  document.body.append(box);
  let version = data.live;
  let touched = -REST_MS;
  for (const kind of ['pointerdown', 'keydown', 'wheel']) addEventListener(kind, () => { touched = performance.now(); }, { passive: true });
  async function look() {
    try {
      const p = await fetchJson('progress.json');
      box.classList.remove('lost');
      text.textContent = line(p);
      bar.hidden = !p.sweeps;
      if (p.points) bar.value = p.points_done / p.points;
      if (p.version !== version && performance.now() - touched > REST_MS) {
        const at = scrollY;
        show(await fetchJson('data.json'));
        version = p.version;
        scrollTo(0, at);
      }
    } catch (error) {
      box.classList.add('lost');
      text.textContent = error instanceof TypeError ? 'heddle serve has ended; this is what it showed last.' : error.message;
    }
    setTimeout(look, PERIOD_MS);
  }
  look();
}
