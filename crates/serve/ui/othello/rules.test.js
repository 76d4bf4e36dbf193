import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  BLACK,
  WHITE,
  count,
  finalScore,
  isOver,
  legalMoves,
  play,
  positionOf,
  settlePass,
  squareName,
  squareOf,
  stableDiscs,
  startPosition,
} from './rules.js';
import { bitboards, boardText, parseBitboards, parseBoard, parseTranscript } from './notation.js';
import { TRANSFORMS, moveCells } from './transforms.js';

/** @param {import('./rules.js').Position} position @param {number} depth @returns {number} */
function perft(position, depth) {
  if (depth === 0) return 1;
  const moves = legalMoves(position.cells, position.side);
  // A forced pass is played with the move before it, and counts as a move of its own in the known numbers.
  return moves.reduce((sum, move) => sum + perft(/** @type {any} */ (play(position, move)).position, depth - 1), 0);
}

test('numbers of lines from the start are those of the rules', () => {
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6].map((depth) => perft(startPosition(), depth)),
    [4, 12, 56, 244, 1396, 8200],
  );
});

test('the bitboards of the manual', () => {
  let position = startPosition();
  for (const move of /** @type {number[]} */ (parseTranscript('f5 D6c3d3 c4')))
    position = /** @type {any} */ (play(position, move)).position;
  assert.equal(bitboards(position, 'mover'), '0x0000100010100000\t0x000020380c000000');
  assert.equal(bitboards(position, 'black'), '0x000020380c000000\t0x0000100010100000');
  const read = parseBitboards('100010100000', '0x000020380C000000', 'mover', WHITE);
  assert.ok('position' in read);
  assert.equal(boardText(read.position), boardText(position));
  assert.deepEqual(parseBitboards('1', '1', 'mover', BLACK), { reason: 'overlap' });
  assert.deepEqual(parseBitboards('', 'x', 'mover', BLACK), { reason: 'bad_hex' });
});

test('the board text of the manual', () => {
  const text = '------------------XO------XXX------OXX-----O-------------------- O';
  const position = parseBoard(text);
  assert.ok(position);
  assert.equal(boardText(position), text);
  assert.equal(position.side, WHITE);
  assert.equal(parseBoard('too short'), null);
});

test('a forced pass is played with the move', () => {
  const cells = new Uint8Array(64);
  for (const name of ['a1', 'a8']) cells[squareOf(name)] = BLACK;
  for (const name of ['b1', 'b8']) cells[squareOf(name)] = WHITE;
  const before = positionOf(cells, BLACK);
  assert.deepEqual(legalMoves(cells, BLACK).map(squareName), ['c1', 'c8']);
  const first = play(before, squareOf('c1'));
  assert.equal(first?.passed, true);
  assert.equal(first?.position.side, BLACK);
  const second = first && play(first.position, squareOf('c8'));
  assert.equal(second?.passed, false);
  assert.equal(second && isOver(second.position), true);
  assert.equal(settlePass(positionOf(cells, WHITE)).position.side, BLACK);
});

test('empty squares go to the winner', () => {
  const cells = new Uint8Array(64);
  cells[0] = BLACK;
  assert.equal(finalScore(cells), 64);
  assert.deepEqual(count(cells), { black: 1, white: 0, empty: 63 });
});

test('discs along an edge from a corner are stable, others are not', () => {
  const cells = new Uint8Array(64);
  for (const name of ['a1', 'b1', 'c1', 'e4']) cells[squareOf(name)] = BLACK;
  cells[squareOf('d1')] = WHITE;
  const stable = stableDiscs(cells);
  assert.deepEqual(
    [...stable].flatMap((is, square) => (is ? [squareName(square)] : [])),
    ['a1', 'b1', 'c1'],
  );
});

test('each transform is a permutation, and the start keeps its discs under a half turn and both lines', () => {
  const { cells } = startPosition();
  const numbers = Uint8Array.from({ length: 64 }, (_, i) => i);
  for (const name of TRANSFORMS) assert.equal(new Set(moveCells(name, numbers)).size, 64);
  for (const name of /** @type {const} */ (['rotate180', 'blackLine', 'whiteLine']))
    assert.deepEqual(moveCells(name, cells), cells);
});
