import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { DEFAULTS, OWN, PROFILE_PREFIXES } from './defaults.js';
import { FUNCTIONS, MENUS } from './functions.js';
import { HANDICAPS } from './position.js';

const read = (/** @type {string} */ name) => readFileSync(new URL(name, import.meta.url), 'utf8');
const own = ['en', 'ja', 'zh-cn', 'zh-tw'].map((code) => JSON.parse(read(`../lang/shogi/${code}.json`)));
const languages = ['en', 'ja', 'zh-cn', 'zh-tw'].map((code, i) => ({
  ...JSON.parse(read(`../lang/${code}.json`)),
  ...own[i],
}));

test('functions have unique ids, a menu and a text in every language', () => {
  assert.equal(new Set(FUNCTIONS.map((fn) => fn.id)).size, FUNCTIONS.length);
  for (const fn of FUNCTIONS) {
    assert.ok(MENUS.includes(fn.menu), fn.id);
    for (const words of languages) assert.ok(words[`fn.${fn.id}`], fn.id);
  }
  for (const menu of MENUS) for (const words of languages) assert.ok(words[`menu.${menu}`], menu);
});

test('no default key belongs to two functions', () => {
  const keys = FUNCTIONS.flatMap((fn) => fn.keys);
  assert.deepEqual(
    keys.filter((key, i) => keys.indexOf(key) !== i),
    [],
  );
});

test('all languages have the same keys, and the same names in braces', () => {
  const [en, ...others] = own;
  for (const words of others) {
    assert.deepEqual(Object.keys(words), Object.keys(en));
    for (const key of Object.keys(en)) {
      const names = (/** @type {string} */ text) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();
      assert.deepEqual(names(words[key]), names(en[key]), key);
    }
  }
});

test('every text that a module asks for exists', () => {
  const [en] = languages;
  for (const folder of ['common', 'shogi'])
    for (const name of readdirSync(new URL(`../${folder}/`, import.meta.url))) {
      if (!name.endsWith('.js') || name.endsWith('.test.js')) continue;
      for (const [, key] of read(`../${folder}/${name}`).matchAll(/\bt\(\s*'([^']+)'/g))
        assert.ok(key in en, `${name}: ${key}`);
    }
  HANDICAPS.forEach((_, i) => assert.ok(en[`handicap.${i}`]));
});

test('profiles and the settings of a tab name settings that exist, and the buttons are functions', () => {
  for (const prefix of Object.values(PROFILE_PREFIXES).flat())
    assert.ok(
      Object.keys(DEFAULTS).some((name) => name.startsWith(prefix)),
      prefix,
    );
  for (const name of OWN) assert.ok(name in DEFAULTS, name);
  for (const id of DEFAULTS.buttons)
    assert.ok(
      FUNCTIONS.some((fn) => fn.id === id),
      id,
    );
});

test('every setting that a module asks for exists', () => {
  for (const name of readdirSync(new URL('.', import.meta.url))) {
    if (!name.endsWith('.js') || name.endsWith('.test.js')) continue;
    for (const [, setting] of read(name).matchAll(/app\.get\('([^']+)'\)/g))
      assert.ok(setting in DEFAULTS, `${name}: ${setting}`);
    for (const [, setting] of read(name).matchAll(/(?:check|slider|select|numberRow)\(\s*actions,\s*'([^']+)'/g))
      assert.ok(setting in DEFAULTS, `${name}: ${setting}`);
  }
});

test('the page loads each of its modules at once, the dialogs apart', () => {
  const page = read('index.html');
  for (const folder of ['common', 'shogi', 'shogi/glyphs']) {
    for (const name of readdirSync(new URL(`../${folder}/`, import.meta.url))) {
      if (name.endsWith('.js') && !name.endsWith('.test.js') && !/^dialog(?!s\.js)/.test(name))
        assert.ok(page.includes(`"/${folder}/${name}"`), name);
    }
  }
});
