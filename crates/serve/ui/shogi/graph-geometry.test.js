import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GRAPH, areaPath, height, lastPly, linePath, plyToX, timeTop, toY, xToPly } from './graph-geometry.js';
import { clockFields, clockText, flagFallen, left, newClocks, shown, turnTo } from './clocks.js';

test('places and plies belong together', () => {
  for (const last of [20, 120, 256])
    for (let ply = 0; ply <= last; ply++) assert.equal(xToPly(plyToX(ply, last), last), ply);
  assert.equal(xToPly(-50, 120), 0);
  assert.equal(xToPly(9999, 120), 120);
  assert.deepEqual([lastPly(0), lastPly(20), lastPly(121)], [20, 20, 130]);
});

test('scores lie between both edges', () => {
  for (const scale of ['win', '1000', '3000']) {
    assert.equal(height({ cp: 0 }, scale), 0);
    assert.equal(height({ mate: 5 }, scale), 1);
    assert.equal(height({ mate: -5 }, scale), -1);
    assert.ok(height({ cp: 30000 }, scale) <= 1);
  }
  assert.equal(height({ cp: -500 }, '1000'), -0.5);
  assert.equal(toY(1), GRAPH.top);
  assert.equal(toY(-1), GRAPH.height - GRAPH.bottom);
  assert.equal(toY(0, 'base'), GRAPH.height - GRAPH.bottom);
});

test('paths begin and end where they should', () => {
  const points = [
    { ply: 0, value: 0 },
    { ply: 2, value: 1 },
  ];
  assert.match(linePath(points, 20), /^M46\.0 .*L/);
  assert.match(areaPath(points, 20), /^M.*Z$/);
  assert.equal(areaPath(points.slice(1), 20), '');
  assert.equal(timeTop([12]), 30);
  assert.equal(timeTop([9000]), 10800);
});

test('clocks count main time, then byoyomi, and add increments', () => {
  const clocks = newClocks({ main: 60_000, byoyomi: 10_000, increment: 0 });
  turnTo(clocks, 0, 0);
  assert.deepEqual(left(clocks, 0, 30_000), { main: 30_000, byoyomi: 10_000 });
  assert.deepEqual(left(clocks, 0, 65_000), { main: 0, byoyomi: 5_000 });
  assert.equal(flagFallen(clocks, 0, 69_999), false);
  assert.equal(flagFallen(clocks, 0, 70_000), true);
  turnTo(clocks, 1, 65_000);
  turnTo(clocks, 0, 66_000);
  assert.deepEqual(left(clocks, 0, 66_000), { main: 0, byoyomi: 10_000 });
  assert.equal(clockFields(clocks, 66_000).white_ms, 59_000);
  const fischer = newClocks({ main: 10_000, byoyomi: 0, increment: 5_000 });
  turnTo(fischer, 0, 0);
  turnTo(fischer, 1, 4_000);
  assert.deepEqual(left(fischer, 0, 9_000), { main: 16_000, byoyomi: 0 });
});

test('clocks that are held do not go on', () => {
  const clocks = newClocks({ main: 60_000, byoyomi: 0, increment: 0 });
  turnTo(clocks, 0, 0);
  turnTo(clocks, null, 10_000);
  assert.equal(shown(clocks, 0, 99_000), '0:50');
  turnTo(clocks, 0, 100_000);
  assert.equal(shown(clocks, 0, 105_000), '0:45');
  const none = newClocks({ main: 0, byoyomi: 0, increment: 0 });
  assert.equal(flagFallen(none, 0, 1e9), false);
  assert.equal(shown(none, 0, 0), '–');
  assert.equal(clockText(3_661_000), '1:01:01');
});
