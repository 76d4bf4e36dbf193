// Scales and round numbers of charts. Pure.

/** Round numbers between two values. @param {number} low @param {number} high @param {number} most how many at most */
export function ticks(low, high, most = 5) {
  const span = high - low || Math.abs(high) || 1;
  const raw = span / most;
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * unit).find((one) => span / one <= most) ?? 10 * unit;
  const found = [];
  for (let at = Math.ceil(low / step); at * step <= high + step * 1e-9; at++)
    found.push(Number((at * step).toPrecision(12)));
  return found;
}

/** A linear scale. @param {number} low @param {number} high @param {number} from @param {number} to */
export const scale = (low, high, from, to) => (/** @type {number} */ value) =>
  high === low ? (from + to) / 2 : from + ((value - low) / (high - low)) * (to - from);

/** The smallest and the largest of numbers, with room where they are the same. @param {number[]} values @returns {[number, number]} */
export function range(values) {
  const low = values.reduce((least, value) => Math.min(least, value), Infinity);
  const high = values.reduce((most, value) => Math.max(most, value), -Infinity);
  if (!Number.isFinite(low)) return [0, 1];
  return low === high ? [low - (Math.abs(low) || 1) * 0.5, high + (Math.abs(high) || 1) * 0.5] : [low, high];
}
