// Persons, engines and clocks of a game.

import { clockFields, flagFallen, limited, newClocks, thought, turnTo } from './clocks.js';
import { endText } from './endings.js';
import { opponent } from './position.js';
import { forBlack } from './tree.js';
import { EngineTurns } from '../common/engine-turns.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./tree.js').Node} Node */

/** @extends {EngineTurns<App, Node>} */
export class Players extends EngineTurns {
  /** @param {App} app */
  constructor(app) {
    super(app);
    this.clocks = newClocks({ main: 0, byoyomi: 0, increment: 0 });
    /** What the engine thinks. @type {((node: Node, event: any) => void) | null} */
    this.onThought = null;
  }

  /** Begins a game from the current position. @param {import('./clocks.js').Control} control */
  begin(control) {
    this.stop();
    this.clocks = newClocks(control);
    this.started = true;
    this.lastNode = this.app.tree.current;
    this.turn();
    this.app.changed('view');
  }

  stopClocks() {
    turnTo(this.clocks, null, performance.now());
  }

  turn() {
    const { app } = this;
    const now = performance.now();
    const { current } = app.tree;
    const walked = this.lastNode !== current;
    if (walked && current.parent === this.lastNode && this.started) {
      if (this.clocks.side !== null) current.time ??= thought(this.clocks, now);
    }
    this.lastNode = current;
    const runs = this.started && current.children.length === 0 && !app.over;
    turnTo(this.clocks, runs ? app.position.side : null, now);
    if (this.started && app.over) this.started = false;
    this.update();
  }

  canMove() {
    return !this.app.over;
  }

  /** One move by an engine for the side to move. */
  engineMove() {
    const { app } = this;
    if (!app.ruledEnd() && app.link.can('search')) this.think(true);
  }

  question() {
    const { app } = this;
    const timed = this.started && limited(this.clocks);
    return {
      ...app.tree.lineFields(),
      engine: app.engineOf(app.position.side) || app.get('research.engines')[0] || 'own',
      names: 'none',
      skill_level: app.get('play.skill'),
      book: app.get('play.useBook'),
      ...(timed ? { clock: clockFields(this.clocks, performance.now()) } : { time_ms: app.get('analysis.timeMs') }),
    };
  }

  /** @param {Node} node @param {any} event */
  hear(node, event) {
    if (event.ev === 'thought') this.onThought?.(node, event);
  }

  /** @param {Node} node @param {any} answer */
  take(node, answer) {
    const { app } = this;
    app.write(
      [answer.move ?? answer.answer, answer.from, answer.depth && `depth ${answer.depth}`, `${answer.ms ?? ''} ms`]
        .filter(Boolean)
        .join('  '),
    );
    if (answer.answer === 'resign') this.finish(node, 'TORYO');
    else if (answer.answer === 'win') this.finish(node, 'KACHI');
    else if (answer.move) {
      if (answer.score) app.tree.evaluate(node, forBlack(answer.score, node.position.side), answer.depth ?? 0);
      app.play(answer.move);
    }
  }

  /** Ends the game at a node. @param {Node} node @param {string} word of records */
  finish(node, word) {
    const { app } = this;
    this.stop();
    node.end = word;
    node.endTime = null;
    this.started = false;
    turnTo(this.clocks, null, performance.now());
    app.say(endText(word, node.position.side));
    app.moved();
  }

  /** The person to move gives up. */
  resign() {
    this.finish(this.app.tree.current, 'TORYO');
  }

  /** Called twice a second: ends a game whose time is up. */
  tick() {
    const { side } = this.clocks;
    if (this.started && side !== null && flagFallen(this.clocks, side, performance.now())) {
      // The engine keeps its own time: what the messages need is not held against it.
      if (!this.app.engineOf(side)) this.finish(this.app.tree.current, 'TIME_UP');
    }
  }

  /** Takes back the last move of the person, and the engine's answer with it. */
  takeBack() {
    const { app } = this;
    const engineMoved = app.engineOf(opponent(app.position.side)) && !app.engineOf(app.position.side);
    this.stop();
    app.walk((tree) => {
      tree.current.end = '';
      tree.undo();
      if (engineMoved) tree.undo();
    });
  }
}
