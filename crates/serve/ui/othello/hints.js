// Values of the legal moves: asked for at each position, kept while they deepen, and passed on to the graph.

import { play, squareName, squareOf } from './rules.js';
import { boardText } from './notation.js';
import { evaluation, lineFields } from './game-json.js';

/** @typedef {import('./app.js').App} App */

/**
 * What is known of a move. @typedef {object} HintMove
 * @property {string} move
 * @property {number} v
 * @property {number | null} depth
 * @property {number | null} prob
 * @property {boolean} exact
 * @property {string[]} pv
 * @property {{level: number, leaf: boolean, games: {wins: number, draws: number, losses: number} | null} | null} book
 */

export class Hints {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {import('../common/link.js').Stream | null} */
    this.stream = null;
    this.key = '';
    this.bookKey = '';
    /** Counts the changes of books, so that they are asked anew. */
    this.bookRevision = 0;
    /** Hints while the key for it is held. */
    this.held = false;
    /** Stopped by the user for this position. */
    this.halted = false;
    /** @type {{node: number, side: string, moves: HintMove[], nodes: string, nps: string, ms: number, final: boolean} | null} */
    this.state = null;
    /** Umigame numbers by square, with the node they are for. @type {{node: number, numbers: Map<number, [string, string]>} | null} */
    this.umigame = null;
    /** Whose advantage each square is, for black, in discs. @type {{node: number, black: number[]} | null} */
    this.focus = null;
    /** The request for it. @type {import('../common/link.js').Stream | null} */
    this.focusStream = null;
    this.focusNode = 0;
    /** What the books say of the current position. @type {{node: number, books: any[]} | null} */
    this.book = null;
    /** The question to the books that is open. @type {import('../common/link.js').Stream | null} */
    this.bookStream = null;
    app.onChange((change) => {
      if (change === 'game') this.halted = false;
      if (change === 'game' || change === 'settings' || change === 'engine') this.update();
      if (change === 'book') this.askBook();
    });
  }

  /** The moves known for the current position. @returns {HintMove[]} */
  get moves() {
    const { state, app } = this;
    return state && state.node === app.tree.current.id ? state.moves : [];
  }

  get wanted() {
    const { app } = this;
    const shown = app.get('show.values') || this.held;
    const turn = !app.engineTurn || app.get('hints.onAi') || this.held || app.tree.current.children.length > 0;
    return (
      shown &&
      turn &&
      app.searches.size === 0 &&
      !this.halted &&
      !app.waitingPass &&
      !app.tree.over &&
      app.link.can('search')
    );
  }

  get running() {
    return this.stream !== null;
  }

  /** @param {boolean} held */
  hold(held) {
    if (this.held === held) return;
    this.held = held;
    this.update();
    this.app.changed('view');
  }

  /** Asks anew where the position or the settings are others. */
  update() {
    const { app } = this;
    this.askBook();
    this.askFocus();
    const fields = {
      ...lineFields(app.tree),
      level: app.hintLevel,
      lines: app.get('hints.number'),
      book: app.get('ai.book'),
      engine: app.get('ai.engine'),
    };
    const key = this.wanted ? JSON.stringify([fields, this.bookRevision]) : '';
    if (key === this.key) return;
    this.key = key;
    if (!key) {
      this.stream?.stop();
      this.stream = null;
      return;
    }
    const node = app.tree.current;
    const replaces = this.stream ? { replaces: this.stream.id } : {};
    const stream = app.link.request(
      'hint',
      { ...fields, ...replaces },
      (event) => {
        if (event.ev !== 'hint' || this.stream !== stream) return;
        this.take(node, event);
      },
      { keep: true },
    );
    this.stream = stream;
    stream.done.then((end) => {
      if (this.stream !== stream) return;
      this.stream = null;
      if (end.why === 'error') app.say(end.text ?? '', 'error');
      app.changed('view');
    });
  }

  /** @param {import('./tree.js').Node} node @param {any} event */
  take(node, event) {
    const { app } = this;
    this.state = { ...event, node: node.id };
    const best = event.moves[0];
    if (best) {
      const level = event.final ? app.hintLevel : 0;
      app.tree.evaluate(node, evaluation(best, event.side, level));
      if (event.final) {
        for (const child of node.children) {
          const move = event.moves.find((/** @type {HintMove} */ other) => squareOf(other.move) === child.move);
          if (move) app.tree.evaluate(child, evaluation(move, event.side, level));
        }
      }
      app.write(
        `${best.move} ${best.v > 0 ? '+' : ''}${best.v}  depth ${best.depth ?? 'book'}${best.prob && best.prob < 100 ? `@${best.prob}%` : ''}  ${event.nodes} n  ${event.nps} nps  ${best.pv.join('')}`,
      );
    }
    app.changed('hints');
  }

  halt() {
    this.halted = true;
    this.update();
  }

  resume() {
    this.halted = false;
    this.key = '';
    this.update();
  }

  /** Asks whose advantage each square is, where that is shown. */
  askFocus() {
    const { app } = this;
    const node = app.tree.current;
    if (!app.get('show.focus') || !app.link.can('search') || app.tree.over || this.focusNode === node.id) return;
    this.focusNode = node.id;
    const replaces = this.focusStream ? { replaces: this.focusStream.id } : {};
    const stream = app.link.request('focus', { ...lineFields(app.tree), ...replaces }, (event) => {
      if (event.ev === 'focus') this.focus = { node: node.id, black: event.black };
    });
    this.focusStream = stream;
    stream.done.then((end) => {
      if (this.focusStream === stream) this.focusStream = null;
      if (end.why !== 'finished' && this.focusNode === node.id) this.focusNode = 0;
      if (end.why === 'error') app.say(end.text ?? '', 'error');
      app.changed('hints');
    });
  }

  /** Asks the opened books for the position, and for the umigame numbers after each move where they are shown. */
  async askBook() {
    const { app } = this;
    if (!app.link.can('books')) return;
    const node = app.tree.current;
    const umigame = app.get('show.umigame');
    const key = `${node.id} ${umigame} ${app.get('umigame.depth')} ${this.bookRevision}`;
    if (key === this.bookKey) return;
    this.bookKey = key;
    const boards = [boardText(node.position)];
    // Values come at once; grades and umigame numbers look at all lines behind them.
    const books = await this.bookAt(key, { boards });
    if (!books) return;
    this.book = { node: node.id, books: books[0]?.books ?? [] };
    app.changed('view');
    if (this.book.books.length === 0) return;
    const graded = await this.bookAt(key, { boards, accuracy: true });
    if (!graded) return;
    this.book = { node: node.id, books: graded[0]?.books ?? [] };
    app.changed('view');
    if (umigame) await this.askUmigame(key, node);
  }

  /**
   * Asks the books, unless another question has come meanwhile.
   * @param {string} key @param {object} fields @returns {Promise<any[] | null>}
   */
  async bookAt(key, fields) {
    const { app } = this;
    const replaces = this.bookStream ? { replaces: this.bookStream.id } : {};
    /** @type {any} */
    let answer = null;
    const stream = app.link.request('book.at', { ...fields, ...replaces }, (event) => {
      answer = event;
    });
    this.bookStream = stream;
    const end = await stream.done;
    if (this.bookStream === stream) this.bookStream = null;
    if (this.bookKey !== key) return null;
    if (end.why === 'finished') return answer?.positions ?? [];
    this.bookKey = '';
    if (end.why === 'error') app.say(end.text ?? '', 'error');
    return null;
  }

  /** @param {string} key @param {import('./tree.js').Node} node */
  async askUmigame(key, node) {
    const { app } = this;
    const known = (this.book?.books ?? []).flatMap((book) => book.moves ?? []);
    const moves = [...new Set(known.map((move) => squareOf(move.move)))].filter((square) => square >= 0);
    const boards = moves.map((move) => boardText(/** @type {any} */ (play(node.position, move)).position));
    if (boards.length === 0) return;
    const positions = await this.bookAt(key, { boards, umigame: app.get('umigame.depth') });
    if (!positions) return;
    /** @type {Map<number, [string, string]>} */
    const numbers = new Map();
    moves.forEach((move, i) => {
      const found = positions[i]?.books?.find((/** @type {any} */ book) => book.umigame);
      if (found) numbers.set(move, [short(found.umigame.black), short(found.umigame.white)]);
    });
    this.umigame = { node: node.id, numbers };
    app.changed('view');
  }

  /** The books have changed. */
  bookChanged() {
    this.bookRevision++;
    this.update();
    this.app.changed('book');
  }

  /** What the first book with the position says of a move. @param {number} square */
  bookMove(square) {
    if (this.book?.node !== this.app.tree.current.id) return null;
    const name = squareName(square);
    for (const book of this.book.books) {
      const found = book.moves?.find((/** @type {any} */ move) => move.move === name);
      if (found) return found;
    }
    return null;
  }
}

/**
 * A number of at most four characters: thousands as K, millions as M.
 * @param {number | string} value
 */
export function short(value) {
  const n = Number(value);
  if (n >= 10_000_000) return `${Math.round(n / 1e6)}M`;
  if (n >= 1_000_000) return `${(n / 1e6).toFixed(1)}M`;
  if (n >= 10_000) return `${Math.round(n / 1000)}K`;
  if (n >= 1000) return `${(n / 1000).toFixed(1)}K`;
  return String(value);
}
