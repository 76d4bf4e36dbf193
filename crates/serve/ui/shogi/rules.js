// How pieces move: legal moves, check, mate. Pure. The back end says the same and more (repetition, impasse); the page knows the
// moves itself so that a piece can be picked up without waiting.

import {
  BISHOP,
  BLACK,
  GOLD,
  KING,
  KNIGHT,
  LANCE,
  LETTERS,
  PAWN,
  PROMOTED,
  ROOK,
  SILVER,
  canPromote,
  copyOf,
  faceOf,
  kindOf,
  opponent,
  pieceOf,
  rankOf,
  sideOf,
  squareName,
  squareOf,
} from './position.js';

/** @typedef {import('./position.js').Position} Position */
/** A move in parts: `from` is -1 for a drop, then `drop` is the kind. @typedef {{from: number, to: number, drop: number, promote: boolean}} Move */

/** Steps for black as [column, rank]. */
const FORWARD = [[0, -1]];
const GOLD_STEPS = [
  [-1, -1],
  [0, -1],
  [1, -1],
  [-1, 0],
  [1, 0],
  [0, 1],
];
const DIAGONAL = [
  [-1, -1],
  [1, -1],
  [-1, 1],
  [1, 1],
];
const STRAIGHT = [
  [0, -1],
  [-1, 0],
  [1, 0],
  [0, 1],
];

/** @type {Record<number, {steps: number[][], slides: number[][]}>} by face */
const MOVES = {
  [PAWN]: { steps: FORWARD, slides: [] },
  [LANCE]: { steps: [], slides: FORWARD },
  [KNIGHT]: {
    steps: [
      [-1, -2],
      [1, -2],
    ],
    slides: [],
  },
  [SILVER]: { steps: [...DIAGONAL, ...FORWARD], slides: [] },
  [GOLD]: { steps: GOLD_STEPS, slides: [] },
  [BISHOP]: { steps: [], slides: DIAGONAL },
  [ROOK]: { steps: [], slides: STRAIGHT },
  [KING]: { steps: [...DIAGONAL, ...STRAIGHT], slides: [] },
  [BISHOP + PROMOTED]: { steps: STRAIGHT, slides: DIAGONAL },
  [ROOK + PROMOTED]: { steps: DIAGONAL, slides: STRAIGHT },
};
for (const kind of [PAWN, LANCE, KNIGHT, SILVER]) MOVES[kind + PROMOTED] = MOVES[GOLD];

/** The parts of a move in USI; `null` where the text is none. @param {string} usi @returns {Move | null} */
export function parseMove(usi) {
  const drop = /^([PLNSGBR])\*([1-9][a-i])$/.exec(usi);
  if (drop) return { from: -1, to: squareOf(drop[2]), drop: LETTERS.indexOf(drop[1]), promote: false };
  const walk = /^([1-9][a-i])([1-9][a-i])(\+?)$/.exec(usi);
  return walk && { from: squareOf(walk[1]), to: squareOf(walk[2]), drop: 0, promote: walk[3] === '+' };
}

/** @param {Move} move */
export const moveText = ({ from, to, drop, promote }) =>
  from < 0 ? `${LETTERS[drop]}*${squareName(to)}` : `${squareName(from)}${squareName(to)}${promote ? '+' : ''}`;

/** The squares that a piece on a square reaches, own pieces left out. @param {Int8Array} board @param {number} square @returns {number[]} */
export function reach(board, square) {
  const piece = board[square];
  const side = sideOf(piece);
  const sign = side === BLACK ? 1 : -1;
  const { steps, slides } = MOVES[faceOf(piece)];
  /** @type {number[]} */
  const found = [];
  const column = square % 9;
  const rank = rankOf(square);
  /** Takes a square in; says whether a slide goes on. @param {number} c @param {number} r */
  const take = (c, r) => {
    if (c < 0 || c > 8 || r < 0 || r > 8) return false;
    const other = board[r * 9 + c];
    if (other && sideOf(other) === side) return false;
    found.push(r * 9 + c);
    return !other;
  };
  for (const [dx, dy] of steps) take(column + dx * sign, rank + dy * sign);
  for (const [dx, dy] of slides) for (let n = 1; take(column + dx * sign * n, rank + dy * sign * n); n++);
  return found;
}

/** The square of a side's king, -1 for none. @param {Int8Array} board @param {number} side */
export const kingOf = (board, side) => board.indexOf(pieceOf(KING, side));

