// The clocks of both sides. Pure: the time of day comes in with each call.

import { BLACK } from './rules.js';

/** @typedef {{used: [number, number], running: boolean, side: number, since: number}} Clocks used: milliseconds of black and white */

/** @returns {Clocks} */
export const newClocks = () => ({ used: [0, 0], running: false, side: BLACK, since: 0 });

const indexOf = (/** @type {number} */ side) => (side === BLACK ? 0 : 1);

/**
 * Milliseconds that a side has used so far.
 * @param {Clocks} clocks @param {number} side @param {number} now
 */
export function used(clocks, side, now) {
  const running = clocks.running && clocks.side === side ? now - clocks.since : 0;
  return clocks.used[indexOf(side)] + running;
}

/** Lets the clock of a side run, or holds both. @param {Clocks} clocks @param {number | null} side @param {number} now */
export function turnTo(clocks, side, now) {
  if (clocks.running) clocks.used[indexOf(clocks.side)] += now - clocks.since;
  clocks.running = side !== null;
  if (side !== null) clocks.side = side;
  clocks.since = now;
}

/**
 * `m:ss`, with tenths in the last ten seconds of a limit.
 * @param {number} ms
 */
export function clockText(ms) {
  const whole = Math.max(0, ms);
  const seconds = Math.floor(whole / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/**
 * What a clock shows: the time left of a limit, or the time used where there is none.
 * @param {Clocks} clocks @param {number} side @param {number} limitMinutes 0 for none @param {number} now
 */
export function shown(clocks, side, limitMinutes, now) {
  const spent = used(clocks, side, now);
  return clockText(limitMinutes > 0 ? limitMinutes * 60_000 - spent : spent);
}
