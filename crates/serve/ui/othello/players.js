// Who plays: the engine's moves, start and pause, and the clocks.

import { BLACK, WHITE, sideName, squareOf } from './rules.js';
import { evaluation, lineFields } from './game-json.js';
import { newClocks, turnTo, used } from './clocks.js';
import { parseForced } from './forced.js';
import { t } from '../common/i18n.js';

/** @typedef {import('./app.js').App} App */

export class Players {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** Whether the game goes on: engines move, clocks run. */
    this.started = false;
    this.clocks = newClocks();
    /** @type {import('../common/link.js').Stream | null} */
    this.stream = null;
    /** The line that the engine thinks about. @type {import('./tree.js').Node | null} */
    this.thinkingAt = null;
    this.thoughtSince = 0;
    /** The node of the turn before. @type {import('./tree.js').Node | null} */
    this.lastNode = null;
    /** The engine was asked for this one move only. */
    this.oneMove = false;
    /** Takes what the engine knows of the moves while it thinks. @type {((node: import('./tree.js').Node, event: any) => void) | null} */
    this.onHint = null;
    /** Where the last move came from: `forced`, `book`, `search`. */
    this.lastFrom = '';
    app.onChange((change) => {
      if (change === 'game') this.turn();
      if (change === 'settings') this.update();
    });
  }

  get thinking() {
    return this.stream !== null;
  }

  /** Whether the game waits for the start button. */
  get waiting() {
    const { app } = this;
    return !this.started && app.engineTurn && !app.tree.over && app.tree.current.children.length === 0;
  }

  start() {
    this.started = true;
    this.turn();
    this.app.changed('view');
  }

  pause() {
    this.started = false;
    this.stop();
    turnTo(this.clocks, null, performance.now());
    this.app.changed('view');
  }

  stop() {
    this.stream?.stop();
    this.stream = null;
    this.thinkingAt = null;
    this.app.searching('move', false);
  }

  resetClocks() {
    this.clocks = newClocks();
    this.turn();
    this.app.changed('view');
  }

  /** Another position: the clock of the other side, and perhaps the engine's turn. */
  turn() {
    const { app } = this;
    const now = performance.now();
    const atEnd = app.tree.current.children.length === 0 && !app.tree.over;
    const { current } = app.tree;
    const walked = this.lastNode !== current;
    if (walked && current.parent === this.lastNode && this.thoughtSince && this.started)
      current.time ||= now - this.thoughtSince;
    if (walked) this.thoughtSince = now;
    this.lastNode = current;
    turnTo(this.clocks, this.started && atEnd && !app.waitingPass ? app.position.side : null, now);
    this.update();
  }

  /** Lets the engine think, or stops it, as the position and the settings ask. */
  update() {
    const { app } = this;
    const due =
      this.started &&
      app.engineTurn &&
      !app.tree.over &&
      !app.waitingPass &&
      app.tree.current.children.length === 0 &&
      app.link.can('search') &&
      !this.flagFallen();
    if (due && this.thinkingAt !== app.tree.current) this.think();
    else if (!due && this.thinkingAt && !this.oneMove) this.stop();
    else if (this.thinkingAt && this.thinkingAt !== app.tree.current) this.stop();
  }

  flagFallen() {
    const limit = this.app.get('clock.limit') * 60_000;
    return limit > 0 && [BLACK, WHITE].some((side) => used(this.clocks, side, performance.now()) >= limit);
  }

  /** One move by the engine for the side to move. */
  aiMove() {
    const { app } = this;
    if (app.tree.over || app.waitingPass || !app.link.can('search')) return;
    this.oneMove = true;
    this.think();
  }

  async think() {
    const { app } = this;
    const node = app.tree.current;
    this.stop();
    this.thinkingAt = node;
    app.searching('move', true);
    const losses = app.get('ai.losses');
    const forced = app.get('ai.forcedOn') ? parseForced(app.get('ai.forced')).openings : [];
    const fields = {
      ...lineFields(app.tree),
      level: app.get('ai.level'),
      book: app.get('ai.book'),
      book_variation: app.get('ai.variation'),
      engine: app.get('ai.engine'),
      ...(losses.length > 0 ? { losses } : {}),
      ...(forced.length > 0 ? { forced } : {}),
    };
    /** @type {any} */
    let move = null;
    const stream = app.link.request('play', fields, (event) => {
      if (event.ev === 'play') move = event;
      else if (event.ev === 'hint' && app.get('hints.onAi') && this.thinkingAt === node) this.onHint?.(node, event);
    });
    this.stream = stream;
    app.changed('view');
    const end = await stream.done;
    if (this.stream !== stream) return;
    this.stream = null;
    this.oneMove = false;
    if (end.why === 'error') {
      this.thinkingAt = null;
      this.started = false;
      app.say(end.text ?? '', 'error');
    } else if (end.why === 'lost') {
      this.thinkingAt = null;
    } else if (move && app.tree.current === node) {
      this.take(node, move);
    }
    // In a game of the engine against itself the next search runs already.
    if (!this.stream) app.searching('move', false);
    app.changed('view');
  }

  /** @param {import('./tree.js').Node} node @param {any} move */
  take(node, move) {
    const { app } = this;
    this.thinkingAt = null;
    this.lastFrom = move.from;
    const square = squareOf(move.move);
    app.write(
      `${move.move}  ${move.from}  ${move.v ?? ''}${move.depth ? `  depth ${move.depth}` : ''}  ${move.nodes ?? ''} n  ${move.ms ?? ''} ms`,
    );
    if (square < 0) return;
    if (typeof move.v === 'number')
      app.tree.evaluate(node, evaluation(move, sideName(node.position.side), app.get('ai.level')));
    app.play(square);
  }

  /** A new game. @param {boolean} black whether an engine plays black @param {boolean} white */
  newGame(black, white) {
    const { app } = this;
    this.stop();
    this.started = !black;
    this.clocks = newClocks();
    this.thoughtSince = performance.now();
    app.settings.set('ai.black', black);
    app.settings.set('ai.white', white);
    this.lastFrom = '';
  }

  /** Called once a second: ends a game whose time is up. */
  tick() {
    if (this.started && this.clocks.running && this.flagFallen()) {
      this.pause();
      this.app.say(t('clock.up'), 'error');
    }
  }
}
