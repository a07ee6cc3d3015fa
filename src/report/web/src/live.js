// Under `heddle serve`: how far the sweep is, and the page again when there are new results.
import { h } from './dom.js';
import { duration, plural } from './format.js';

const PERIOD_MS = 2000;

function line(p) {
  if (!p.running) return p.results ? `No sweep is running. ${plural(p.results, 'result')}.` : 'No sweep is running.';
  const left = p.seconds_left === null ? '' : `, about ${duration(p.seconds_left)} left`;
  const of = p.points ? `${p.points_done} of ${p.points} points` : plural(p.results, 'result');
  return `${of}, ${plural(p.running, 'point')} running${left}`;
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
  let version = data.live.version;
  async function look() {
    try {
      const p = await fetchJson('progress.json');
      box.classList.remove('lost');
      text.textContent = line(p);
      bar.hidden = !p.running || !p.points;
      if (p.points) bar.value = p.points_done / p.points;
      if (p.version !== version) {
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
