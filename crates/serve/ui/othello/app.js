// The state of the page: the game, what is known of its positions, and what everything else listens to.

import { PageApp } from '../common/page-app.js';
import { DEFAULTS, OWN } from './defaults.js';
import { GameTree } from './tree.js';
import { fromJson, toJson } from './tree-file.js';
import { BLACK, finalScore, flips, settlePass } from './rules.js';
import { lineFields } from './game-json.js';

/** @typedef {import('./tree.js').Node} Node */
/** @typedef {import('./rules.js').Position} Position */
/**
 * What changed: the game or its current node, hints, books, jobs, runs, or whether a move or an analysis is searched.
 * @typedef {'game' | 'hints' | 'book' | 'jobs' | 'runs' | 'engine'} Change
 */

const KEPT = 'othello.tree';
const KEPT_OWN = 'othello.tab';

/** @extends {PageApp<Change>} */
export class App extends PageApp {
  constructor() {
    super(DEFAULTS, OWN);
    this.tree = new GameTree();
    /** The square under the pointer or the focus, -1 for none. */
    this.hover = -1;
    /** A forced pass that the player has to confirm: the node at which it happened. @type {Node | null} */
    this.waitingPass = null;
    /** The position's names and stable discs, from the back end. @type {{id: number, fields: any} | null} */
    this.facts = null;
    this.keepTimer = 0;
    /** Searches that hints make way for: the engine's move, an analysis. @type {Set<string>} */
    this.searches = new Set();
    /** Lines of the log, the newest last. @type {string[]} */
    this.log = [];
  }

  /** @returns {Position} */
  get position() {
    return this.tree.current.position;
  }

  /** Whether an engine plays the side to move. */
  get engineTurn() {
    return Boolean(this.get(this.position.side === BLACK ? 'ai.black' : 'ai.white'));
  }

  /** The level of hints: their own, or that of the moves. */
  get hintLevel() {
    return this.get('hints.level') || this.get('ai.level');
  }

  /** Discs that the move under the pointer would turn. */
  hoverFlips() {
    return this.hover < 0 || this.waitingPass ? [] : flips(this.position.cells, this.position.side, this.hover);
  }

  /**
   * Plays a move of a person or an engine.
   * @param {number} square
   * @returns {boolean} whether it is legal
   */
  play(square) {
    if (this.waitingPass) return false;
    const before = this.tree.current;
    const node = this.tree.play(square);
    if (!node) return false;
    this.hover = -1;
    const passer = before.position.side === BLACK ? 'ai.white' : 'ai.black';
    if (node.passed && this.get('ai.pausePass') && !this.get(passer)) this.waitingPass = node;
    this.moved();
    return true;
  }

  confirmPass() {
    this.waitingPass = null;
    this.moved();
  }

  /** Goes somewhere in the tree. @param {(tree: GameTree) => void} step */
  walk(step) {
    const before = this.tree.current;
    step(this.tree);
    if (before === this.tree.current && !this.waitingPass) return;
    this.waitingPass = null;
    this.moved();
  }

  /** The current node or the tree is another one. */
  moved() {
    const { current, over } = this.tree;
    if (over) this.tree.evaluate(current, { v: finalScore(current.position.cells), level: 100, exact: true });
    this.changed('game');
    this.keep();
    this.askFacts();
  }

  /** Says that a search that hints make way for begins or ends. @param {string} name @param {boolean} running */
  searching(name, running) {
    if (running === this.searches.has(name)) return;
    if (running) this.searches.add(name);
    else this.searches.delete(name);
    this.changed('engine');
  }

  /** Begins another game. @param {GameTree} tree */
  load(tree) {
    this.tree = tree;
    this.waitingPass = null;
    this.moved();
  }

  /** A game that begins at a position. @param {Position} position */
  loadPosition(position) {
    this.load(new GameTree(settlePass(position).position));
  }

  /** Asks for what the page cannot know: openings and stable discs. */
  async askFacts() {
    if (!this.link.can('othello')) return;
    const { current } = this.tree;
    try {
      const fields = await this.link.ask('position', lineFields(this.tree));
      if (this.tree.current !== current) return;
      this.facts = { id: current.id, fields };
      this.changed('view');
    } catch (error) {
      if (/** @type {any} */ (error).event?.why === 'error')
        this.say(String(/** @type {Error} */ (error).message), 'error');
    }
  }

  /** What the back end said of the current position, where it has. */
  get currentFacts() {
    return this.facts?.id === this.tree.current.id ? this.facts.fields : null;
  }

  keep() {
    clearTimeout(this.keepTimer);
    this.keepTimer = setTimeout(() => {
      try {
        sessionStorage.setItem(KEPT, JSON.stringify(toJson(this.tree)));
      } catch {
        // A full store loses only the game over a reload.
      }
    }, 200);
  }

  /** The game and the tab's settings of before a reload. */
  restore() {
    Object.assign(this.settings.own, JSON.parse(sessionStorage.getItem(KEPT_OWN) ?? '{}'));
    this.settings.keepOwn = (own) => sessionStorage.setItem(KEPT_OWN, JSON.stringify(own));
    const kept = sessionStorage.getItem(KEPT);
    if (!kept) return;
    try {
      this.tree = fromJson(JSON.parse(kept));
    } catch {
      sessionStorage.removeItem(KEPT);
    }
  }

  /** @param {string} line */
  write(line) {
    this.log = [...this.log.slice(-299), line];
  }
}
