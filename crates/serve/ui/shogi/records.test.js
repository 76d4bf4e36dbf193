import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromLine } from './game-json.js';
import { START } from './position.js';
import { continuation, fileFields } from './records.js';

test('files are sent as text where they are UTF-8, else as bytes', () => {
  assert.deepEqual(fileFields(new TextEncoder().encode('▲７六歩')), { text: '▲７六歩' });
  // 先手 in Shift_JIS.
  assert.deepEqual(fileFields(Uint8Array.of(0x90, 0xe6, 0x8e, 0xe8)), { bytes: 'kOaO6A==' });
});

test('moves go on where the game stands, or from the start if they begin as it does', () => {
  const tree = fromLine(undefined, ['7g7f']);
  tree.last();
  const here = 'lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2';
  assert.deepEqual(continuation(tree, { sfen: here, moves: ['3c3d'] }), ['3c3d']);
  assert.deepEqual(continuation(tree, { sfen: START, moves: ['7g7f', '8c8d'] }), ['8c8d']);
  assert.equal(continuation(tree, { sfen: START, moves: ['2g2f'] }), null);
});
