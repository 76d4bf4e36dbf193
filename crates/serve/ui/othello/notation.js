// Plain texts of positions and lines: what the page itself copies and reads. The many formats of records are read by the
// back end (`import`).

import { BLACK, EMPTY, WHITE, positionOf, squareName, squareOf } from './rules.js';

/** @typedef {import('./rules.js').Position} Position */

/**
 * 64 characters from a1 to h8 (`X` black, `O` white, `-` empty), a blank and the side to move.
 * @param {Position} position
 */
export function boardText(position) {
  return Array.from(position.cells, (cell) => '-XO'[cell]).join('') + (position.side === BLACK ? ' X' : ' O');
}

/**
 * The position of a board text, or null. Any of `.-` empty, `XxBb0*` black, `OoWw1` white; blanks are left out.
 * @param {string} text
 * @returns {Position | null}
 */
export function parseBoard(text) {
  const marks = text.replace(/\s+/g, '');
  if (marks.length !== 65 || !/^[-.XxBb0*OoWw1]{64}[XxBb0*OoWw1]$/.test(marks)) return null;
  const cells = Array.from(marks, (mark) => ('.-'.includes(mark) ? EMPTY : 'XxBb0*'.includes(mark) ? BLACK : WHITE));
  const side = /** @type {number} */ (cells.pop());
  return positionOf(cells, side);
}

/**
 * @param {number[]} moves
 */
export const transcript = (moves) => moves.map(squareName).join('');

/**
 * The squares of `f5d6c3`, blanks and case left out; null if anything else is in the text.
 * @param {string} text
 * @returns {number[] | null}
 */
export function parseTranscript(text) {
  const plain = text.replace(/\s+/g, '');
  if (plain.length % 2 || !/^([a-h][1-8])*$/i.test(plain)) return null;
  return (plain.match(/../g) ?? []).map(squareOf);
}

/**
 * @param {Uint8Array} cells
 * @param {number} side
 */
export function bits(cells, side) {
  let value = 0n;
  for (const cell of cells) value = (value << 1n) | (cell === side ? 1n : 0n);
  return `0x${value.toString(16).padStart(16, '0')}`;
}

/**
 * Two bitboards in hexadecimal with a tab between them; the lowest bit is h8, the highest a1.
 * @param {Position} position
 * @param {'mover' | 'black'} first which side's discs come first
 */
export function bitboards(position, first) {
  const side = first === 'black' ? BLACK : position.side;
  return `${bits(position.cells, side)}\t${bits(position.cells, 3 - side)}`;
}

/**
 * The position of two bitboards; a reason where they are not numbers of 64 bits or overlap.
 * @param {string} first
 * @param {string} second
 * @param {'mover' | 'black'} order
 * @param {number} side the side to move
 * @returns {{position: Position} | {reason: 'bad_hex' | 'overlap'}}
 */
export function parseBitboards(first, second, order, side) {
  const numbers = [first, second].map((text) => {
    const digits = text.trim().replace(/^0x/i, '');
    return /^[0-9a-f]{1,16}$/i.test(digits) ? BigInt(`0x${digits}`) : null;
  });
  const [a, b] = numbers;
  if (a === null || b === null) return { reason: 'bad_hex' };
  if (a & b) return { reason: 'overlap' };
  const sideOfFirst = order === 'black' ? BLACK : side;
  const cells = new Uint8Array(64);
  for (let square = 0; square < 64; square++) {
    const mask = 1n << BigInt(63 - square);
    if (a & mask) cells[square] = sideOfFirst;
    else if (b & mask) cells[square] = sideOfFirst === BLACK ? WHITE : BLACK;
  }
  return { position: positionOf(cells, side) };
}
