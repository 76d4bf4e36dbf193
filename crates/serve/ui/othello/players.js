// Persons, engines and clocks of a game.

import { BLACK, WHITE, sideName, squareOf } from './rules.js';
import { evaluation, lineFields } from './game-json.js';
import { newClocks, turnTo, used } from './clocks.js';
import { parseForced } from './forced.js';
import { EngineTurns } from '../common/engine-turns.js';
import { t } from '../common/i18n.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./tree.js').Node} Node */

/** @extends {EngineTurns<App, Node>} */
export class Players extends EngineTurns {
  /** @param {App} app */
  constructor(app) {
    super(app);
    this.clocks = newClocks();
    this.thoughtSince = 0;
    /** Takes what the engine knows of the moves while it thinks. @type {((node: Node, event: any) => void) | null} */
    this.onHint = null;
    /** Where the last move came from: `forced`, `book`, `search`. */
    this.lastFrom = '';
  }

  /** Whether the game waits for the start button. */
  get waiting() {
    const { app } = this;
    return !this.started && app.engineTurn && !app.tree.over && app.tree.current.children.length === 0;
  }

  stopClocks() {
    turnTo(this.clocks, null, performance.now());
  }

  resetClocks() {
    this.clocks = newClocks();
    this.turn();
    this.app.changed('view');
  }

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

  canMove() {
    const { app } = this;
    return !app.tree.over && !app.waitingPass && !this.flagFallen();
  }

  flagFallen() {
    const limit = this.app.get('clock.limit') * 60_000;
    return limit > 0 && [BLACK, WHITE].some((side) => used(this.clocks, side, performance.now()) >= limit);
  }

  /** One move by the engine for the side to move. */
  aiMove() {
    const { app } = this;
    if (!app.tree.over && !app.waitingPass && app.link.can('search')) this.think(true);
  }

  question() {
    const { app } = this;
    const losses = app.get('ai.losses');
    const forced = app.get('ai.forcedOn') ? parseForced(app.get('ai.forced')).openings : [];
    return {
      ...lineFields(app.tree),
      level: app.get('ai.level'),
      book: app.get('ai.book'),
      book_variation: app.get('ai.variation'),
      engine: app.get('ai.engine'),
      ...(losses.length > 0 ? { losses } : {}),
      ...(forced.length > 0 ? { forced } : {}),
    };
  }

  /** @param {Node} node @param {any} event */
  hear(node, event) {
    if (event.ev === 'hint' && this.app.get('hints.onAi')) this.onHint?.(node, event);
  }

  /** @param {Node} node @param {any} move */
  take(node, move) {
    const { app } = this;
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
