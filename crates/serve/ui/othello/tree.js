// The game as a tree of positions: one main line (the first children) and any number of branches. Pure data; no drawing,
// no messages.

import { MoveTree } from '../common/move-tree.js';
import { BLACK, isOver, play, startPosition } from './rules.js';
import { moveCells, moveSquare } from './transforms.js';

/** @typedef {import('./rules.js').Position} Position */
/** @typedef {import('./transforms.js').Transform} Transform */

/**
 * What is known of a position's value. `v` is in discs from black's view; `level` is the level it was searched with
 * (0 for a value of unknown source); `prob` is the probability in percent that the search assumed.
 * @typedef {{v: number, level: number, depth?: number, book?: boolean, exact?: boolean, prob?: number}} Evaluation
 */

/**
 * @typedef {object} Node
 * @property {number} id
 * @property {Node | null} parent
 * @property {number} move the square played to come here, -1 for the root
 * @property {Position} position
 * @property {boolean} passed whether the opponent's forced pass was played with the move
 * @property {Node[]} children the main line first
 * @property {string} comment
 * @property {Evaluation | null} eval
 * @property {number | null} loss discs that the move lost, as an analysis found
 * @property {number} time milliseconds thought for the move
 */

/** @typedef {{black: string, white: string, date: string, memo: string}} GameInfo */

/** Nodes of all trees have different numbers. */
let nextId = 1;

/** @extends {MoveTree<number, Node>} */
export class GameTree extends MoveTree {
  /** @param {Position} [root] */
  constructor(root = startPosition()) {
    super(newNode(null, -1, root, false));
    /** @type {GameInfo} */
    this.info = { black: '', white: '', date: '', memo: '' };
    /** Up to this ply the moves were made by chance. */
    this.randomUntil = 0;
  }

  get position() {
    return this.current.position;
  }

  get over() {
    return isOver(this.current.position);
  }

  /**
   * Plays from the current node: goes to the child of that move, made where it is missing.
   * @param {number} square
   * @returns {Node | null} null if the move is not legal
   */
  play(square) {
    const known = this.current.children.find((child) => child.move === square);
    if (known) return (this.current = known);
    const next = play(this.current.position, square);
    if (!next) return null;
    const node = newNode(this.current, square, next.position, next.passed);
    this.current.children.push(node);
    return (this.current = node);
  }

  /**
   * Goes to the node of that ply on the line through the current node, or to the line's nearest end.
   * @param {number} ply
   */
  goToPly(ply) {
    const line = this.line();
    this.current = line.reduce(
      (best, node) => (Math.abs(node.position.ply - ply) < Math.abs(best.position.ply - ply) ? node : best),
      line[0],
    );
  }

  /**
   * Keeps a value if it is worth more than the one that is there: book before search, deeper before shallower.
   * @param {Node} node @param {Evaluation} value
   * @returns {boolean} whether it was kept
   */
  evaluate(node, value) {
    if (node.eval && rank(node.eval) > rank(value)) return false;
    node.eval = value;
    return true;
  }

  /**
   * The discs each move of a line lost, from the values of the positions: null where a value is missing.
   * @param {Node[]} line
   * @returns {(number | null)[]} one per node; null for the first
   */
  static losses(line) {
    return line.map((node, i) => {
      if (node.loss !== null) return node.loss;
      const before = i > 0 ? line[i - 1].eval : null;
      if (!before || !node.eval) return null;
      const mover = line[i - 1].position.side === BLACK ? 1 : -1;
      return Math.max(0, (before.v - node.eval.v) * mover);
    });
  }

  /**
   * A game that begins at another position and goes on with the moves after a node, as far as they are legal there.
   * @param {Position} position @param {Node} [from]
   */
  followingFrom(position, from = this.current) {
    const tree = new GameTree(position);
    tree.info = { ...this.info };
    /** @type {[Node, Node][]} */
    const open = [[from, tree.root]];
    for (let pair = open.pop(); pair; pair = open.pop()) {
      const [old, copy] = pair;
      for (const child of old.children) {
        tree.current = copy;
        const next = tree.play(child.move);
        if (!next) continue;
        Object.assign(next, { comment: child.comment, time: child.time });
        open.push([child, next]);
      }
    }
    tree.current = tree.root;
    return tree;
  }

  /** The same tree with all squares moved. @param {Transform} name */
  transformed(name) {
    const tree = new GameTree(movePosition(this.root.position, name));
    tree.info = { ...this.info };
    tree.randomUntil = this.randomUntil;
    /** @type {[Node, Node][]} */
    const open = [[this.root, tree.root]];
    for (let pair = open.pop(); pair; pair = open.pop()) {
      const [old, copy] = pair;
      Object.assign(copy, { comment: old.comment, eval: old.eval, loss: old.loss, time: old.time });
      if (old === this.current) tree.current = copy;
      copy.children = old.children.map((child) =>
        newNode(copy, moveSquare(name, child.move), movePosition(child.position, name), child.passed),
      );
      copy.children.forEach((child, i) => open.push([old.children[i], child]));
    }
    return tree;
  }
}

/**
 * @param {Node | null} parent @param {number} move @param {Position} position @param {boolean} passed
 * @returns {Node}
 */
const newNode = (parent, move, position, passed) => ({
  id: nextId++,
  parent,
  move,
  position,
  passed,
  children: [],
  comment: '',
  eval: null,
  loss: null,
  time: 0,
});

/** @param {Position} position @param {Transform} name @returns {Position} */
function movePosition(position, name) {
  return { ...position, cells: moveCells(name, position.cells) };
}

/** @param {Evaluation} value */
const rank = (value) => (value.exact ? 1e6 : 0) + (value.book ? 1e4 : 0) + value.level * 100 + (value.depth ?? 0);
