import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  HANDICAPS,
  START,
  flipped,
  flippedMove,
  parseSfen,
  sfenText,
  squareName,
  squareOf,
  startPosition,
} from './position.js';
import { apply, inCheck, isMate, legalMoves, moveText, parseMove, play } from './rules.js';

/** @typedef {import('./position.js').Position} Position */

const at = (/** @type {string} */ sfen) => /** @type {Position} */ (parseSfen(sfen));
const names = (/** @type {Position} */ position) => legalMoves(position).map(moveText).sort();

/** @param {Position} position @param {number} depth @returns {number} */
function perft(position, depth) {
  const moves = legalMoves(position);
  return depth === 1 ? moves.length : moves.reduce((sum, move) => sum + perft(apply(position, move), depth - 1), 0);
}

test('numbers of lines from the start are those of the rules', () => {
  assert.deepEqual(
    [1, 2, 3].map((depth) => perft(startPosition(), depth)),
    [30, 900, 25470],
  );
});

test('the position with the most moves has 593', () => {
  assert.equal(names(at('R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1')).length, 593);
});

test('SFEN goes in and out', () => {
  for (const [, sfen] of HANDICAPS) assert.equal(sfenText(at(sfen)), sfen);
  const middle = 'l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1';
  assert.equal(sfenText(at(middle)), 'l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1');
  assert.equal(sfenText(at('startpos')), START);
  for (const wrong of [
    '',
    '9/9',
    `${START.replace('9/', '8/')}`,
    START.replace(' b', ' x'),
    START.replace('k', '+k'),
    START.replace('-', 'K'),
  ])
    assert.equal(parseSfen(wrong), null, wrong);
});

test('squares have names', () => {
  for (let square = 0; square < 81; square++) assert.equal(squareOf(squareName(square)), square);
  assert.equal(squareOf('9a'), 0);
  assert.equal(squareOf('1i'), 80);
  assert.equal(squareOf('0a'), -1);
});

test('a pawn that is dropped may not mate', () => {
  // The king in the corner cannot move: two golds guard its squares, and nothing takes the pawn.
  const position = at('k8/9/1G7/9/9/9/9/9/4K4 b P 1');
  assert.ok(names(position).includes('P*9b'));
  const mates = at('kn7/9/1G7/9/9/9/9/9/4K4 b P 1');
  assert.ok(!names(mates).includes('P*9b'));
});

test('pieces that could not move on must promote, and none is dropped there', () => {
  const position = at('8k/P8/9/9/9/9/9/9/4K4 b NLP 1');
  const found = names(position);
  assert.ok(found.includes('9b9a+') && !found.includes('9b9a'));
  assert.ok(!found.some((move) => /^[LP]\*.a|^N\*.[ab]/.test(move)));
  assert.ok(!found.some((move) => move.startsWith('P*9')));
});

test('check has to be answered', () => {
  const position = at('4k4/9/9/9/4r4/9/9/9/4K4 b G 1');
  assert.ok(inCheck(position, 0));
  assert.ok(names(position).every((move) => move.startsWith('5i') || /^G\*5[fgh]$/.test(move)));
  assert.equal(play(position, 'G*1a'), null);
  assert.ok(isMate(at('4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1')));
});

test('captured pieces go to the hand as they were before', () => {
  const after = /** @type {Position} */ (play(at('4k4/9/9/4+p4/4R4/9/9/9/4K4 b - 1'), '5e5d'));
  assert.equal(sfenText(after), '4k4/9/9/4R4/9/9/9/9/4K4 w P 2');
});

test('positions and moves are turned by 180 degrees', () => {
  const position = /** @type {Position} */ (play(startPosition(), '7g7f'));
  const turned = flipped(position);
  assert.equal(sfenText(turned), sfenText(/** @type {Position} */ ({ ...turned })));
  assert.equal(sfenText(flipped(turned)), sfenText(position));
  assert.equal(flippedMove('7g7f'), '3c3d');
  assert.equal(flippedMove('P*5e'), 'P*5e');
  assert.deepEqual(names(turned), names(position).map(flippedMove).sort());
});

test('moves in USI', () => {
  for (const usi of ['7g7f', '8h2b+', 'P*5e']) assert.equal(moveText(/** @type {any} */ (parseMove(usi))), usi);
  for (const usi of ['', '7g', 'K*5e', '7g7f-', '0a1b']) assert.equal(parseMove(usi), null, usi);
});
