// Where the points of the graphs lie. Pure numbers; `graph.js` draws them.

import { winRate } from './score-text.js';

/** @typedef {import('./tree.js').Score} Score */

/** Size of a graph and its margins, in units of its viewBox. */
export const GRAPH = { width: 640, height: 220, left: 46, right: 10, top: 12, bottom: 24 };

/** What the vertical axis shows: the share of wins, or centipawns up to a limit. */
export const SCALES = ['win', '1000', '3000'];

/** How many plies the axis shows: the game with some room. @param {number} plies */
export const lastPly = (plies) => Math.max(20, Math.ceil(plies / 10) * 10);

/** The horizontal place of a ply. @param {number} ply @param {number} last */
export const plyToX = (ply, last) => GRAPH.left + ((GRAPH.width - GRAPH.left - GRAPH.right) * ply) / last;

/** The ply nearest to a horizontal place. @param {number} x @param {number} last */
export function xToPly(x, last) {
  const ply = Math.round(((x - GRAPH.left) / (GRAPH.width - GRAPH.left - GRAPH.right)) * last);
  return Math.min(last, Math.max(0, ply));
}

/** Where a score for black lies between -1 (white wins) and 1. @param {Score} score @param {string} scale */
export function height(score, scale) {
  if (scale === 'win') return 2 * winRate(score) - 1;
  if (score.mate !== undefined && score.mate !== null) return Math.sign(score.mate);
  return Math.max(-1, Math.min(1, (score.cp ?? 0) / Number(scale)));
}

/** The vertical place of a height between -1 and 1; with `base`, of a share between 0 and 1 from the lower edge. @param {number} value @param {'middle' | 'base'} from */
export function toY(value, from = 'middle') {
  const inner = GRAPH.height - GRAPH.top - GRAPH.bottom;
  const share = from === 'middle' ? (1 - value) / 2 : 1 - value;
  return GRAPH.top + inner * Math.min(1, Math.max(0, share));
}

/** The `d` of a path through points; where plies are missing the gap is bridged. @param {{ply: number, value: number}[]} points @param {number} last */
export const linePath = (points, last) =>
  points
    .map(({ ply, value }, i) => `${i ? 'L' : 'M'}${plyToX(ply, last).toFixed(1)} ${toY(value).toFixed(1)}`)
    .join('');

/** The `d` of the area between points and the middle. @param {{ply: number, value: number}[]} points @param {number} last */
export function areaPath(points, last) {
  if (points.length < 2) return '';
  const middle = toY(0).toFixed(1);
  const first = plyToX(points[0].ply, last).toFixed(1);
  const end = plyToX(points[points.length - 1].ply, last).toFixed(1);
  return `M${first} ${middle}${linePath(points, last).replace('M', 'L')}L${end} ${middle}Z`;
}

/** The next round number of seconds. @param {number[]} values */
export function timeTop(values) {
  const most = values.reduce((top, value) => Math.max(top, value), 0);
  return [10, 30, 60, 120, 300, 600, 1200, 1800, 3600].find((top) => most <= top) ?? Math.ceil(most / 3600) * 3600;
}
