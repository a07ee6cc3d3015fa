// What the papers say and whether Heddle's results agree.
import { h } from './dom.js';

export const VERDICTS = ['yes', 'direction', 'no', 'look', 'missing'];
const MEANINGS = {
  yes: 'the result agrees with the paper',
  direction: 'the effect has the sign of the paper\'s and at least a tenth of its size',
  no: 'the result does not agree',
  look: 'must be judged by eye',
  missing: 'results that it takes are not in the store',
};

/** "S2 Figure 10" is of S2; what is in no paper is listed apart. */
export function paperOf(figure) {
  const found = /^(S\d)/.exec(figure.source);
  return found ? found[1] : 'Other figures';
}

export function countVerdicts(claims) {
  const counts = Object.fromEntries(VERDICTS.map((v) => [v, 0]));
  for (const c of claims) counts[c.agrees] += 1;
  return counts;
}

export function verdict(word) {
  return h('span', { class: `verdict ${word}`, title: MEANINGS[word] }, word);
}

export function verdictBar(counts) {
  const shown = VERDICTS.filter((v) => counts[v]);
  return h('div', { class: 'verdict-bar' }, shown.map((v) =>
    h('span', { class: `verdict ${v}`, style: `flex-grow:${counts[v]}`, title: MEANINGS[v] }, `${counts[v]} ${v}`)));
}
