import assert from 'node:assert/strict';
import { test } from 'node:test';
import { carry, cleared, nextState, pieceOfKey, put, restToHand, setHand, turnedOver, unused } from './editing.js';
import { handSpot, standSpot } from './board-geometry.js';
import { KING, PAWN, emptyPosition, pieceOf, sfenText, squareOf, startPosition } from './position.js';

test('pieces are carried between squares and stands', () => {
  let position = carry(startPosition(), squareOf('8h'), standSpot(1));
  assert.equal(position.hands[1][6], 1);
  position = carry(position, handSpot(1, 6), squareOf('5e'));
  assert.equal(sfenText(position), 'lnsgkgsnl/1r5b1/ppppppppp/9/4b4/9/PPPPPPPPP/7R1/LNSGKGSNL b - 1');
  assert.equal(carry(position, squareOf('5d'), squareOf('5c')), position);
  assert.equal(carry(position, squareOf('5i'), standSpot(0)), position);
});

test('a promoted piece is turned back on a stand', () => {
  const position = carry(put(emptyPosition(), 0, pieceOf(PAWN + 8, 1)), 0, standSpot(0));
  assert.equal(position.hands[0][PAWN], 1);
});

test('a piece goes through its states', () => {
  const states = [1];
  for (let i = 0; i < 4; i++) states.push(nextState(states[states.length - 1]));
  assert.deepEqual(states, [1, 9, 17, 25, 1]);
  assert.equal(nextState(5), 21);
  assert.equal(turnedOver(1), 9);
  assert.equal(turnedOver(25), 17);
  assert.equal(turnedOver(5), 5);
  assert.deepEqual([pieceOfKey('P'), pieceOfKey('k'), pieceOfKey('x'), pieceOfKey('Enter')], [1, 24, 0, 0]);
});

test('what is unused is counted and goes to a hand', () => {
  assert.deepEqual(unused(startPosition()), [0, 0, 0, 0, 0, 0, 0, 0, 0]);
  const position = restToHand(cleared(), 1);
  assert.equal(sfenText(position), '4k4/9/9/9/9/9/9/9/4K4 b 2r2b4g4s4n4l18p 1');
  assert.equal(unused(position)[KING], 0);
  assert.equal(setHand(position, 1, PAWN, 99).hands[1][PAWN], 18);
  assert.equal(setHand(position, 1, PAWN, -1).hands[1][PAWN], 0);
});
