import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSfen, startPosition } from './position.js';
import { lineNames, moveName, squareJa } from './notation.js';

const at = (/** @type {string} */ sfen) => /** @type {any} */ (parseSfen(sfen));

test('the first moves have the names of records', () => {
  const moves = ['7g7f', '3c3d', '8h2b+', '3a2b', 'B*4e'];
  assert.deepEqual(lineNames(startPosition(), moves, 'ja'), ['▲７六歩', '△３四歩', '▲２二角成', '△同　銀', '▲４五角']);
  assert.deepEqual(lineNames(startPosition(), moves, 'en'), ['P-7f', 'P-3d', 'Bx2b+', 'Sx2b', 'B*4e']);
  assert.deepEqual(lineNames(startPosition(), moves, 'usi'), moves);
  assert.equal(squareJa(0), '９一');
});

/** Moves of the piece under test in a position with kings far away. @type {[string, string, string][]} */
const NAMES = [
  // Golds beside each other and straight below.
  ['4k4/9/9/9/9/9/9/3GGG3/4K4 b - 1', '5h5g', '▲５七金直'],
  ['4k4/9/9/9/9/9/9/3GGG3/4K4 b - 1', '6h5g', '▲５七金左'],
  ['4k4/9/9/9/9/9/9/3GGG3/4K4 b - 1', '4h5g', '▲５七金右'],
  // One comes up, one from the side.
  ['4k4/9/9/9/9/9/9/3G5/4G3K b - 1', '6h5h', '▲５八金寄'],
  ['4k4/9/9/9/9/9/9/3G5/4G3K b - 1', '5i5h', '▲５八金上'],
  // Two silvers on one side.
  ['4k4/9/9/9/3S5/9/3S5/9/8K b - 1', '6e5f', '▲５六銀引'],
  ['4k4/9/9/9/3S5/9/3S5/9/8K b - 1', '6g5f', '▲５六銀上'],
  // Dragons and horses have no 直.
  ['4k4/9/9/9/9/9/4+R4/9/5+R2K b - 1', '4i4h', '▲４八龍上'],
  ['4k4/9/9/9/9/9/9/K8/+R7+R b - 1', '9i5i', '▲５九龍左'],
  ['4k4/9/9/9/9/9/9/4+B4/3+B4K b - 1', '6i5i', '▲５九馬寄'],
  // White sees the board from the other side.
  ['4k4/3ggg3/9/9/9/9/9/9/4K4 w - 1', '6b5c', '△５三金右'],
  // A drop beside a move.
  ['4k4/9/9/9/9/9/9/3G5/8K b G 1', 'G*5h', '▲５八金打'],
  ['4k4/9/9/9/9/9/9/9/8K b G 1', 'G*5h', '▲５八金'],
  // Promotion declined.
  ['4k4/9/3S5/9/9/9/9/9/8K b - 1', '6c5b', '▲５二銀不成'],
  ['4k4/9/3+S5/9/9/9/9/9/8K b - 1', '6c5b', '▲５二成銀'],
];

test('pieces that reach the same square are told apart', () => {
  for (const [sfen, move, name] of NAMES) assert.equal(moveName(at(sfen), move, 'ja'), name, sfen);
});

test('English names say the square where pieces are to be told apart', () => {
  assert.equal(moveName(at('4k4/9/9/9/9/9/9/3GGG3/4K4 b - 1'), '6h5g', 'en'), 'G6h-5g');
  assert.equal(moveName(at('4k4/9/3S5/9/9/9/9/9/8K b - 1'), '6c5b', 'en'), 'S-5b=');
  assert.equal(moveName(at('4k4/9/3+S5/9/9/9/9/9/8K b - 1'), '6c5b', 'en'), '+S-5b');
});
