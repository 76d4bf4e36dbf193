import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Settings } from './settings.js';

test('changes lie over the defaults, and a default takes a change away', () => {
  const settings = new Settings({ level: 15, tab: 'moves' }, ['tab']);
  settings.set('level', 20);
  assert.equal(settings.get('level'), 20);
  assert.deepEqual(settings.changes, { level: 20 });
  settings.set('level', 15);
  assert.deepEqual(settings.changes, {});
  clearTimeout(settings.timer);
});

test('settings of a tab stay when others come from elsewhere', () => {
  const settings = new Settings({ level: 15, tab: 'moves' }, ['tab']);
  /** @type {string[]} */
  const heard = [];
  settings.onChange((name) => heard.push(name));
  settings.set('tab', 'graph');
  settings.replace({ level: 3, tab: 'book' }, { save: false });
  assert.equal(settings.get('tab'), 'graph');
  assert.equal(settings.get('level'), 3);
  assert.deepEqual(heard, ['tab', '*']);
  settings.replace('nonsense', { save: false });
  assert.equal(settings.get('level'), 15);
});
