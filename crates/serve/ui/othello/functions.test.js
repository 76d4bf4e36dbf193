import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { DEFAULTS, PROFILE_PREFIXES } from './defaults.js';
import { FUNCTIONS, KEY_SETS, MENUS } from './functions.js';
import { parseForced, pickByWeight } from './forced.js';
import { clockText, newClocks, shown, turnTo, used } from './clocks.js';
import { BLACK, WHITE } from './rules.js';

const languages = ['en', 'ja', 'zh-cn', 'zh-tw'].map((code) =>
  JSON.parse(readFileSync(new URL(`../lang/${code}.json`, import.meta.url), 'utf8')),
);

test('functions have unique ids, a menu and a text in every language', () => {
  assert.equal(new Set(FUNCTIONS.map((fn) => fn.id)).size, FUNCTIONS.length);
  for (const fn of FUNCTIONS) {
    assert.ok(MENUS.includes(fn.menu), fn.id);
    for (const words of languages) assert.ok(words[`fn.${fn.id}`], fn.id);
  }
});

test('no default key belongs to two functions', () => {
  for (const set of KEY_SETS) {
    const keys = FUNCTIONS.flatMap((fn) => (set === 'manual' ? (fn.manual ?? fn.keys) : fn.keys));
    assert.deepEqual(
      keys.filter((key, i) => keys.indexOf(key) !== i),
      [],
      set,
    );
  }
});

test('all languages have the same keys, and the same names in braces', () => {
  const [en, ...others] = languages;
  for (const words of others) {
    assert.deepEqual(Object.keys(words), Object.keys(en));
    for (const key of Object.keys(en)) {
      const names = (/** @type {string} */ text) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();
      assert.deepEqual(names(words[key]), names(en[key]), key);
    }
  }
});

test('profiles hold settings that exist, and the six buttons are functions', () => {
  for (const prefixes of Object.values(PROFILE_PREFIXES)) {
    for (const prefix of prefixes)
      assert.ok(
        Object.keys(DEFAULTS).some((name) => name.startsWith(prefix)),
        prefix,
      );
  }
  for (const id of DEFAULTS.buttons)
    assert.ok(
      FUNCTIONS.some((fn) => fn.id === id),
      id,
    );
});

test('forced openings are read line by line, wrong lines are named', () => {
  const { openings, errors } = parseForced('f5d6c3d3c4 2\n# remark\nf5 f6\nf5f5\nhello\nf5d6, 0.5');
  assert.deepEqual(openings, [
    { moves: ['f5', 'd6', 'c3', 'd3', 'c4'], weight: 2 },
    { moves: ['f5', 'f6'], weight: 1 },
    { moves: ['f5', 'd6'], weight: 0.5 },
  ]);
  assert.deepEqual(errors, [4, 5]);
  assert.equal(pickByWeight(openings, 0), openings[0]);
  assert.equal(pickByWeight(openings, 0.6), openings[1]);
  assert.equal(pickByWeight(openings, 0.99), openings[2]);
  assert.equal(pickByWeight([], 0.5), null);
});

test('the clock of the side to move runs', () => {
  const clocks = newClocks();
  turnTo(clocks, BLACK, 1000);
  turnTo(clocks, WHITE, 4000);
  assert.equal(used(clocks, BLACK, 9000), 3000);
  assert.equal(used(clocks, WHITE, 9000), 5000);
  turnTo(clocks, null, 10_000);
  assert.equal(used(clocks, WHITE, 99_000), 6000);
  assert.equal(shown(clocks, BLACK, 1, 99_000), '0:57');
  assert.equal(shown(clocks, BLACK, 0, 99_000), '0:03');
  assert.equal(clockText(61_000), '1:01');
});

test('the page loads each of its modules at once, the dialogs apart', () => {
  const page = readFileSync(new URL('index.html', import.meta.url), 'utf8');
  for (const folder of ['common', 'othello']) {
    for (const name of readdirSync(new URL(`../${folder}/`, import.meta.url))) {
      if (name.endsWith('.js') && !name.endsWith('.test.js') && !/^dialog(?!s\.js)/.test(name))
        assert.ok(page.includes(`"/${folder}/${name}"`), name);
    }
  }
});
