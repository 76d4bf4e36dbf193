// The clocks of both sides with byoyomi or increments. Pure: the time of day comes in with each call.

/** What both sides have at first, in milliseconds. @typedef {{main: number, byoyomi: number, increment: number}} Control */

/**
 * @typedef {object} Clocks
 * @property {Control} control
 * @property {[number, number]} left of the main time of black and white
 * @property {number | null} side whose clock runs
 * @property {number} since when it began to run
 */

/** @param {Control} control @returns {Clocks} */
export const newClocks = (control) => ({
  control,
  left: [control.main + control.increment, control.main + control.increment],
  side: null,
  since: 0,
});

/** Milliseconds that the side has thought for this move. @param {Clocks} clocks @param {number} now */
export const thought = (clocks, now) => (clocks.side === null ? 0 : now - clocks.since);

/** What is left of the main time of a side, and of the byoyomi behind it. @param {Clocks} clocks @param {number} side @param {number} now */
export function left(clocks, side, now) {
  const used = clocks.side === side ? thought(clocks, now) : 0;
  const main = clocks.left[side] - used;
  return main >= 0
    ? { main, byoyomi: clocks.control.byoyomi }
    : { main: 0, byoyomi: Math.max(0, clocks.control.byoyomi + main) };
}

/** Whether games have clocks at all. @param {Clocks} clocks */
export const limited = ({ control }) => control.main > 0 || control.byoyomi > 0 || control.increment > 0;

/** Whether the time of a side is over. @param {Clocks} clocks @param {number} side @param {number} now */
export function flagFallen(clocks, side, now) {
  const { main, byoyomi } = left(clocks, side, now);
  return limited(clocks) && main <= 0 && byoyomi <= 0;
}

/** Lets the clock of a side run, or holds both. The side whose clock ran has moved if another one runs now. @param {Clocks} clocks @param {number | null} side @param {number} now */
export function turnTo(clocks, side, now) {
  if (clocks.side !== null && clocks.side !== side) {
    const used = thought(clocks, now);
    clocks.left[clocks.side] = Math.max(0, clocks.left[clocks.side] - used);
    if (side !== null) clocks.left[clocks.side] += clocks.control.increment;
  }
  if (clocks.side !== side) clocks.since = now;
  clocks.side = side;
}

/** The field `clock` of a request for a move. @param {Clocks} clocks @param {number} now */
export function clockFields(clocks, now) {
  const of = (/** @type {number} */ side) => Math.max(0, Math.round(left(clocks, side, now).main));
  return {
    black_ms: of(0),
    white_ms: of(1),
    byoyomi_ms: clocks.control.byoyomi,
    black_increment_ms: clocks.control.increment,
    white_increment_ms: clocks.control.increment,
  };
}

/** `m:ss`, or `h:mm:ss`; what is begun of a second counts. @param {number} ms */
export function clockText(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const two = (/** @type {number} */ n) => String(n).padStart(2, '0');
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** What the clock of a side shows. @param {Clocks} clocks @param {number} side @param {number} now */
export function shown(clocks, side, now) {
  if (!limited(clocks)) return clocks.side === side ? clockText(thought(clocks, now)) : '–';
  const { main, byoyomi } = left(clocks, side, now);
  return main > 0 || clocks.control.byoyomi === 0 ? clockText(main) : clockText(byoyomi);
}
