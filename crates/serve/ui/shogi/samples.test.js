// What the back end says, as its own tests wrote it down, read by the page.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Analysis } from './analysis.js';
import { App } from './app.js';
import { Engines } from './engines.js';
import { fromGame, fromLine, toGame } from './game-json.js';
import { lineNames } from './notation.js';
import { parseSfen, startPosition } from './position.js';
import { legalMoves, moveText } from './rules.js';
import { scoreText } from './score-text.js';

const samples = JSON.parse(readFileSync(new URL('../shogi-samples.json', import.meta.url), 'utf8'));

/** @param {string} op @param {string} [ev] */
const events = (op, ev) => samples[op].events.filter((/** @type {any} */ event) => !ev || event.ev === ev);
const root = (/** @type {any} */ request) => (request.sfen ? parseSfen(request.sfen) : startPosition());

test('games that were read become trees and come back the same', () => {
  for (const op of ['import', 'opened'])
    for (const { items } of events(op))
      for (const item of items) {
        const tree = fromGame(item.game);
        tree.last();
        assert.deepEqual(tree.moves(), item.moves);
        const told = toGame(tree).nodes.map((/** @type {any} */ node) => [node.parent, node.move, node.end]);
        assert.deepEqual(
          told,
          item.game.nodes.map((/** @type {any} */ node) => [node.parent, node.move, node.end]),
        );
      }
});

test('names of moves are those of the back end', () => {
  for (const op of ['think', 'mate', 'play', 'position']) {
    const { request } = samples[op];
    const start = fromLine(request.sfen, request.moves ?? []);
    start.last();
    const last = start.current.move;
    for (const event of events(op)) {
      for (const line of [...(event.lines ?? []), event].filter((one) => one.names && one.pv))
        assert.deepEqual(lineNames(start.position, line.pv, 'ja', last), line.names);
      for (const { move, name } of event.legal ?? [])
        assert.deepEqual(lineNames(start.position, [move], 'ja', last), [name]);
    }
  }
});

test('legal moves are among those of the rules here', () => {
  for (const event of events('position', 'position')) {
    const position = /** @type {any} */ (parseSfen(event.sfen));
    const own = legalMoves(position).map(moveText);
    for (const { move } of event.legal) assert.ok(own.includes(move), move);
  }
});

test('an analysis of a game is taken move by move', () => {
  const app = new App();
  const { request } = samples.analyze;
  app.tree = fromGame({ sfen: request.game?.sfen ?? request.sfen, nodes: request.game?.nodes ?? [] });
  const analysis = new Analysis(app);
  const line = app.tree.mainLine();
  for (const event of events('analyze', 'analyzed')) analysis.take(line[event.index + 1], event);
  assert.equal(analysis.moves.length, events('analyze', 'analyzed').length);
  const [summary] = events('analyze', 'summary');
  for (const side of ['black', 'white'])
    for (const phase of summary[side].phases) assert.ok(['opening', 'middle', 'end'].includes(phase.phase));
  fromGame(summary.game);
});

test('engines are listed with their options, scores have a text', () => {
  const app = new App();
  const engines = new Engines(app);
  engines.take(events('engines')[0].engines);
  assert.deepEqual(engines.chosen, ['own']);
  for (const option of engines.list[0].options)
    assert.ok(['check', 'spin', 'combo', 'string', 'button'].includes(option.type), option.type);
  for (const line of events('think')[0].lines) assert.ok(scoreText(line.score));
});

test('every position of the samples is one', () => {
  for (const { request } of Object.values(samples)) if (request?.sfen) assert.ok(root(request));
});
