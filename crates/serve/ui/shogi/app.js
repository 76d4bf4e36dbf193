// The state of the page: the game, what is known of its positions, and what everything else listens to.

import { PageApp } from '../common/page-app.js';
import { language } from '../common/i18n.js';
import { DEFAULTS, OWN } from './defaults.js';
import { ruledWord } from './endings.js';
import { fromKept, toKept } from './game-json.js';
import { lineNames, moveName } from './notation.js';
import { sideName } from './position.js';
import { apply, isMate, parseMove } from './rules.js';
import { GameTree } from './tree.js';

/** @typedef {import('./tree.js').Node} Node */
/** @typedef {import('./position.js').Position} Position */
/**
 * What changed: the game or its current node, what engines think, books, jobs, runs, or whether a move or an analysis is searched.
 * @typedef {'game' | 'think' | 'book' | 'jobs' | 'runs' | 'engine'} Change
 */

const KEPT = 'shogi.tree';
const KEPT_OWN = 'shogi.tab';

/** @extends {PageApp<Change>} */
export class App extends PageApp {
  constructor() {
    super(DEFAULTS, OWN);
    this.tree = new GameTree();
    /** A line that is shown on the board instead of the current position. @type {{moves: string[], position: Position, last: string} | null} */
    this.preview = null;
    /** What the back end said of positions, by the id of the node. @type {Map<number, any>} */
    this.facts = new Map();
    /** The request for the facts. @type {import('../common/link.js').Stream | null} */
    this.factsStream = null;
    /** Arrows while the key for them is held. */
    this.heldArrows = false;
    this.keepTimer = 0;
    /** Games that made way for others, the last one at the end. @type {GameTree[]} */
    this.before = [];
    /** Searches that the research makes way for: the engine's move, an analysis. @type {Set<string>} */
    this.searches = new Set();
    /** Lines of the log, the newest last. @type {string[]} */
    this.log = [];
  }

  /** @returns {Position} */
  get position() {
    return this.tree.current.position;
  }

  /** How moves are named. @returns {import('./notation.js').Style} */
  get style() {
    return this.get('board.names') || (language() === 'en' || language().startsWith('x-') ? 'en' : 'ja');
  }

  /** The letters at the edge of the board: `ja`, `en` or `none`. */
  get coordinates() {
    const chosen = this.get('board.coordinates');
    return chosen === 'auto' ? (this.style === 'ja' ? 'ja' : 'en') : chosen;
  }

  /** The name of the move that led to a node. @param {Node} node */
  nameOf(node) {
    if (!node.parent) return '';
    const { style } = this;
    node.names[style] ??= moveName(node.parent.position, node.move, style, node.parent.move);
    return node.names[style];
  }

  /** The name of a move in the current position. @param {string} move */
  nameHere(move) {
    return moveName(this.position, move, this.style, this.tree.current.move);
  }

  /** Names of the moves of a line from a node on. @param {string[]} moves @param {Node} [node] */
  namesFrom(moves, node = this.tree.current) {
    return lineNames(node.position, moves, this.style, node.move);
  }

  /** The engine that plays a side, empty for a person. @param {number} side */
  engineOf(side) {
    return this.get(`play.${sideName(side)}`);
  }

  /** Whether an engine plays the side to move. */
  get engineTurn() {
    return Boolean(this.engineOf(this.position.side));
  }

  /** How the game ended at a node: by a word of its record, or by mate. @param {Node} node */
  endOf(node) {
    return node.end || this.ruledEnd(node);
  }

  /** How the rules ended the game at a node, empty where moves can be played on. @param {Node} [node] */
  ruledEnd(node = this.tree.current) {
    const facts = this.facts.get(node.id);
    if (facts?.state === 'over') return ruledWord(facts);
    return node.children.length === 0 && isMate(node.position) ? 'TSUMI' : '';
  }

  get over() {
    return this.endOf(this.tree.current);
  }

