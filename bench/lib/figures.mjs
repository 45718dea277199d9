/** Summaries of the numbers of many rounds. */

export function quantile(values, q) {
  const sorted = [...values].sort((one, other) => one - other);
  if (sorted.length === 0) return Number.NaN;
  const at = (sorted.length - 1) * q;
  const low = Math.floor(at);
  return sorted[low] + (sorted[Math.ceil(at)] - sorted[low]) * (at - low);
}

export const median = (values) => quantile(values, 0.5);

export const sum = (values) => values.reduce((total, value) => total + value, 0);

/** The median of the ratios of each round: what disturbed both at the same time cancels out. */
export const ratio = (these, those) => median(these.map((value, round) => value / those[round]));

/** Three significant digits. */
export function short(value) {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1_000_000) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (size >= 10_000) return `${Math.round(value / 1000)}k`;
  if (size >= 100) return String(Math.round(value));
  return String(Number(value.toPrecision(3)));
}
