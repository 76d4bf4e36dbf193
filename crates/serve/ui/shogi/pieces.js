// Drawings of the pieces: a pentagon with one or two letters, or with a Latin letter and marks of how the piece moves. Pure: lists
// of SVG shapes around the point 0, 0, for a side that plays upwards.

import {
  BISHOP,
  GOLD,
  KING,
  KNIGHT,
  LANCE,
  PAWN,
  PROMOTED,
  ROOK,
  SILVER,
  WHITE,
  faceOf,
  isPromoted,
  kindOf,
  sideOf,
} from './position.js';
import { KANJI } from './glyphs/kanji.js';

/** A shape: name of the element and its attributes. @typedef {[string, Record<string, string | number>]} Shape */

export const SETS = ['one', 'two', 'letters'];

/** @type {Record<number, string>} */
const ONE = {
  [PAWN]: '歩',
  [LANCE]: '香',
  [KNIGHT]: '桂',
  [SILVER]: '銀',
  [GOLD]: '金',
  [BISHOP]: '角',
  [ROOK]: '飛',
  [KING]: '玉',
  [PAWN + PROMOTED]: 'と',
  [LANCE + PROMOTED]: '杏',
  [KNIGHT + PROMOTED]: '圭',
  [SILVER + PROMOTED]: '全',
  [BISHOP + PROMOTED]: '馬',
  [ROOK + PROMOTED]: '龍',
};

/** @type {Record<number, string>} */
const TWO = {
  [PAWN]: '歩兵',
  [LANCE]: '香車',
  [KNIGHT]: '桂馬',
  [SILVER]: '銀将',
  [GOLD]: '金将',
  [BISHOP]: '角行',
  [ROOK]: '飛車',
  [KING]: '玉将',
  [PAWN + PROMOTED]: 'と金',
  [LANCE + PROMOTED]: '成香',
  [KNIGHT + PROMOTED]: '成桂',
  [SILVER + PROMOTED]: '成銀',
  [BISHOP + PROMOTED]: '龍馬',
  [ROOK + PROMOTED]: '龍王',
};

/** Strokes of the Latin letters in a box of 40 x 48 around the point 0, 0. @type {Record<number, string>} */
const STROKES = {
  [PAWN]: 'M-13 24V-24H2A13 13 0 0 1 2 3H-13',
  [LANCE]: 'M-11 -24V24H14',
  [KNIGHT]: 'M-15 24V-24L15 24V-24',
  [SILVER]: 'M14 -16C10 -26-14 -28-14 -12C-14 2 15 -4 15 12C15 28-12 28-16 14',
  [GOLD]: 'M15 -14C10 -28-18 -30-18 0C-18 30 15 28 16 4H2',
  [BISHOP]: 'M-13 -24V24H4A12 12 0 0 0 4 -2H-13M4 -2A11 11 0 0 0 2 -24H-13',
  [ROOK]: 'M-13 24V-24H2A12 12 0 0 1 2 1H-13M0 1L15 24',
  [KING]: 'M-13 -24V24M15 -24L-13 4M-4 -4L16 24',
};

/** Marks of the moves: steps are dots, slides lines, towards these eight directions. @type {Record<number, {dots: string, lines: string}>} */
const MARKS = {
  [PAWN]: { dots: 'n', lines: '' },
  [LANCE]: { dots: '', lines: 'n' },
  [KNIGHT]: { dots: 'kj', lines: '' },
  [SILVER]: { dots: 'nqwzx', lines: '' },
  [GOLD]: { dots: 'nqwaes', lines: '' },
  [BISHOP]: { dots: '', lines: 'qwzx' },
  [ROOK]: { dots: '', lines: 'naes' },
  [KING]: { dots: 'nqwaeszx', lines: '' },
  [BISHOP + PROMOTED]: { dots: 'naes', lines: 'qwzx' },
  [ROOK + PROMOTED]: { dots: 'qwzx', lines: 'naes' },
};
for (const kind of [PAWN, LANCE, KNIGHT, SILVER]) MARKS[kind + PROMOTED] = MARKS[GOLD];

/** Directions by letter: n up, s down, a left, e right, q w the upper corners, z x the lower ones, k j the knight's. @type {Record<string, [number, number]>} */
const DIRECTIONS = {
  n: [0, -1],
  s: [0, 1],
  a: [-1, 0],
  e: [1, 0],
  q: [-0.82, -0.8],
  w: [0.82, -0.8],
  z: [-1, 0.92],
  x: [1, 0.92],
  k: [-0.45, -1],
  j: [0.45, -1],
};

/** Sizes of the pieces, the king being 1. @type {Record<number, number>} */
const SIZES = {
  [PAWN]: 0.86,
  [LANCE]: 0.9,
  [KNIGHT]: 0.9,
  [SILVER]: 0.94,
  [GOLD]: 0.94,
  [BISHOP]: 0.98,
  [ROOK]: 0.98,
  [KING]: 1,
};

const BODY = 'M0 -47L30 -36L42 45H-42L-30 -36Z';

/**
 * The shapes of a piece.
 * @param {number} piece @param {string} set one of `SETS`
 * @returns {{size: number, shapes: Shape[]}}
 */
export function pieceShapes(piece, set) {
  const face = faceOf(piece);
  const promoted = isPromoted(piece) ? ' promoted' : '';
  /** @type {Shape[]} */
  const shapes = [['path', { class: 'piece-body', d: BODY }]];
  if (set === 'letters') shapes.push(...latin(face, promoted));
  else if (set === 'two') shapes.push(...twoLetters(piece, promoted));
  else shapes.push(letter(kingly(ONE[face], piece), 0, 5, 0.062, 0.062, promoted));
  return { size: SIZES[kindOf(piece)], shapes };
}

/** The upper player's king is 王. @param {string} text @param {number} piece */
const kingly = (text, piece) => (sideOf(piece) === WHITE ? text.replace('玉', '王') : text);

/** @param {string} char @param {number} x @param {number} y @param {number} width @param {number} height @param {string} promoted @returns {Shape} */
const letter = (char, x, y, width, height, promoted) => [
  'path',
  {
    class: `piece-face${promoted}`,
    d: KANJI[char],
    transform: `matrix(${width} 0 0 ${height} ${x - 500 * width} ${y - 500 * height})`,
  },
];

/** @param {number} piece @param {string} promoted */
function twoLetters(piece, promoted) {
  const [above, below] = kingly(TWO[faceOf(piece)], piece);
  return [letter(above, 0, -14, 0.047, 0.04, promoted), letter(below, 0, 23, 0.051, 0.041, promoted)];
}

/** @param {number} face @param {string} promoted @returns {Shape[]} */
function latin(face, promoted) {
  const kind = face > KING ? face - PROMOTED : face;
  const { dots, lines } = MARKS[face];
  /** @param {string} name @param {number} radius */
  const at = (name, radius) => {
    const [x, y] = DIRECTIONS[name];
    return [x * radius * 0.78, y * radius + 5];
  };
  return [
    ['path', { class: `piece-stroke${promoted}`, d: STROKES[kind], transform: 'translate(0 5) scale(0.72)' }],
    ...[...dots].map((name) => {
      const [cx, cy] = at(name, 33);
      return /** @type {Shape} */ (['circle', { class: `piece-dot${promoted}`, cx, cy, r: 3.4 }]);
    }),
    ...[...lines].map((name) => {
      const [[x1, y1], [x2, y2]] = [at(name, 26), at(name, 38)];
      return /** @type {Shape} */ (['line', { class: `piece-line${promoted}`, x1, y1, x2, y2 }]);
    }),
  ];
}
