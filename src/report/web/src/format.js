// Numbers as people read them.
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** 1,234,567; 0.0123; 12.3; "-" for what is not there. */
export function number(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return '-';
  if (typeof value !== 'number') return String(value);
  const size = Math.abs(value);
  if (Number.isInteger(value) || size >= 10000) return whole.format(value);
  if (size >= 100) return value.toFixed(1);
  if (size >= 10) return value.toFixed(2);
  if (size >= 0.01 || size === 0) return value.toFixed(3);
  return value.toPrecision(3);
}

/** 1.2 M, for axes. */
export function short(value) {
  const size = Math.abs(value);
  for (const [limit, unit] of [[1e9, ' G'], [1e6, ' M']]) {
    if (size >= limit) return `${Number((value / limit).toPrecision(4))}${unit}`;
  }
  return size >= 1000 ? whole.format(value) : String(Number(value.toPrecision(4)));
}

export function percent(part, all) {
  return all ? `${(100 * part / all).toFixed(1)} %` : '-';
}

export function duration(seconds) {
  const s = Math.round(seconds);
  if (s < 60) return `${seconds < 10 ? seconds.toFixed(1) : s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor(s % 3600 / 60)} min`;
}

export function plural(n, one, many) {
  return `${whole.format(n)} ${n === 1 ? one : many || `${one}s`}`;
}
