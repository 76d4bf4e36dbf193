import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GRAPH, linePath, lossSums, plyToX, scaleTop, ticks, valueToY, xToPly } from './graph-geometry.js';
import { BLACK, WHITE } from './rules.js';

test('every ply is found again at its place, and places outside are the ends', () => {
  for (let ply = 0; ply <= 60; ply++) assert.equal(xToPly(plyToX(ply)), ply);
  assert.equal(xToPly(-100), 0);
  assert.equal(xToPly(10_000), 60);
});

test('the scale holds all values', () => {
  assert.equal(scaleTop([], 'value'), 8);
  assert.equal(scaleTop([3, -9], 'value'), 16);
  assert.equal(scaleTop([64], 'value'), 64);
  assert.equal(scaleTop([0], 'loss'), 10);
  assert.equal(scaleTop([35], 'loss'), 40);
  assert.equal(scaleTop([101], 'loss'), 200);
  assert.equal(scaleTop([0.3], 'time'), 1);
  assert.equal(scaleTop([61], 'time'), 120);
  assert.equal(scaleTop([3601], 'time'), 4000);
});

test('black is up, losses go down', () => {
  assert.equal(valueToY(8, 8, 'value'), GRAPH.top);
  assert.equal(valueToY(-8, 8, 'value'), GRAPH.height - GRAPH.bottom);
  assert.ok(valueToY(1, 8, 'value') < valueToY(0, 8, 'value'));
  assert.equal(valueToY(0, 10, 'loss'), GRAPH.top);
  assert.ok(valueToY(5, 10, 'loss') > valueToY(1, 10, 'loss'));
  assert.equal(valueToY(99, 8, 'value'), GRAPH.top);
  assert.equal(valueToY(0, 10, 'time'), GRAPH.height - GRAPH.bottom);
  assert.equal(valueToY(10, 10, 'time'), GRAPH.top);
  assert.deepEqual(ticks(8, 'value'), [8, 4, 0, -4, -8]);
});

test('a path begins with a move', () => {
  assert.equal(linePath([], 8, 'value'), '');
  assert.match(
    linePath(
      [
        { ply: 0, value: 0 },
        { ply: 1, value: 2 },
      ],
      8,
      'value',
    ),
    /^M[\d.]+ [\d.]+L[\d.]+ [\d.]+$/,
  );
});

test('sums of losses grow at the own moves only', () => {
  const moves = [
    { ply: 1, side: BLACK, loss: 2 },
    { ply: 2, side: WHITE, loss: 1 },
    { ply: 3, side: BLACK, loss: null },
    { ply: 4, side: WHITE, loss: 0 },
    { ply: 5, side: BLACK, loss: 4 },
  ];
  assert.deepEqual(
    lossSums(moves, BLACK).map((point) => point.value),
    [0, 2, 2, 2, 6],
  );
  assert.deepEqual(
    lossSums(moves, WHITE).map((point) => point.value),
    [0, 0, 1, 1, 1, 1],
  );
  assert.deepEqual(lossSums([], BLACK), []);
});
