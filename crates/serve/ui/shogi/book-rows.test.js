import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bookRows, spread } from './book-rows.js';

const move = (
  /** @type {string} */ name,
  /** @type {number | null} */ score,
  /** @type {string | null} */ count = null,
) => /** @type {any} */ ({ move: name, score, depth: 10, count, loss: null });

const same = (/** @type {string} */ name) => name;
const none = () => null;

test('moves of several books share rows, and differences are marked', () => {
  const rows = bookRows(
    [
      [move('2g2f', 60), move('7g7f', 34)],
      [move('7g7f', 34), move('2g2f', 10), move('6i7h', 0)],
    ],
    'book',
    same,
    none,
  );
  assert.deepEqual(
    rows.map((row) => row.move),
    ['2g2f', '7g7f', '6i7h'],
  );
  assert.deepEqual(
    rows.map((row) => row.differs),
    [true, false, true],
  );
  assert.equal(spread(rows[0]), 50);
  assert.equal(spread(rows[2]), 0);
});

test('a book without the position makes no difference', () => {
  const [row] = bookRows([[move('2g2f', 60)], null], 'book', same, none);
  assert.equal(row.differs, false);
  assert.deepEqual(row.cells[1], null);
});

test('rows are sorted by a column, what is not known last', () => {
  const book = [move('a', null, '5'), move('b', 10, '30'), move('c', 20, null)];
  const sorted = (/** @type {string} */ sort) =>
    bookRows([book], sort, same, (name) => ({ a: 3, b: 7 })[name] ?? null)
      .map((row) => row.move)
      .join('');
  assert.equal(sorted('book'), 'abc');
  assert.equal(sorted('score'), 'cba');
  assert.equal(sorted('count'), 'bac');
  assert.equal(sorted('move'), 'abc');
  assert.equal(sorted('engine'), 'bac');
});
