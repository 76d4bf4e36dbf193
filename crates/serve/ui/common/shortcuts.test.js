import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assign, functionOf, isTyping, keyName, merged, unassign } from './shortcuts.js';

const keys = (/** @type {object} */ event) =>
  keyName({ key: '', ctrlKey: false, altKey: false, shiftKey: false, metaKey: false, ...event });

test('keys have names', () => {
  assert.equal(keys({ key: 'n', ctrlKey: true }), 'Ctrl+N');
  assert.equal(keys({ key: 'n', metaKey: true }), 'Ctrl+N');
  assert.equal(keys({ key: 'ArrowLeft' }), 'Left');
  assert.equal(keys({ key: 'Home', shiftKey: true }), 'Shift+Home');
  assert.equal(keys({ key: '?', shiftKey: true }), '?');
  assert.equal(keys({ key: ' ' }), 'Space');
  assert.equal(keys({ key: '+', shiftKey: true }), 'Plus');
  assert.equal(keys({ key: 'A', shiftKey: true }), 'Shift+A');
  assert.equal(keys({ key: 'Shift', shiftKey: true }), '');
});

test('a key of another function is refused, an own one is kept once', () => {
  const defaults = { forward: ['Right', 'D'], analyze: ['A'] };
  assert.deepEqual(assign(defaults, {}, 'analyze', 'D'), { takenBy: 'forward' });
  assert.deepEqual(assign(defaults, {}, 'analyze', 'A'), { changes: { analyze: ['A'] } });
  const free = unassign(defaults, {}, 'forward', 'D');
  assert.deepEqual(free, { forward: ['Right'] });
  const given = assign(defaults, free, 'analyze', 'D');
  assert.ok('changes' in given);
  assert.equal(functionOf(merged(defaults, given.changes), 'D'), 'analyze');
});

test('a change takes a default key away from its function', () => {
  assert.deepEqual(merged({ a: ['X'], b: ['Y'] }, { b: ['X'] }), { a: [], b: ['X'] });
});

test('no shortcut while composing or in a field', () => {
  const field = { closest: (/** @type {string} */ what) => (what.includes('textarea') ? {} : null) };
  assert.equal(isTyping({ isComposing: true, target: null }), true);
  assert.equal(isTyping({ isComposing: false, keyCode: 229, target: null }), true);
  assert.equal(isTyping(/** @type {any} */ ({ isComposing: false, target: field })), true);
  assert.equal(isTyping({ isComposing: false, target: null }), false);
});
