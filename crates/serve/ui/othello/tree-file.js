// A game tree as JSON: what the page keeps over a reload and writes to `.tree.json` files.

import { squareName, squareOf } from './rules.js';
import { boardText, parseBoard } from './notation.js';
import { GameTree } from './tree.js';

/** @typedef {import('./tree.js').Node} Node */

/** @typedef {{move?: string, comment?: string, eval?: object, loss?: number, time?: number, children?: StoredNode[]}} StoredNode */

/**
 * @param {GameTree} tree
 * @returns {object}
 */
export function toJson(tree) {
  return {
    format: 'othello-tree',
    version: 1,
    info: tree.info,
    randomUntil: tree.randomUntil,
    board: boardText(tree.root.position),
    current: indexPath(tree),
    tree: stored(tree.root),
  };
}

/** Which child was taken at each node from the root to the current one. @param {GameTree} tree */
function indexPath(tree) {
  return tree
    .path()
    .slice(1)
    .map((node) => /** @type {Node} */ (node.parent).children.indexOf(node));
}

/** @param {Node} node @returns {StoredNode} */
function stored(node) {
  /** @type {StoredNode} */
  const out = {};
  if (node.move >= 0) out.move = squareName(node.move);
  if (node.comment) out.comment = node.comment;
  if (node.eval) out.eval = node.eval;
  if (node.loss !== null) out.loss = node.loss;
  if (node.time) out.time = node.time;
  if (node.children.length > 0) out.children = node.children.map(stored);
  return out;
}

/**
 * The tree of a JSON value; an error names what is wrong with it.
 * @param {any} json
 * @returns {GameTree}
 */
export function fromJson(json) {
  if (json?.format !== 'othello-tree' || json.version !== 1) throw new Error('not a game tree of version 1');
  const root = parseBoard(String(json.board));
  if (!root) throw new Error('the board of the tree is not a position');
  const tree = new GameTree(root);
  for (const key of /** @type {const} */ (['black', 'white', 'date', 'memo'])) {
    tree.info[key] = String(json.info?.[key] ?? '');
  }
  tree.randomUntil = Number(json.randomUntil) || 0;
  grow(tree, tree.root, json.tree ?? {});
  tree.current = tree.root;
  for (const index of Array.isArray(json.current) ? json.current : []) {
    const child = tree.current.children[index];
    if (!child) break;
    tree.current = child;
  }
  return tree;
}

/** @param {GameTree} tree @param {Node} node @param {StoredNode} json */
function grow(tree, node, json) {
  node.comment = String(json.comment ?? '');
  node.time = Number(json.time) || 0;
  if (Number.isFinite(json.loss)) node.loss = Number(json.loss);
  const value = /** @type {any} */ (json.eval);
  if (value && Number.isFinite(value.v)) node.eval = { ...value, level: Number(value.level) || 0 };
  for (const child of json.children ?? []) {
    tree.current = node;
    const next = tree.play(squareOf(String(child.move)));
    if (!next) throw new Error(`${child.move} is not a legal move at disc ${node.position.ply + 1}`);
    grow(tree, next, child);
  }
}
