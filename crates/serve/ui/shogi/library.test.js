// The library as the back end tells it, as its own tests wrote that down.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Library } from '../common/library.js';
import { fromGame } from './game-json.js';

const samples = JSON.parse(readFileSync(new URL('../shogi-library-samples.json', import.meta.url), 'utf8'));

/** A library whose back end answers as in the samples. */
function library() {
  /** @type {any[]} */
  const asked = [];
  const link = {
    can: () => true,
    on: () => {},
    ask: async (/** @type {string} */ op, /** @type {any} */ fields) => {
      asked.push({ op, ...fields });
      const sample = op === 'library.list' && fields.search ? 'library.search' : op;
      return samples[sample].events[0];
    },
  };
  const app = { link, changed: () => {}, say: () => {}, sayError: assert.ifError };
  return { asked, one: new Library(/** @type {any} */ (app), 'position') };
}

test('a search asks for what the back end understands', async () => {
  const { asked, one } = library();
  const { search } = samples['library.search'].request;
  const { position, ...texts } = search;
  Object.assign(one.search, texts, { here: position });
  await one.list();
  for (const name of Object.keys(asked[0].search)) assert.ok(name in search, name);
  assert.equal(asked[0].search.position, position);
});

test('a list has what the panel shows', async () => {
  const { one } = library();
  await one.list();
  assert.ok(one.games.length > 0 && one.folders.includes('many.sfen') && one.damagedTotal > 0);
  for (const entry of one.games) {
    for (const name of ['game', 'folder', 'date', 'black', 'white', 'event', 'opening', 'plies', 'end', 'winner'])
      assert.ok(name in entry, name);
    assert.equal(typeof entry.opening?.ja, 'string');
  }
  const { game } = await one.get(one.games[0]);
  const tree = fromGame(game);
  tree.last();
  assert.equal(tree.moves().length, one.games[0].plies);
});

test('a game that was replaced has the name that the answer tells', async () => {
  const { one } = library();
  const tree = {};
  one.source = { tree, folder: '', game: 'a.csa' };
  await one.replace({}, tree);
  assert.deepEqual(one.sourceOf(tree), { folder: 'best', game: samples['library.put'].events[0].game });
});
