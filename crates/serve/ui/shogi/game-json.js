// A game tree as the messages have it, which is also what the page keeps over a reload.

import { START, parseSfen, sfenText } from './position.js';
import { GameTree, emptyInfo } from './tree.js';

/** @typedef {import('./tree.js').Node} Node */

/**
 * The game of a message.
 * @param {GameTree} tree
 * @param {Node[]} [only] these nodes alone, parents before children; without it all
 */
export function toGame(tree, only) {
  /** @type {Map<Node, number>} */
  const numbers = new Map();
  /** @type {any[]} */
  const nodes = [];
  /** @param {any} fields */
  const put = (fields) => nodes.push(fields) - 1;
  const chosen = only && new Set(only);
  tree.each((node) => {
    if (chosen && !chosen.has(node)) return;
    const parent = node.parent ? (numbers.get(node.parent) ?? null) : null;
    const number = put({ parent, move: node.move || null, ...notes(node) });
    numbers.set(node, number);
  });
  // Endings come behind the children, so that the first child stays the main line.
  for (const [node, number] of numbers)
    if (node.end)
      put({ parent: number, move: null, end: node.end, ...(node.endTime === null ? {} : { time_ms: node.endTime }) });
  return { sfen: sfenText(tree.root.position), info: tree.info, nodes };
}

/** @param {Node} node */
function notes(node) {
  return {
    ...(node.time === null ? {} : { time_ms: Math.round(node.time) }),
    ...(node.illegal ? { illegal: node.illegal } : {}),
    ...(node.bookmark ? { bookmark: node.bookmark } : {}),
    ...(node.comment ? { comment: node.comment } : {}),
    ...(node.score ? { score: node.score } : {}),
    ...(node.depth ? { depth: node.depth } : {}),
  };
}

/**
 * The tree of a game; an error says what is wrong with it.
 * @param {any} game
 * @returns {GameTree}
 */
export function fromGame(game) {
  const root = parseSfen(game?.sfen ?? START);
  if (!root || !Array.isArray(game.nodes)) throw new Error('not a game');
  const tree = new GameTree(root);
  const info = emptyInfo();
  for (const key of /** @type {(keyof typeof info)[]} */ (Object.keys(info))) {
    if (key !== 'more') info[key] = String(game.info?.[key] ?? '');
    else if (Array.isArray(game.info?.more)) info.more = game.info.more;
  }
  tree.info = info;
  /** @type {(Node | null)[]} */
  const made = [];
  for (const [i, fields] of game.nodes.entries()) {
    const parent = i === 0 ? null : made[fields.parent];
    const node = i === 0 ? tree.root : parent && fields.move ? tree.grow(parent, String(fields.move)) : null;
    if (fields.end && !fields.move) {
      const place = parent ?? (i === 0 ? tree.root : null);
      if (place) {
        place.end = String(fields.end);
        place.endTime = timeOf(fields);
      }
    }
    if (node) takeNotes(node, fields);
    made.push(node);
  }
  return tree;
}

/** Milliseconds, or `null` where nothing is known: no time at all is one too. @param {any} fields */
const timeOf = (fields) => (Number.isFinite(fields.time_ms) ? fields.time_ms : null);

/** @param {Node} node @param {any} fields */
function takeNotes(node, fields) {
  node.comment = String(fields.comment ?? '');
  node.bookmark = String(fields.bookmark ?? '');
  node.illegal = String(fields.illegal ?? '');
  node.time = timeOf(fields);
  const { score } = fields;
  if (score && (Number.isFinite(score.cp) || Number.isFinite(score.mate))) node.score = score;
  node.depth = Number(fields.depth) || 0;
  if (fields.move && fields.end) node.end = String(fields.end);
}

/** A tree from a line of moves. @param {string | undefined} sfen @param {string[]} moves */
export function fromLine(sfen, moves) {
  const tree = GameTree.at(sfen ?? START) ?? new GameTree();
  let at = tree.root;
  for (const move of moves) {
    const next = tree.grow(at, move);
    if (!next) break;
    at = next;
  }
  return tree;
}

/** What is kept over a reload: the game and the way to the current node. @param {GameTree} tree */
export const toKept = (tree) => ({
  game: toGame(tree),
  current: tree
    .path()
    .slice(1)
    .map((node) => node.move),
});

/** @param {any} kept */
export function fromKept(kept) {
  const tree = fromGame(kept.game);
  for (const move of kept.current ?? []) {
    const child = tree.current.children.find((node) => node.move === move);
    if (!child) break;
    tree.current = child;
  }
  return tree;
}
