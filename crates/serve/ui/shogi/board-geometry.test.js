import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  FIELD,
  arrowPath,
  centre,
  handOf,
  handSlot,
  handSpot,
  layoutFor,
  spotAt,
  spotCentre,
  stand,
} from './board-geometry.js';
import { neighbour } from './board-keys.js';
import { HAND_KINDS, squareOf } from './position.js';
import { pieceShapes, SETS } from './pieces.js';

/** @type {import('./board-geometry.js').Layout[]} */
const LAYOUTS = ['sides', 'rows'];

test('the middle of every spot is that spot, however the board lies', () => {
  for (const layout of LAYOUTS)
    for (const flip of [false, true]) {
      for (let square = 0; square < 81; square++) {
        const { x, y } = centre(square, flip);
        assert.equal(spotAt(x, y, layout, flip), square);
      }
      for (const side of [0, 1])
        for (const kind of HAND_KINDS) {
          const spot = handSpot(side, kind);
          const { x, y } = spotCentre(spot, layout, flip);
          assert.equal(spotAt(x, y, layout, flip), spot);
          assert.deepEqual(handOf(spot), { side, kind });
        }
      assert.equal(spotAt(-9999, 0, layout, flip), -1);
    }
});

test('stands do not lie on the board, and black sits below unless the board is flipped', () => {
  for (const layout of LAYOUTS)
    for (const flip of [false, true])
      for (const side of [0, 1]) {
        const box = stand(layout, side, flip);
        const beside = box.x >= FIELD.width || box.x + box.width <= 0;
        const apart = box.y >= FIELD.height || box.y + box.height <= 0;
        assert.ok(beside || apart);
        const below = box.y + box.height / 2 > FIELD.height / 2;
        assert.equal(below, (side === 0) !== flip);
      }
  assert.equal(layoutFor(360), 'rows');
  assert.equal(layoutFor(800), 'sides');
});

test('slots of a stand lie apart and inside', () => {
  for (const layout of LAYOUTS) {
    const box = stand(layout, 0, false);
    const slots = HAND_KINDS.map((kind) => handSlot(layout, 0, kind, false));
    slots.forEach((slot, i) => {
      assert.ok(slot.x >= box.x && slot.x + slot.width <= box.x + box.width + 1);
      assert.ok(slot.y >= box.y && slot.y + slot.height <= box.y + box.height + 1);
      for (const other of slots.slice(i + 1))
        assert.ok(other.x >= slot.x + slot.width || other.y >= slot.y + slot.height);
    });
  }
});

test('arrow keys walk as the board is seen', () => {
  assert.equal(neighbour(squareOf('5e'), 'ArrowLeft', false), squareOf('6e'));
  assert.equal(neighbour(squareOf('5e'), 'ArrowLeft', true), squareOf('4e'));
  assert.equal(neighbour(squareOf('5a'), 'ArrowUp', false), squareOf('5a'));
  assert.equal(neighbour(squareOf('5e'), 'Home', false), squareOf('9e'));
  assert.equal(neighbour(squareOf('5e'), 'PageDown', true), squareOf('5a'));
  assert.equal(neighbour(squareOf('5e'), 'x', false), -1);
});

test('every piece has a drawing in every set', () => {
  for (const set of SETS)
    for (const face of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15])
      for (const side of [0, 16]) {
        const { size, shapes } = pieceShapes(face + side, set);
        assert.ok(size > 0.8 && size <= 1);
        assert.ok(shapes.length >= 2);
        for (const [, attributes] of shapes)
          for (const value of Object.values(attributes))
            assert.ok(value !== undefined && !/NaN|undefined/.test(String(value)));
      }
});

test('arrows have an outline', () => {
  assert.match(arrowPath({ x: 0, y: 0 }, { x: 0, y: 200 }, 20), /^M.*Z$/);
  assert.equal(arrowPath({ x: 5, y: 5 }, { x: 5, y: 5 }, 20), '');
});