/** Whether the king of a side is attacked. @param {Position} position @param {number} side */
export function inCheck({ board }, side) {
  const king = kingOf(board, side);
  if (king < 0) return false;
  return board.some((piece, square) => piece !== 0 && sideOf(piece) !== side && reach(board, square).includes(king));
}

/** Ranks of a side's own view, 0 the farthest. @param {number} side @param {number} square */
const depthOf = (side, square) => (side === BLACK ? rankOf(square) : 8 - rankOf(square));

/** Whether a piece could never move again on a square. @param {number} kind @param {number} side @param {number} square */
export const isDead = (kind, side, square) =>
  depthOf(side, square) < (kind === KNIGHT ? 2 : kind === PAWN || kind === LANCE ? 1 : 0);

/** The position after a move that need not be legal. @param {Position} position @param {Move} move @returns {Position} */
export function apply(position, move) {
  const next = copyOf(position);
  const { board, hands, side } = next;
  if (move.from < 0) {
    board[move.to] = pieceOf(move.drop, side);
    if (hands[side][move.drop] > 0) hands[side][move.drop]--;
  } else {
    const taken = board[move.to];
    if (taken && kindOf(taken) !== KING) hands[side][kindOf(taken)]++;
    board[move.to] = board[move.from] + (move.promote ? PROMOTED : 0);
    board[move.from] = 0;
  }
  next.side = opponent(side);
  next.ply++;
  return next;
}

/** @param {Position} position @returns {Move[]} moves that may leave the king in check */
function candidates(position) {
  const { board, hands, side } = position;
  /** @type {Move[]} */
  const moves = [];
  for (let from = 0; from < 81; from++) {
    const piece = board[from];
    if (!piece || sideOf(piece) !== side) continue;
    const face = faceOf(piece);
    const promotable = face <= KING && canPromote(face);
    for (const to of reach(board, from)) {
      const zone = promotable && (depthOf(side, from) < 3 || depthOf(side, to) < 3);
      if (zone) moves.push({ from, to, drop: 0, promote: true });
      if (!promotable || !isDead(face, side, to)) moves.push({ from, to, drop: 0, promote: false });
    }
  }
  for (let kind = PAWN; kind <= ROOK; kind++) {
    if (hands[side][kind] === 0) continue;
    for (let to = 0; to < 81; to++) {
      if (board[to] || isDead(kind, side, to) || (kind === PAWN && hasPawn(board, side, to % 9))) continue;
      moves.push({ from: -1, to, drop: kind, promote: false });
    }
  }
  return moves;
}

/** @param {Int8Array} board @param {number} side @param {number} column */
function hasPawn(board, side, column) {
  const pawn = pieceOf(PAWN, side);
  for (let square = column; square < 81; square += 9) if (board[square] === pawn) return true;
  return false;
}

/** @param {Position} position @param {Move} move */
function leavesKing(position, move) {
  return !inCheck(apply(position, move), position.side);
}

/** The legal moves. @param {Position} position @returns {Move[]} */
export function legalMoves(position) {
  return candidates(position).filter((move) => leavesKing(position, move) && !matesByPawn(position, move));
}

/** The squares from which pieces of a face go to a square by a legal move. @param {Position} position @param {number} face @param {number} to @returns {number[]} */
export function sourcesOf(position, face, to) {
  const { board, side } = position;
  const piece = pieceOf(face, side);
  const found = [];
  for (let from = 0; from < 81; from++) {
    if (board[from] !== piece || !reach(board, from).includes(to)) continue;
    // Whether it promotes does not change whether the king is left in check.
    if (leavesKing(position, { from, to, drop: 0, promote: false })) found.push(from);
  }
  return found;
}

/** Whether a dropped pawn mates, which is forbidden. @param {Position} position @param {Move} move */
function matesByPawn(position, move) {
  if (move.drop !== PAWN) return false;
  const ahead = move.to + (position.side === BLACK ? -9 : 9);
  if (position.board[ahead] !== pieceOf(KING, opponent(position.side))) return false;
  return isMate(apply(position, move));
}

/** Whether the side to move is in check and cannot get out of it. @param {Position} position */
export const isMate = (position) =>
  inCheck(position, position.side) && !candidates(position).some((move) => leavesKing(position, move));

/** Plays a move in USI; `null` where it is not legal. @param {Position} position @param {string} usi @returns {Position | null} */
export function play(position, usi) {
  const move = parseMove(usi);
  if (!move) return null;
  const known = legalMoves(position).some(
    (other) =>
      other.from === move.from && other.to === move.to && other.drop === move.drop && other.promote === move.promote,
  );
  return known ? apply(position, move) : null;
}
