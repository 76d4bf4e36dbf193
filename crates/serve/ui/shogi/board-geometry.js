// Where things lie on the drawing of the board, in its own units: a square is 100 wide and 108 high. Pure numbers.

import { BLACK, HAND_KINDS, opponent } from './position.js';

export const SQUARE = { width: 100, height: 108 };
export const FIELD = { width: 9 * SQUARE.width, height: 9 * SQUARE.height };

/**
 * Places that pieces can be on: squares 0 to 80, pieces in hand 100 + 10 * side + kind, the whole stand of a side 200 + side.
 * @typedef {number} Spot
 */

/** @param {number} side @param {number} kind @returns {Spot} */
export const handSpot = (side, kind) => 100 + 10 * side + kind;
/** @param {number} side @returns {Spot} */
export const standSpot = (side) => 200 + side;
/** @param {Spot} spot */
export const isSquare = (spot) => spot >= 0 && spot < 81;
/** @param {Spot} spot */
export const isHand = (spot) => spot >= 100 && spot < 120;
/** @param {Spot} spot */
export const handOf = (spot) => ({ side: Math.floor((spot - 100) / 10), kind: (spot - 100) % 10 });

/** How the stands lie: beside the board, or above and below it. @typedef {'sides' | 'rows'} Layout */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */

/** The part of the drawing that is shown. @type {Record<Layout, Box>} */
const VIEWS = {
  sides: { x: -222, y: -54, width: 1378, height: 1056 },
  rows: { x: -30, y: -186, width: 990, height: 1320 },
};

const SLOT = { sides: { width: 140, height: 102 }, rows: { width: 128, height: 112 } };

/** @param {Layout} layout */
export const viewBox = (layout) => {
  const { x, y, width, height } = VIEWS[layout];
  return `${x} ${y} ${width} ${height}`;
};

/** The layout that fits a place on the page. @param {number} width in pixels @returns {Layout} */
export const layoutFor = (width) => (width < 460 ? 'rows' : 'sides');

/** The square that is drawn at a place of the board, seen from a side, or the other way round. @param {number} square @param {boolean} flip */
export const turned = (square, flip) => (flip ? 80 - square : square);

/** The upper left corner of a square. @param {number} square @param {boolean} flip */
export function corner(square, flip) {
  const at = turned(square, flip);
  return { x: (at % 9) * SQUARE.width, y: Math.floor(at / 9) * SQUARE.height };
}

/** @param {number} square @param {boolean} flip */
export function centre(square, flip) {
  const { x, y } = corner(square, flip);
  return { x: x + SQUARE.width / 2, y: y + SQUARE.height / 2 };
}

/** Whether a side sits at the lower edge. @param {number} side @param {boolean} flip */
export const isNear = (side, flip) => (side === BLACK) !== flip;

/** The stand of a side. @param {Layout} layout @param {number} side @param {boolean} flip @returns {Box} */
export function stand(layout, side, flip) {
  const near = isNear(side, flip);
  const slot = SLOT[layout];
  if (layout === 'rows') return { x: 2, y: near ? FIELD.height + 28 : -176, width: 896, height: slot.height + 12 };
  const height = 7 * slot.height + 24;
  return near
    ? { x: FIELD.width + 60, y: FIELD.height - height + 16, width: slot.width + 44, height }
    : { x: -212, y: -40, width: slot.width + 36, height };
}

/** The place of a kind on a stand: the large pieces are farthest from the edge of the table. @param {Layout} layout @param {number} side @param {number} kind @param {boolean} flip @returns {Box} */
export function handSlot(layout, side, kind, flip) {
  const box = stand(layout, side, flip);
  const slot = SLOT[layout];
  const order = HAND_KINDS.indexOf(kind);
  const at = isNear(side, flip) ? order : 6 - order;
  return layout === 'rows'
    ? { x: box.x + at * slot.width, y: box.y + 6, width: slot.width, height: slot.height }
    : { x: box.x + 12, y: box.y + 12 + at * slot.height, width: box.width - 24, height: slot.height };
}

/** The middle of the piece on a slot, beside which its number stands. @param {Layout} layout @param {Box} slot */
export const slotCentre = (layout, slot) => ({
  x: slot.x + (layout === 'rows' ? 52 : 56),
  y: slot.y + slot.height / 2,
});

/** The middle of any spot. @param {Spot} spot @param {Layout} layout @param {boolean} flip */
export function spotCentre(spot, layout, flip) {
  if (isSquare(spot)) return centre(spot, flip);
  if (isHand(spot)) {
    const { side, kind } = handOf(spot);
    return slotCentre(layout, handSlot(layout, side, kind, flip));
  }
  const box = stand(layout, spot - 200, flip);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** What is at a point of the drawing: a square, a piece of a stand, a stand, or -1. @param {number} x @param {number} y @param {Layout} layout @param {boolean} flip @returns {Spot} */
export function spotAt(x, y, layout, flip) {
  if (x >= 0 && y >= 0 && x < FIELD.width && y < FIELD.height)
    return turned(Math.floor(y / SQUARE.height) * 9 + Math.floor(x / SQUARE.width), flip);
  for (const side of [BLACK, opponent(BLACK)]) {
    if (!inside(stand(layout, side, flip), x, y)) continue;
    const kind = HAND_KINDS.find((one) => inside(handSlot(layout, side, one, flip), x, y));
    return kind ? handSpot(side, kind) : standSpot(side);
  }
  return -1;
}

/** @param {Box} box @param {number} x @param {number} y */
const inside = (box, x, y) => x >= box.x && y >= box.y && x < box.x + box.width && y < box.y + box.height;

/** The outline of an arrow between two points, its tip a little before the end. @param {{x: number, y: number}} from @param {{x: number, y: number}} to @param {number} width */
export function arrowPath(from, to, width) {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  if (length < 1) return '';
  const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const head = Math.min(width * 2.6, length * 0.6);
  /** @param {number} along @param {number} across */
  const point = (along, across) =>
    `${(from.x + dx * along - dy * across).toFixed(1)} ${(from.y + dy * along + dx * across).toFixed(1)}`;
  const half = width / 2;
  const tip = length - 12;
  return `M${point(0, half * 0.5)}L${point(tip - head, half)}L${point(tip - head, width * 1.3)}L${point(tip, 0)}L${point(tip - head, -width * 1.3)}L${point(tip - head, -half)}L${point(0, -half * 0.5)}Z`;
}
