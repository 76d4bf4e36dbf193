// The rules of othello for the page: legal moves, flips, passes, stable discs. A move must reach the screen without a
// round trip, so the page applies it itself; everything that needs a search or a file is asked of the back end.
// Squares are numbers 0..63 in the order a1, b1, …, h8.

export const EMPTY = 0;
export const BLACK = 1;
export const WHITE = 2;

/**
 * A position. `ply` counts the discs put down since four discs were on the board, so 0..60.
 * @typedef {{cells: Uint8Array, side: number, ply: number}} Position
 */

const DIRECTIONS = [
  [-1, -1],
  [0, -1],
  [1, -1],
  [-1, 0],
  [1, 0],
  [-1, 1],
  [0, 1],
  [1, 1],
];

/** For each square the squares seen from it, one array per direction, nearest first; directions without any are left out. */
const RAYS = Array.from({ length: 64 }, (_, square) =>
  DIRECTIONS.map(([dx, dy]) => {
    const ray = [];
    for (let x = (square & 7) + dx, y = (square >> 3) + dy; x >= 0 && x < 8 && y >= 0 && y < 8; x += dx, y += dy) {
      ray.push(y * 8 + x);
    }
    return ray;
  }).filter((ray) => ray.length > 0),
);

/** @param {number} side */
export const opponent = (side) => 3 - side;

/** @param {number} side */
export const sideName = (side) => (side === BLACK ? 'black' : 'white');

/** @param {number} square */
export const squareName = (square) => 'abcdefgh'[square & 7] + ((square >> 3) + 1);

/**
 * The square of a name like `f5` or `F5`, or -1.
 * @param {string} name
 */
export function squareOf(name) {
  const match = /^([a-h])([1-8])$/i.exec(name);
  return match ? match[1].toLowerCase().charCodeAt(0) - 97 + (Number(match[2]) - 1) * 8 : -1;
}

/** The position at the start of a game. @returns {Position} */
export function startPosition() {
  const cells = new Uint8Array(64);
  cells[27] = WHITE;
  cells[36] = WHITE;
  cells[28] = BLACK;
  cells[35] = BLACK;
  return { cells, side: BLACK, ply: 0 };
}

/**
 * A position from discs and the side to move, with `ply` taken from the number of discs.
 * @param {ArrayLike<number>} cells
 * @param {number} side
 * @returns {Position}
 */
export function positionOf(cells, side) {
  const copy = Uint8Array.from(cells);
  return { cells: copy, side, ply: Math.max(0, copy.reduce((sum, cell) => sum + (cell ? 1 : 0), 0) - 4) };
}

/**
 * The squares that a disc of `side` on `square` flips; empty if the move is not legal.
 * @param {Uint8Array} cells
 * @param {number} side
 * @param {number} square
 * @returns {number[]}
 */
export function flips(cells, side, square) {
  /** @type {number[]} */
  const all = [];
  if (cells[square]) return all;
  const other = opponent(side);
  for (const ray of RAYS[square]) {
    let n = 0;
    while (n < ray.length && cells[ray[n]] === other) n++;
    if (n > 0 && n < ray.length && cells[ray[n]] === side) all.push(...ray.slice(0, n));
  }
  return all;
}

/**
 * The legal moves of `side` in the order of the squares.
 * @param {Uint8Array} cells
 * @param {number} side
 * @returns {number[]}
 */
export function legalMoves(cells, side) {
  const moves = [];
  for (let square = 0; square < 64; square++) {
    if (!cells[square] && flips(cells, side, square).length > 0) moves.push(square);
  }
  return moves;
}

/**
 * @param {Position} position
 */
export const isOver = (position) =>
  legalMoves(position.cells, position.side).length === 0 &&
  legalMoves(position.cells, opponent(position.side)).length === 0;

/**
 * The position with the turn handed over where the side to move has no move and the other has one.
 * @param {Position} position
 * @returns {{position: Position, passed: boolean}}
 */
export function settlePass(position) {
  const { cells, side, ply } = position;
  if (legalMoves(cells, side).length > 0 || legalMoves(cells, opponent(side)).length === 0)
    return { position, passed: false };
  return { position: { cells, side: opponent(side), ply }, passed: true };
}

/**
 * Plays a move; a forced pass of the opponent is played with it.
 * @param {Position} position
 * @param {number} square
 * @returns {{position: Position, flipped: number[], passed: boolean} | null} null if the move is not legal
 */
export function play(position, square) {
  const flipped = flips(position.cells, position.side, square);
  if (flipped.length === 0) return null;
  const cells = position.cells.slice();
  cells[square] = position.side;
  for (const s of flipped) cells[s] = position.side;
  const next = settlePass({ cells, side: opponent(position.side), ply: position.ply + 1 });
  return { position: next.position, flipped, passed: next.passed };
}

/**
 * @param {Uint8Array} cells
 * @returns {{black: number, white: number, empty: number}}
 */
export function count(cells) {
  let black = 0;
  let white = 0;
  for (const cell of cells) {
    if (cell === BLACK) black++;
    else if (cell === WHITE) white++;
  }
  return { black, white, empty: 64 - black - white };
}

/**
 * The result in discs from black's view, the empty squares given to the winner.
 * @param {Uint8Array} cells
 */
export function finalScore(cells) {
  const { black, white, empty } = count(cells);
  return black === white ? 0 : black > white ? black - white + empty : black - white - empty;
}

const AXES = [
  [1, 0],
  [0, 1],
  [1, 1],
  [1, -1],
];

/** The lines of the board with two squares or more, each with the number of its axis. */
const LINES = AXES.flatMap(([dx, dy], axis) => {
  const inside = (/** @type {number} */ x, /** @type {number} */ y) => x >= 0 && x < 8 && y >= 0 && y < 8;
  const lines = [];
  for (let square = 0; square < 64; square++) {
    let [x, y] = [square & 7, square >> 3];
    if (inside(x - dx, y - dy) || !inside(x + dx, y + dy)) continue;
    const squares = [];
    for (; inside(x, y); x += dx, y += dy) squares.push(y * 8 + x);
    lines.push({ axis, squares });
  }
  return lines;
});

/**
 * Discs that can surely not be flipped any more (not every such disc is found): in each of the four directions the line is
 * full, or the disc stands at its end, or beside a stable disc of its own colour.
 * @param {Uint8Array} cells
 * @returns {Uint8Array} 1 for each stable disc
 */
export function stableDiscs(cells) {
  const full = new Uint8Array(64);
  for (const { axis, squares } of LINES) {
    if (squares.every((square) => cells[square])) for (const square of squares) full[square] |= 1 << axis;
  }
  const stable = new Uint8Array(64);
  for (let changed = true; changed;) {
    changed = false;
    for (let square = 0; square < 64; square++) {
      if (!cells[square] || stable[square]) continue;
      const held = AXES.every(
        ([dx, dy], axis) => (full[square] >> axis) & 1 || safe(square, dx, dy) || safe(square, -dx, -dy),
      );
      if (held) {
        stable[square] = 1;
        changed = true;
      }
    }
  }
  return stable;

  /** @param {number} square @param {number} dx @param {number} dy */
  function safe(square, dx, dy) {
    const x = (square & 7) + dx;
    const y = (square >> 3) + dy;
    if (x < 0 || x > 7 || y < 0 || y > 7) return true;
    const next = y * 8 + x;
    return stable[next] === 1 && cells[next] === cells[square];
  }
}
