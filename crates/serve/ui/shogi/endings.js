// How games end, in words.

import { t } from '../common/i18n.js';
import { opponent, sideName } from './position.js';

/** Who wins at an end that a side to move meets: itself or its opponent. @type {Record<string, 'own' | 'other'>} */
const WINNERS = {
  TORYO: 'other',
  TSUMI: 'other',
  TIME_UP: 'other',
  KACHI: 'own',
  ILLEGAL_MOVE: 'other',
  ILLEGAL_ACTION: 'own',
  OUTE_SENNICHITE: 'other',
  OUTE_SENNICHITE_WIN: 'own',
};

/** The word for an end by the rules. @param {any} facts of a position where the game is over */
export function ruledWord({ end, repetition }) {
  if (end === 'repetition') return 'SENNICHITE';
  if (end === 'perpetual_check') return repetition?.kind === 'win' ? 'OUTE_SENNICHITE_WIN' : 'OUTE_SENNICHITE';
  return 'TSUMI';
}

/** How a game ended, and who won. @param {string} end in words of CSA @param {number} side to move */
export function endText(end, side) {
  const key = `end.${end.replace(/_WIN$/, '')}`;
  const text = t(key) === key ? end : t(key);
  const winner = WINNERS[end];
  if (!winner) return text;
  return `${text} · ${t('result.wins', { side: t(sideName(winner === 'own' ? side : opponent(side))) })}`;
}
