// Where the points of the graphs lie. Pure numbers; `graph.js` draws them.

/** Size of a graph and its margins, in units of its viewBox. */
export const GRAPH = { width: 640, height: 220, left: 40, right: 10, top: 12, bottom: 24 };

const PLIES = 60;

/** The horizontal place of a ply. @param {number} ply */
export const plyToX = (ply) => GRAPH.left + ((GRAPH.width - GRAPH.left - GRAPH.right) * ply) / PLIES;

/** The ply nearest to a horizontal place. @param {number} x */
export function xToPly(x) {
  const ply = Math.round(((x - GRAPH.left) / (GRAPH.width - GRAPH.left - GRAPH.right)) * PLIES);
  return Math.min(PLIES, Math.max(0, ply));
}

/** What a graph shows: values in discs, sums of lost discs, or seconds thought for each move. @typedef {'value' | 'loss' | 'time'} Kind */

/** Round numbers of seconds, minutes and hours, in seconds. */
const TIMES = [1, 2, 4, 10, 20, 40, 60, 120, 240, 600, 1200, 2400, 3600];

/**
 * The largest value of the scale: the smallest of 8, 16, 32, 64 that holds all values, or for sums and times the next round number.
 * @param {number[]} values
 * @param {Kind} kind
 */
export function scaleTop(values, kind) {
  const most = values.reduce((top, value) => Math.max(top, Math.abs(value)), 0);
  if (kind === 'value') return [8, 16, 32].find((top) => most <= top) ?? 64;
  const time = kind === 'time' && TIMES.find((top) => most <= top);
  if (time) return time;
  for (let unit = 10; ; unit *= 10) {
    const found = [1, 2, 4, 6, 10].find((factor) => most <= factor * unit);
    if (found) return found * unit;
  }
}

/**
 * The vertical place of a value: +top at the upper edge and -top at the lower one; for sums of losses 0 at the upper edge and top at
 * the lower one, for times the other way round.
 * @param {number} value @param {number} top @param {Kind} kind
 */
export function valueToY(value, top, kind) {
  const inner = GRAPH.height - GRAPH.top - GRAPH.bottom;
  const share = { value: (top - value) / (2 * top), loss: value / top, time: 1 - value / top }[kind];
  return GRAPH.top + inner * Math.min(1, Math.max(0, share));
}

/**
 * The marks of the vertical axis.
 * @param {number} top @param {Kind} kind
 */
export const ticks = (top, kind) => (kind === 'value' ? [top, top / 2, 0, -top / 2, -top] : [0, top / 2, top]);

/**
 * The `d` of a path through points; a gap where plies are missing is bridged.
 * @param {{ply: number, value: number}[]} points @param {number} top @param {Kind} kind
 */
export function linePath(points, top, kind) {
  return points
    .map(({ ply, value }, i) => `${i ? 'L' : 'M'}${plyToX(ply).toFixed(1)} ${valueToY(value, top, kind).toFixed(1)}`)
    .join('');
}

/**
 * Running sums of the losses of both sides.
 * @param {{ply: number, side: number, loss: number | null}[]} moves `side` is who moved, `ply` the ply after the move
 * @param {number} side
 * @returns {{ply: number, value: number}[]} begins with 0 at the ply before the first move
 */
export function lossSums(moves, side) {
  if (moves.length === 0) return [];
  const points = [{ ply: moves[0].ply - 1, value: 0 }];
  let sum = 0;
  for (const move of moves) {
    if (move.side === side) {
      if (move.loss === null) continue;
      sum += move.loss;
    }
    points.push({ ply: move.ply, value: sum });
  }
  return points;
}
