// The game as a tree of positions: one main line (the first children) and any number of branches. Pure data; no drawing,
// no messages.

import { MoveTree } from '../common/move-tree.js';
import { BLACK, START, parseSfen, sfenKey, sfenText, startPosition } from './position.js';
import { apply, parseMove, play } from './rules.js';

/** @typedef {import('./position.js').Position} Position */
/** A score of the messages, one of both; `unknown`: only the sign of `mate` says something. @typedef {{cp?: number, mate?: number, unknown?: boolean}} Score */

/**
 * @typedef {object} Node
 * @property {number} id
 * @property {Node | null} parent
 * @property {string} move in USI, empty for the root
 * @property {Position} position
 * @property {Node[]} children the main line first
 * @property {string} comment
 * @property {Score | null} score for black
 * @property {number} depth of the search that made the score, 0 where it is not known
 * @property {number | null} time milliseconds thought for the move, `null` where it is not known
 * @property {string} illegal the rule that the move breaks, as records name it
 * @property {string} bookmark of the position
 * @property {string} end how the game ended here, in the words of CSA without `%`
 * @property {number | null} endTime milliseconds until the game ended here, `null` where it is not known
 * @property {any} found what an analysis said of the move
 * @property {Record<string, string>} names of the move, by their style, as they were asked for
 */

/** @typedef {{black: string, white: string, date: string, event: string, place: string, time_control: string, handicap: string, comment: string, more: [string, string][]}} GameInfo */

/** @returns {GameInfo} */
export const emptyInfo = () => ({
  black: '',
  white: '',
  date: '',
  event: '',
  place: '',
  time_control: '',
  handicap: '',
  comment: '',
  more: [],
});

/** Nodes of all trees have different numbers. */
let nextId = 1;

/** @extends {MoveTree<string, Node>} */
export class GameTree extends MoveTree {
  /** @param {Position} [root] */
  constructor(root = startPosition()) {
    super(newNode(null, '', root));
    this.info = emptyInfo();
    /** What was removed last, to be brought back. @type {{parent: Node, node: Node, index: number}[]} */
    this.removed = [];
  }

  /** @param {string} sfen */
  static at(sfen) {
    const position = parseSfen(sfen);
    return position ? new GameTree(position) : null;
  }

  get position() {
    return this.current.position;
  }

  /** The number of moves from the root to a node. */
  ply(node = this.current) {
    return this.path(node).length - 1;
  }

  /**
   * Plays from the current node: goes to the child of that move, made where it is missing.
   * @param {string} move
   * @returns {Node | null} null if the move is not legal
   */
  play(move) {
    const known = this.current.children.find((child) => child.move === move);
    if (known) return (this.current = known);
    const next = play(this.current.position, move);
    return next && (this.current = this.attach(this.current, move, next));
  }

  /** A child for a move that a record has, legal or not. @param {Node} parent @param {string} move @returns {Node | null} */
  grow(parent, move) {
    const known = parent.children.find((child) => child.move === move);
    if (known) return known;
    const parts = parseMove(move);
    if (!parts || (parts.from >= 0 && !parent.position.board[parts.from])) return null;
    return this.attach(parent, move, apply(parent.position, parts));
  }

  /** @param {Node} parent @param {string} move @param {Position} position */
  attach(parent, move, position) {
    const node = newNode(parent, move, position);
    parent.children.push(node);
    return node;
  }

  /** The line as requests have it. */
  lineFields(node = this.current) {
    const sfen = sfenText(this.root.position);
    return { ...(sfen === START ? {} : { sfen }), moves: this.moves(node) };
  }

  /** Goes to the node of that ply on the line through the current node, or to the line's nearest end. @param {number} ply */
  goToPly(ply) {
    const line = this.line();
    this.current = line[Math.max(0, Math.min(line.length - 1, ply))];
  }

  /** Goes back to where the line last had another way to go, or to the start. */
  toBranch() {
    do this.back();
    while (this.current.parent && this.current.children.length < 2);
  }

  /** Removes a node, which {@link restore} brings back. @param {Node} node */
  remove(node) {
    const { parent } = node;
    if (parent) this.removed.push({ parent, node, index: parent.children.indexOf(node) });
    super.remove(node);
  }

  /** Brings back what was removed last. @returns {boolean} */
  restore() {
    const last = this.removed.pop();
    if (!last) return false;
    if (!last.parent.children.some((child) => child.move === last.node.move))
      last.parent.children.splice(last.index, 0, last.node);
    this.current = last.node;
    return true;
  }

  /** Moves a node among its siblings. @param {Node} node @param {number} step */
  shift(node, step) {
    const siblings = node.parent?.children ?? [];
    const from = siblings.indexOf(node);
    const to = from + step;
    if (to < 0 || to >= siblings.length) return;
    siblings.splice(from, 1);
    siblings.splice(to, 0, node);
  }

  /** Keeps a score unless a deeper one is there. @param {Node} node @param {Score} score for black @param {number} depth */
  evaluate(node, score, depth) {
    if (node.score && node.depth > depth) return false;
    node.score = score;
    node.depth = depth;
    return true;
  }

  /** How often the position of a node was on the board before it, on its line. */
  times(node = this.current) {
    const key = sfenKey(node.position);
    return this.path(node).filter((at) => sfenKey(at.position) === key).length;
  }
}

/** @param {Node | null} parent @param {string} move @param {Position} position @returns {Node} */
const newNode = (parent, move, position) => ({
  id: nextId++,
  parent,
  move,
  position,
  children: [],
  comment: '',
  score: null,
  depth: 0,
  time: null,
  endTime: null,
  illegal: '',
  bookmark: '',
  end: '',
  found: null,
  names: {},
});

/** A score seen from the other side, or from that of `side` where it is for the side to move. @param {Score} score @returns {Score} */
export const negated = (score) =>
  score.mate === undefined ? { cp: -(score.cp ?? 0) } : { ...score, mate: -score.mate };

/** A score for black of one for a side. @param {Score} score @param {number} side @returns {Score} */
export const forBlack = (score, side) => (side === BLACK ? score : negated(score));

/** A number to draw and to sort by: mates lie beyond all other scores. @param {Score} score */
export function scoreNumber(score) {
  if (score.mate === undefined) return score.cp ?? 0;
  return score.mate > 0 ? 30_000 - score.mate : -30_000 - score.mate;
}
