// Games as they travel in messages: a line as `board` and `moves`, a whole game as a list of nodes.

import { levelInFiles } from './levels.js';
import { boardText, parseBoard } from './notation.js';
import { settlePass, squareName, squareOf, startPosition } from './rules.js';
import { GameTree } from './tree.js';

/** @typedef {import('./tree.js').Node} Node */

/** @typedef {{parent: number | null, move: string | null, black_value?: number, level?: number, time_ms?: number, comment?: string}} GameNode */
/** @typedef {{start: string, info?: Record<string, string>, nodes: GameNode[]}} Game */

const START = boardText(startPosition());

/**
 * The fields of a request that name a line: from the root of the tree to a node. Passes are written: the one after the last move is
 * played here already.
 * @param {GameTree} tree
 * @param {Node} [node]
 * @returns {{board?: string, moves: string[]}}
 */
export function lineFields(tree, node = tree.current) {
  const board = boardText(tree.root.position);
  const moves = tree
    .path(node)
    .slice(1)
    .flatMap((at) => (at.passed ? [squareName(at.move), 'pass'] : [squareName(at.move)]));
  return board === START ? { moves } : { board, moves };
}

/**
 * The nodes that the indices of `analyze` name: `after[i]` is reached by move `i`, passes counted.
 * @param {Node[]} line
 * @returns {(Node | null)[]} null where the move is a pass
 */
export function nodesByIndex(line) {
  /** @type {(Node | null)[]} */
  const after = [];
  for (const node of line.slice(1)) {
    after.push(node);
    if (node.passed) after.push(null);
  }
  return after;
}

/**
 * @param {GameTree} tree
 * @param {Node | null} [until] only the line to this node
 * @returns {Game}
 */
export function toGame(tree, until = null) {
  const allowed = until ? new Set(tree.path(until)) : null;
  /** @type {GameNode[]} */
  const nodes = [];
  /** @type {[Node, number | null][]} */
  const open = [[tree.root, null]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [node, parent] = next;
    /** @type {GameNode} */
    const out = { parent, move: node.move < 0 ? null : squareName(node.move) };
    if (node.eval) Object.assign(out, { black_value: node.eval.v, level: node.eval.level });
    if (node.time) out.time_ms = Math.round(node.time);
    if (node.comment) out.comment = node.comment;
    let index = nodes.push(out) - 1;
    const children = node.children.filter((child) => !allowed || allowed.has(child));
    if (node.passed && children.length > 0) index = nodes.push({ parent: index, move: 'pass' }) - 1;
    for (const child of children.reverse()) open.push([child, index]);
  }
  const { black, white, date, memo } = tree.info;
  return { start: boardText(tree.root.position), info: { black, white, date, comment: memo }, nodes };
}

/**
 * @param {Game} game
 * @returns {GameTree}
 */
export function fromGame(game) {
  const start = parseBoard(game.start);
  if (!start) throw new Error(`not a position: ${game.start}`);
  const tree = new GameTree(settlePass(start).position);
  const { info = {} } = game;
  tree.info = { black: info.black ?? '', white: info.white ?? '', date: info.date ?? '', memo: info.comment ?? '' };
  /** @type {Node[]} */
  const known = [tree.root];
  game.nodes.forEach((from, i) => {
    if (i > 0) {
      tree.current = known[from.parent ?? 0];
      // A pass is part of the node before it here.
      if (from.move !== 'pass' && !tree.play(squareOf(String(from.move)))) throw new Error(`${from.move} is not legal`);
      known.push(tree.current);
    }
    const node = known[i];
    if (typeof from.black_value === 'number') node.eval = { v: from.black_value, level: from.level ?? 0 };
    if (from.time_ms) node.time = from.time_ms;
    if (from.comment) node.comment = from.comment;
  });
  tree.current = tree.root;
  return tree;
}

/**
 * A tree with one line.
 * @param {string | undefined} board @param {string[]} moves
 */
export function fromLine(board, moves) {
  const position = board ? parseBoard(board) : startPosition();
  if (!position) throw new Error(`not a position: ${board}`);
  const tree = new GameTree(settlePass(position).position);
  for (const move of moves) {
    if (move !== 'pass' && !tree.play(squareOf(move))) throw new Error(`${move} is not legal`);
  }
  return tree;
}

/**
 * What a message says of a move or position, as the tree keeps it.
 * @param {{v: number, depth?: number | null, prob?: number | null, exact?: boolean, book?: {level: number | null} | null}} from
 * @param {string} side who `v` is for
 * @param {number} level that it was searched with
 * @returns {import('./tree.js').Evaluation}
 */
export const evaluation = (from, side, level) => ({
  v: side === 'black' ? from.v : -from.v,
  level: from.book?.level ?? levelInFiles(level, from),
  depth: from.depth ?? 0,
  book: Boolean(from.book),
  exact: Boolean(from.exact),
  prob: from.prob ?? 100,
});
