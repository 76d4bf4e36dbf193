// Who plays: persons and engines, the clocks, and the engine's moves.

import { clockFields, flagFallen, limited, newClocks, thought, turnTo } from './clocks.js';
import { endText } from './endings.js';
import { opponent } from './position.js';
import { forBlack } from './tree.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./tree.js').Node} Node */

export class Players {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** Whether a game is being played: the clocks run and the engines answer. */
    this.started = false;
    this.clocks = newClocks({ main: 0, byoyomi: 0, increment: 0 });
    /** @type {import('../common/link.js').Stream | null} */
    this.stream = null;
    /** The node at which an engine thinks. @type {Node | null} */
    this.thinkingAt = null;
    /** One move of an engine outside of a game. */
    this.oneMove = false;
    /** Node of the last turn. @type {Node | null} */
    this.lastNode = null;
    /** What the engine thinks. @type {((node: Node, event: any) => void) | null} */
    this.onThought = null;
    app.onChange((change) => {
      if (change === 'game') this.turn();
      if (change === 'settings') this.update();
    });
  }

  get thinking() {
    return this.stream !== null;
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

  /** Goes on with a game that was paused. */
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
    this.oneMove = false;
    this.app.searching('move', false);
  }

  /** Another position: the clock of the other side, and perhaps the engine's turn. */
  turn() {
    const { app } = this;
    const now = performance.now();
    const { current } = app.tree;
    const walked = this.lastNode !== current;
    if (walked && current.parent === this.lastNode && this.started) {
      if (this.clocks.side !== null) current.time ||= thought(this.clocks, now);
    }
    this.lastNode = current;
    const runs = this.started && current.children.length === 0 && !app.over;
    turnTo(this.clocks, runs ? app.position.side : null, now);
    if (this.started && app.over) this.started = false;
    this.update();
  }

  /** Lets the engine think, or stops it, as the position and the settings ask. */
  update() {
    const { app } = this;
    const { current } = app.tree;
    const due = this.started && app.engineTurn && !app.over && current.children.length === 0 && app.link.can('search');
    if (due && this.thinkingAt !== current) this.think(app.engineOf(app.position.side));
    else if (!due && this.thinkingAt && !this.oneMove) this.stop();
    else if (this.thinkingAt && this.thinkingAt !== current) this.stop();
  }

  /** One move by an engine for the side to move. */
  engineMove() {
    const { app } = this;
    if (app.ruledEnd() || !app.link.can('search')) return;
    this.oneMove = true;
    this.think(app.engineOf(app.position.side) || app.get('research.engines')[0] || 'own');
  }

  /** @param {string} engine */
  async think(engine) {
    const { app } = this;
    const node = app.tree.current;
    const { oneMove } = this;
    this.stop();
    this.oneMove = oneMove;
    this.thinkingAt = node;
    app.searching('move', true);
    const timed = this.started && limited(this.clocks);
    const fields = {
      ...app.tree.lineFields(),
      engine,
      names: 'none',
      skill_level: app.get('play.skill'),
      book: app.get('play.useBook'),
      ...(timed ? { clock: clockFields(this.clocks, performance.now()) } : { time_ms: app.get('analysis.timeMs') }),
    };
    /** @type {any} */
    let answer = null;
    const stream = app.link.request('play', fields, (event) => {
      if (event.ev === 'play') answer = event;
      else if (event.ev === 'thought' && this.thinkingAt === node) this.onThought?.(node, event);
    });
    this.stream = stream;
    app.changed('view');
    const end = await stream.done;
    if (this.stream !== stream) return;
    this.stream = null;
    this.oneMove = false;
    this.thinkingAt = null;
    if (end.why === 'error') {
      this.started = false;
      app.say(end.text ?? '', 'error');
    } else if (answer && app.tree.current === node) this.take(node, answer);
    // In a game of engines the next search runs already.
    if (!this.stream) app.searching('move', false);
    app.changed('view');
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
