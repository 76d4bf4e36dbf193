import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byGroup, jobOptions } from './job-kinds.js';
import { merge } from './runs.js';
import { range, ticks } from './chart-scale.js';

const option = (/** @type {object} */ fields) =>
  /** @type {any} */ ({
    required: false,
    repeated: false,
    value: null,
    default: null,
    choices: [],
    help: '',
    heading: null,
    ...fields,
  });
const kind = (/** @type {any[]} */ options) => /** @type {any} */ ({ kind: 'a', group: 'book', options });

test('a form says only what is another than the default', () => {
  const all = kind([
    option({ name: 'inputs', takes: 'files', required: true }),
    option({ name: 'output', takes: 'new_file', required: true }),
    option({ name: 'by', takes: 'value', default: 'depth' }),
    option({ name: 'skip', takes: 'switch' }),
    option({ name: 'games', takes: 'lines' }),
    option({ name: 'set', takes: 'value', repeated: true }),
    option({ name: 'engine', takes: 'engine' }),
  ]);
  const file = { root: 'books', path: 'a.db' };
  assert.deepEqual(
    jobOptions(all, {
      inputs: [file],
      output: { root: 'books', path: '' },
      by: 'depth',
      games: ' a \n\n b',
      set: 'x=1\ny=2',
      skip: false,
    }),
    {
      options: { inputs: [file], games: ['a', 'b'], set: ['x=1', 'y=2'] },
      missing: ['output'],
    },
  );
  assert.deepEqual(
    jobOptions(all, { inputs: [file], output: file, by: 'first', skip: true, engine: 'embedded' }).options,
    {
      inputs: [file],
      output: file,
      by: 'first',
      skip: true,
      engine: 'embedded',
    },
  );
});

test('an opened book is no option', () => {
  assert.deepEqual(jobOptions(kind([option({ name: 'book', takes: 'book', required: true })]), {}), {
    options: {},
    missing: [],
  });
});

test('kinds come in groups', () => {
  const kinds = /** @type {any[]} */ ([
    { kind: 'a', group: 'book' },
    { kind: 'b', group: 'games' },
    { kind: 'c', group: 'book' },
  ]);
  assert.deepEqual(
    byGroup(kinds).map(([name, list]) => [name, list.map((one) => one.kind)]),
    [
      ['book', ['a', 'c']],
      ['games', ['b']],
    ],
  );
});

test('changes go into a list, what is new stands first', () => {
  const old = [
    { run: 'a', done: 1 },
    { run: 'b', done: 1 },
  ];
  assert.deepEqual(
    merge(
      old,
      [
        { run: 'b', done: 2 },
        { run: 'c', done: 0 },
      ],
      (one) => one.run,
    ),
    [
      { run: 'c', done: 0 },
      { run: 'a', done: 1 },
      { run: 'b', done: 2 },
    ],
  );
});

test('axes have round numbers', () => {
  assert.deepEqual(ticks(0, 100), [0, 20, 40, 60, 80, 100]);
  assert.deepEqual(ticks(-0.3, 0.3), [-0.2, 0, 0.2]);
  assert.deepEqual(range([]), [0, 1]);
  assert.deepEqual(range([4, 4]), [2, 6]);
});