  /** Plays a move of a person or an engine. @param {string} move @returns {boolean} whether it is legal */
  play(move) {
    const node = this.tree.play(move);
    if (!node) return false;
    this.moved();
    return true;
  }

  /** Goes somewhere in the tree. @param {(tree: GameTree) => any} step */
  walk(step) {
    const before = this.tree.current;
    step(this.tree);
    if (before === this.tree.current && !this.preview) return;
    this.moved();
  }

  /** @param {Node} node */
  goTo(node) {
    this.walk((tree) => {
      tree.current = node;
    });
  }

  /** The current node or the tree is another one. */
  moved() {
    this.preview = null;
    this.changed('game');
    this.keep();
    this.askFacts();
  }

  /** Says that a search that the research makes way for begins or ends. @param {string} name @param {boolean} running */
  searching(name, running) {
    if (running === this.searches.has(name)) return;
    if (running) this.searches.add(name);
    else this.searches.delete(name);
    this.changed('engine');
  }

  /** Begins another game. @param {GameTree} tree */
  load(tree) {
    if (this.tree.root.children.length > 0) this.before = [...this.before.slice(-9), this.tree];
    this.tree = tree;
    this.moved();
  }

  /** Shows the game again that the current one took the place of. */
  goBack() {
    const tree = this.before.pop();
    if (!tree) return;
    this.tree = tree;
    this.moved();
  }

  /** Shows a line on the board without playing it; `null` ends that. @param {string[] | null} moves @param {Node} [node] */
  show(moves, node = this.tree.current) {
    let { position } = node;
    let last = node.move;
    for (const usi of moves ?? []) {
      const move = parseMove(usi);
      if (!move || (move.from >= 0 && !position.board[move.from])) break;
      position = apply(position, move);
      last = usi;
    }
    this.preview = moves && moves.length > 0 ? { moves, position, last } : null;
    this.changed('view');
  }

  /** Asks for what the page does not know itself: openings, repetitions, points. */
  async askFacts() {
    if (!this.link.can('shogi')) return;
    const { current } = this.tree;
    if (this.facts.has(current.id)) return;
    const replaces = this.factsStream ? { replaces: this.factsStream.id } : {};
    /** @type {any} */
    let answer = null;
    const stream = this.link.request('position', { ...this.tree.lineFields(), names: 'none', ...replaces }, (event) => {
      answer = event;
    });
    this.factsStream = stream;
    const end = await stream.done;
    if (this.factsStream === stream) this.factsStream = null;
    if (answer && end.why === 'finished') this.facts.set(current.id, answer);
    if (end.why === 'error' && this.tree.current === current) this.say(end.text ?? '', 'error');
    // Who plays or thinks must hear that the rules ended the game.
    this.changed(answer?.state === 'over' && this.tree.current === current ? 'game' : 'view');
  }

  /** What the back end said of the current position, where it has. */
  get currentFacts() {
    return this.facts.get(this.tree.current.id) ?? null;
  }

  keep() {
    clearTimeout(this.keepTimer);
    this.keepTimer = /** @type {any} */ (
      setTimeout(() => {
        try {
          sessionStorage.setItem(KEPT, JSON.stringify(toKept(this.tree)));
        } catch {
          // A full store loses only the game over a reload.
        }
      }, 200)
    );
  }

  /** The game and the tab's settings of before a reload. @returns {boolean} whether there was a game */
  restore() {
    Object.assign(this.settings.own, JSON.parse(sessionStorage.getItem(KEPT_OWN) ?? '{}'));
    this.settings.keepOwn = (own) => sessionStorage.setItem(KEPT_OWN, JSON.stringify(own));
    const kept = sessionStorage.getItem(KEPT);
    if (!kept) return false;
    try {
      this.tree = fromKept(JSON.parse(kept));
      return true;
    } catch {
      sessionStorage.removeItem(KEPT);
      return false;
    }
  }

  /** @param {string} line */
  write(line) {
    this.log = [...this.log.slice(-299), line];
  }
}
