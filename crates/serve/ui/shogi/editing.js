// Changes of the position in the editor. Pure: each gives a new position.

import {
  BLACK,
  GOLD,
  KING,
  LETTERS,
  PROMOTED,
  SET,
  WHITE,
  canPromote,
  copyOf,
  emptyPosition,
  faceOf,
  isPromoted,
  kindOf,
  opponent,
  pieceOf,
  sideOf,
} from './position.js';
import { handOf, isHand, isSquare } from './board-geometry.js';

/** @typedef {import('./position.js').Position} Position */

/** How many pieces of each kind are neither on the board nor in a hand. @param {Position} position */
export function unused({ board, hands }) {
  const left = [...SET];
  for (const piece of board) if (piece) left[kindOf(piece)]--;
  for (const hand of hands) hand.forEach((count, kind) => (left[kind] -= count));
  return left;
}

/** @param {Position} position @param {number} square @param {number} piece 0 for none */
export function put(position, square, piece) {
  const next = copyOf(position);
  next.board[square] = piece;
  return next;
}

/** Carries a piece from a square or a stand to a square or a stand. @param {Position} position @param {number} from @param {number} to */
export function carry(position, from, to) {
  const next = copyOf(position);
  let piece = 0;
  if (isSquare(from)) {
    piece = next.board[from];
    next.board[from] = 0;
  } else if (isHand(from)) {
    const { side, kind } = handOf(from);
    if (next.hands[side][kind] === 0) return position;
    next.hands[side][kind]--;
    piece = pieceOf(kind, side);
  }
  if (!piece) return position;
  if (isSquare(to)) {
    next.board[to] = piece;
    return next;
  }
  // A king belongs on the board.
  if (kindOf(piece) === KING) return position;
  next.hands[to - 200][kindOf(piece)]++;
  return next;
}

/** The next state of a piece: promoted, then of the other side. @param {number} piece */
export function nextState(piece) {
  if (!piece) return 0;
  const [kind, side] = [kindOf(piece), sideOf(piece)];
  if (!isPromoted(piece) && canPromote(kind)) return piece + PROMOTED;
  return pieceOf(kind, opponent(side));
}

/** The other side of a piece: promoted or not, where it has one. @param {number} piece */
export function turnedOver(piece) {
  const face = faceOf(piece);
  if (face === GOLD || face === KING || !piece) return piece;
  return isPromoted(piece) ? piece - PROMOTED : piece + PROMOTED;
}

/** The piece that a key names: the letters of SFEN, small ones are white's. @param {string} key */
export function pieceOfKey(key) {
  const kind = LETTERS.indexOf(key.toUpperCase());
  if (kind < 1 || key.length !== 1) return 0;
  return pieceOf(kind, key === key.toUpperCase() ? BLACK : WHITE);
}

/** @param {Position} position @param {number} side @param {number} kind @param {number} count */
export function setHand(position, side, kind, count) {
  const next = copyOf(position);
  next.hands[side][kind] = Math.max(0, Math.min(SET[kind], Math.round(count) || 0));
  return next;
}

/** All that is unused goes to the stand of a side, kings excepted, as in mate problems. @param {Position} position @param {number} side */
export function restToHand(position, side) {
  const next = copyOf(position);
  unused(position).forEach((count, kind) => {
    if (kind > 0 && kind !== KING && count > 0) next.hands[side][kind] += count;
  });
  return next;
}

/** An empty board, its two kings left where they stood or put at their places. */
export function cleared() {
  const next = emptyPosition();
  next.board[4] = pieceOf(KING, WHITE);
  next.board[76] = pieceOf(KING, BLACK);
  return next;
}
