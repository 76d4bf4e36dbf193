import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Link, RequestError } from './link.js';

function opened() {
  const link = new Link();
  /** @type {any[]} */
  const sent = [];
  link.opened((text) => sent.push(JSON.parse(text)));
  link.receive('{"ev":"hello","proto":1,"build":"b","caps":["othello"]}');
  return { link, sent };
}

test('events go to their request and done ends it', async () => {
  const { link, sent } = opened();
  /** @type {any[]} */
  const events = [];
  const stream = link.request('hint', { level: 3 }, (event) => events.push(event));
  assert.deepEqual(sent, [{ id: stream.id, op: 'hint', level: 3 }]);
  link.receive(JSON.stringify({ id: stream.id, ev: 'hint', ms: 1 }));
  link.receive(JSON.stringify({ id: stream.id, ev: 'done', why: 'finished' }));
  assert.equal((await stream.done).why, 'finished');
  assert.equal(events.length, 1);
  assert.equal(link.open.size, 0);
});

test('an error becomes a RequestError with the text', async () => {
  const { link } = opened();
  const asked = link.ask('position', {});
  link.receive('{"id":1,"ev":"done","why":"error","text":"f5 is not legal"}');
  await assert.rejects(asked, (error) => error instanceof RequestError && error.message === 'f5 is not legal');
});

test('a lost connection ends requests but those that are kept, which are sent again', async () => {
  const { link, sent } = opened();
  const play = link.request('play');
  const hint = link.request('hint', {}, () => {}, { keep: true });
  link.closed();
  assert.equal((await play.done).why, 'lost');
  sent.length = 0;
  link.opened((text) => sent.push(JSON.parse(text)));
  link.receive('{"ev":"hello","caps":[]}');
  assert.deepEqual(sent, [{ id: hint.id, op: 'hint' }]);
});

test('broadcasts reach their listeners, capabilities are known', () => {
  const { link } = opened();
  let jobs = 0;
  link.on('job', () => jobs++);
  link.receive('{"ev":"job","job":3}');
  assert.equal(jobs, 1);
  assert.equal(link.can('othello'), true);
  assert.equal(link.can('books'), false);
});
