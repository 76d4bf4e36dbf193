// What is drawn on one square, as a list of plain shapes. The board on the screen and the pictures are made of these.

import { sideName } from './rules.js';

/** A shape: its element, its attributes, and the text in it. @typedef {[string, Record<string, string | number>, string?]} Shape */

/**
 * A value to write on a square.
 * @typedef {object} CellValue
 * @property {string} text the value as it is written
 * @property {string} kind class of its colour: `best`, `other`, `plus`, `zero`, `minus`, `likely`
 * @property {boolean} best
 * @property {string} [below] small line under the value
 * @property {string} [foot] smaller line at the lower edge (book accuracy, level, lines)
 * @property {[string, string]} [umigame] numbers of black and white
 * @property {boolean} [exact]
 * @property {boolean} [simple] only the value, large
 */

/**
 * @typedef {object} Cell
 * @property {number} disc 0, 1 black, 2 white
 * @property {boolean} [legal]
 * @property {number} [next] colour of the disc that the game puts here next
 * @property {boolean} [nextAsSquare]
 * @property {boolean} [branch] a next move that is not the main one
 * @property {boolean} [last]
 * @property {boolean} [stable]
 * @property {boolean} [flipped] turned by the last move
 * @property {number} [ghost] colour of the disc that would be put here
 * @property {'flip' | 'good' | 'bad'} [wouldFlip]
 * @property {string} [order] number of the move
 * @property {CellValue} [value]
 * @property {number} [focus] from -1, white's advantage, to 1, black's
 * @property {string} [mark] mark of a picture: `square`, `star`, `circle`, `cross`, or a text
 */

/**
 * @param {Cell} cell
 * @returns {Shape[]}
 */
export function shapes(cell) {
  /** @type {Shape[]} */
  const out = [];
  if (cell.focus) out.push(focus(cell.focus));
  if (cell.disc) disc(out, cell);
  else empty(out, cell);
  if (cell.mark) mark(out, cell);
  return out;
}

/** @param {number} value @returns {Shape} */
const focus = (value) => [
  'rect',
  {
    class: `focus ${value > 0 ? 'black' : 'white'}`,
    x: 2,
    y: 2,
    width: 96,
    height: 96,
    'fill-opacity': (0.15 + 0.75 * Math.abs(value)).toFixed(2),
  },
];

/** @param {Shape[]} out @param {Cell} cell */
function disc(out, cell) {
  out.push(['circle', { class: `disc ${sideName(cell.disc)}`, cx: 50, cy: 50, r: 42 }]);
  if (cell.wouldFlip) out.push(['circle', { class: `would-flip ${cell.wouldFlip}`, cx: 50, cy: 50, r: 34 }]);
  if (cell.flipped) out.push(['circle', { class: 'flipped', cx: 50, cy: 50, r: 40 }]);
  if (cell.order) {
    out.push(['text', { class: `order on-${sideName(cell.disc)}`, x: 50, y: 64 }, cell.order]);
    if (cell.last) out.push(['circle', { class: 'last', cx: 50, cy: 18, r: 6 }]);
  } else if (cell.last) {
    out.push(['circle', { class: 'last', cx: 50, cy: 50, r: 9 }]);
  }
  if (cell.stable) {
    const y = cell.last || cell.order ? 78 : 50;
    out.push(['path', { class: 'stable', d: `M50 ${y - 10}L60 ${y}L50 ${y + 10}L40 ${y}Z` }]);
  }
}

/** @param {Shape[]} out @param {Cell} cell */
function empty(out, cell) {
  const { value } = cell;
  if (cell.ghost) out.push(['circle', { class: `disc ghost ${sideName(cell.ghost)}`, cx: 50, cy: 50, r: 42 }]);
  else if (cell.next && !cell.nextAsSquare) {
    out.push([
      'circle',
      { class: `disc next ${sideName(cell.next)}${cell.branch ? ' branch' : ''}`, cx: 50, cy: 50, r: 42 },
    ]);
  }
  if (cell.next && cell.nextAsSquare) {
    out.push([
      'rect',
      { class: `next-square${cell.branch ? ' branch' : ''}`, x: 6, y: 6, width: 88, height: 88, rx: 4 },
    ]);
  }
  if (!value) {
    if (cell.legal && !cell.ghost) out.push(['circle', { class: 'legal', cx: 50, cy: 50, r: 9 }]);
    return;
  }
  const over = cell.ghost || (cell.next && !cell.nextAsSquare) ? ` over-${sideName(cell.ghost || cell.next || 0)}` : '';
  const classes = `value ${value.kind}${value.best ? ' best-move' : ''}${over}`;
  if (value.simple) {
    out.push(['text', { class: `${classes} large`, x: 50, y: 66 }, value.text]);
    if (value.exact) out.push(['path', { class: `tick${over}`, d: 'M74 16l6 7l11 -14' }]);
    return;
  }
  const high = Boolean(value.foot || value.umigame);
  out.push(['text', { class: classes, x: 50, y: high ? 44 : 56 }, value.text]);
  if (value.below) out.push(['text', { class: `below${over}`, x: 50, y: high ? 65 : 79 }, value.below]);
  if (value.foot) out.push(['text', { class: `foot${over}`, x: 50, y: value.umigame ? 66 : 84 }, value.foot]);
  if (value.umigame) {
    out.push(['text', { class: 'umigame black', x: 46, y: 90 }, value.umigame[0]]);
    out.push(['text', { class: 'umigame white', x: 92, y: 90 }, value.umigame[1]]);
  }
}

/** @param {Shape[]} out @param {Cell} cell */
function mark(out, cell) {
  const on = cell.disc ? `on-${sideName(cell.disc)}` : 'on-board';
  const paths = {
    square: 'M34 34H66V66H34Z',
    star: 'M50 24L57 42L76 43L61 55L66 74L50 63L34 74L39 55L24 43L43 42Z',
    circle: 'M50 32a18 18 0 1 1 -0.1 0Z',
    cross: 'M34 34L66 66M66 34L34 66',
  };
  const path = /** @type {Record<string, string>} */ (paths)[String(cell.mark)];
  if (path) out.push(['path', { class: `mark ${cell.mark} ${on}`, d: path }]);
  else out.push(['text', { class: `mark-text ${on}`, x: 50, y: 65 }, cell.mark]);
}
