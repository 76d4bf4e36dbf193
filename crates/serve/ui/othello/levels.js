// What the levels of the engine search, and what the levels in files mean.

import { t } from '../common/i18n.js';

/** @typedef {{most_empties: number, least_empties: number, depth: number | null, prob: number, to_end: boolean, wld: boolean}} Band */
/** @typedef {{level: number, bands: Band[]}} Level */

/** The program whose levels these are: `own`, `egaroucid` or `edax`. */
let program = 'own';

/** Tables of what each level searches. @type {Level[]} */
let levels = [];

/** @param {string} of the program @param {Level[]} table */
export const setLevels = (of, table) => {
  program = of;
  levels = table;
};

/** What a level does, band by band. @param {number} level */
export const bandsOf = (level) => levels.find((other) => other.level === level)?.bands ?? [];

/** The depth and probability of a band in words. @param {Band} band */
export const bandText = (band) => {
  const text = `${band.to_end ? t('graph.toEnd') : t('graph.depth', { n: band.depth ?? '' })} ${band.prob}%`;
  return band.wld ? t('graph.wld', { text }) : text;
};

/** Who is about as strong as a level, in words; none where the levels are not our own. @param {number} level */
export const strengthOf = (level) => {
  if (program !== 'own') return '';
  const known = STRENGTHS.filter(([least]) => level >= least).pop();
  return known ? t(`strength.${known[1]}`) : '';
};

/** The least level of each strength. @type {[number, string][]} */
const STRENGTHS = [
  [1, 'beginner'],
  [7, 'casual'],
  [12, 'club'],
  [16, 'strong'],
  [19, 'master'],
  [23, 'beyond'],
];

/**
 * The level that a value has in books and games, whose levels are those of Egaroucid: a search of our own levels has the number of its
 * depth, which is what Egaroucid's mean in the midgame.
 * @param {number} level that it was searched with; 0: not to its end
 * @param {{depth?: number | null, exact?: boolean}} from
 */
export const levelInFiles = (level, from) => {
  if (program !== 'own' || level === 0) return level;
  return from.exact ? 60 : Math.min(60, from.depth || level);
};
