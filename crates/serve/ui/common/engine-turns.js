// Who plays: start and pause of a game between persons and engines, and the engines' moves.

/**
 * A page whose game engines take part in.
 * @typedef {import('./page-app.js').PageApp<any> & {
 *   tree: {current: any},
 *   engineTurn: boolean,
 *   searching: (name: string, running: boolean) => void,
 * }} GameApp
 */

/** @template {GameApp} A @template {{children: any[]}} N */
export class EngineTurns {
  /** @param {A} app */
  constructor(app) {
    this.app = app;
    /** Whether a game is being played: the clocks run and the engines answer. */
    this.started = false;
    /** @type {import('./link.js').Stream | null} */
    this.stream = null;
    /** The node at which an engine thinks. @type {N | null} */
    this.thinkingAt = null;
    /** An engine was asked for one move outside of a game. */
    this.oneMove = false;
    /** Node of the last turn. @type {N | null} */
    this.lastNode = null;
    app.onChange((/** @type {string} */ change) => {
      if (change === 'game') this.turn();
      if (change === 'settings') this.update();
    });
  }

  get thinking() {
    return this.stream !== null;
  }

  /** Goes on with a game that was paused, or was not begun yet. */
  start() {
    this.started = true;
    this.turn();
    this.app.changed('view');
  }

  pause() {
    this.started = false;
    this.stop();
    this.stopClocks();
    this.app.changed('view');
  }

  stop() {
    this.stream?.stop();
    this.stream = null;
    this.thinkingAt = null;
    this.oneMove = false;
    this.app.searching('move', false);
  }

  /** No clock runs any more. */
  stopClocks() {}

  /** Another position: the clock of the other side, and perhaps the engine's turn. */
  turn() {
    this.update();
  }

  /** Whether a move can be played in the current position, and there is time for it. */
  canMove() {
    return true;
  }

  /** What an engine is asked for its move. @returns {object} */
  question() {
    return {};
  }

  /** What the engine says while it thinks. @param {N} node @param {any} event */
  hear(node, event) {
    throw new Error(`${event.ev} at ${node} is not heard`);
  }

  /** Plays the engine's answer. @param {N} node @param {any} answer */
  take(node, answer) {
    throw new Error(`${answer} at ${node} is not played`);
  }

  /** Lets the engine think, or stops it, as the position and the settings ask. */
  update() {
    const { app } = this;
    const { current } = app.tree;
    const due =
      this.started && app.engineTurn && current.children.length === 0 && app.link.can('search') && this.canMove();
    if (due && this.thinkingAt !== current) this.think();
    else if (!due && this.thinkingAt && !this.oneMove) this.stop();
    else if (this.thinkingAt && this.thinkingAt !== current) this.stop();
  }

  /** Asks an engine for its move in the current position. @param {boolean} [oneMove] only for this one */
  async think(oneMove = false) {
    const { app } = this;
    const node = app.tree.current;
    this.stop();
    this.oneMove = oneMove;
    this.thinkingAt = node;
    app.searching('move', true);
    /** @type {any} */
    let answer = null;
    const stream = app.link.request('play', this.question(), (event) => {
      if (event.ev === 'play') answer = event;
      else if (this.thinkingAt === node) this.hear(node, event);
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
}
