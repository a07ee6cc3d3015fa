// Tables that sort by a click on a column and filter by a word, drawn a page at a time.
import { h, replaceChildren } from './dom.js';
import { number, plural } from './format.js';

const PAGE_ROWS = 50;

function compare(a, b) {
  const none = (v) => v === null || v === undefined || v === '';
  if (none(a) || none(b)) return Number(none(a)) - Number(none(b));
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}

function cellOf(column, row) {
  const value = column.of(row);
  const shown = column.show ? column.show(row, value) : number(value);
  return h('td', { class: column.class || (column.numeric ? 'number' : null) }, shown);
}

/**
 * columns: {title, of(row) -> value, show(row, value) -> node or text, numeric, class, help}.
 * options: {filter: placeholder, expand(row) -> node, sort: {column, down}, rowClass(row)}.
 */
export function table(columns, rows, options = {}) {
  const state = { sort: options.sort || null, word: '', shown: PAGE_ROWS };
  const body = h('tbody');
  const count = h('span', { class: 'count' });
  const more = h('button', { type: 'button', class: 'more', onclick: () => { state.shown += 4 * PAGE_ROWS; draw(); } });
  const heads = columns.map((column, i) => {
    const button = h('button', { type: 'button', onclick: () => sortBy(i) }, column.title);
    return h('th', { class: column.numeric || column.class === 'number' ? 'number' : null, title: column.help, scope: 'col' }, button);
  });

  function sortBy(i) {
    const down = state.sort && state.sort.column === i ? !state.sort.down : Boolean(columns[i].numeric);
    state.sort = { column: i, down };
    draw();
  }

  function selected() {
    const words = state.word.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = (row) => {
      const text = columns.map((c) => String(c.of(row) ?? '')).join(' ').toLowerCase();
      return words.every((w) => text.includes(w));
    };
    const kept = words.length ? rows.filter(matches) : rows.slice();
    if (state.sort) {
      const { column, down } = state.sort;
      kept.sort((a, b) => (down ? -1 : 1) * compare(columns[column].of(a), columns[column].of(b)));
    }
    return kept;
  }

  function rowOf(row) {
    const tr = h('tr', { class: options.rowClass ? options.rowClass(row) : null }, columns.map((c) => cellOf(c, row)));
    if (!options.expand) return tr;
    tr.classList.add('expands');
    tr.setAttribute('tabindex', '0');
    const open = () => {
      if (tr.nextSibling && tr.nextSibling.className === 'expanded') tr.nextSibling.remove();
      else tr.after(h('tr', { class: 'expanded' }, h('td', { colspan: columns.length }, options.expand(row))));
    };
    tr.addEventListener('click', (e) => { if (!e.target.closest('button, a, input')) open(); });
    tr.addEventListener('keydown', (e) => { if (e.key === 'Enter') open(); });
    return tr;
  }

  function draw() {
    const kept = selected();
    heads.forEach((head, i) => {
      const by = state.sort && state.sort.column === i;
      if (by) head.setAttribute('aria-sort', state.sort.down ? 'descending' : 'ascending');
      else head.removeAttribute('aria-sort');
    });
    replaceChildren(body, kept.slice(0, state.shown).map(rowOf));
    count.textContent = kept.length === rows.length ? plural(rows.length, 'row')
      : `${number(kept.length)} of ${plural(rows.length, 'row')}`;
    more.hidden = kept.length <= state.shown;
    more.textContent = `Show more (${number(kept.length - state.shown)} left)`;
  }

  const filter = h('input', {
    type: 'search', placeholder: options.filter || 'Filter', 'aria-label': options.filter || 'Filter',
    oninput: () => { state.word = filter.value; state.shown = PAGE_ROWS; draw(); },
  });
  addEventListener('beforeprint', () => { if (rows.length <= 500) { state.shown = rows.length; draw(); } });
  draw();
  return h('div', { class: 'table' },
    rows.length > 5 ? h('div', { class: 'table-tools' }, filter, count) : null,
    h('div', { class: 'scroll' }, h('table', null, h('thead', null, h('tr', null, heads)), body)),
    more);
}
