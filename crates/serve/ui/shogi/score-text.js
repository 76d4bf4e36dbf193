// Scores as people read them.

import { number, signed, t } from '../common/i18n.js';

/** @typedef {import('./tree.js').Score} Score */

/** A score in centipawns with its sign, or the plies to mate. @param {Score | null | undefined} score */
export function scoreText(score) {
  if (!score) return '';
  if (score.mate === undefined || score.mate === null) return signed(score.cp ?? 0);
  if (score.unknown) return t(score.mate > 0 ? 'score.mate' : 'score.lost');
  return t(score.mate > 0 ? 'score.mates' : 'score.mated', { n: Math.abs(score.mate) });
}

/** The share of wins that a score promises, from 0 to 1: the curve that shogi programs use. @param {Score} score */
export function winRate(score) {
  if (score.mate !== undefined && score.mate !== null) return score.mate > 0 ? 1 : 0;
  return 1 / (1 + Math.exp(-(score.cp ?? 0) / 600));
}

/** A large number in a few letters. @param {number | string | null | undefined} value */
export const compact = (value) =>
  value === null || value === undefined ? '' : number(Number(value), { notation: 'compact', maximumFractionDigits: 1 });
