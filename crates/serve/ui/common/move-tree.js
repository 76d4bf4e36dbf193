// A tree of moves as both games have it: one main line (the first children) and any number of branches, and where the page is in it.

/** What the tree knows of a node. @template M @template N @typedef {{id: number, parent: N | null, move: M, children: N[]}} TreeNode */

/** @template M @template {TreeNode<M, N>} N */
export class MoveTree {
  /** @param {N} root */
  constructor(root) {
    this.root = root;
    this.current = root;
  }

  /**
   * Plays from the current node and goes to the child of that move.
   * @param {M} move
   * @returns {N | null} null if the move is not legal
   */
  play(move) {
    throw new Error(`no rules for ${move}`);
  }

  /** The nodes from the root to a node. @param {N} [node] @returns {N[]} */
  path(node = this.current) {
    const nodes = [];
    for (let at = /** @type {N | null} */ (node); at; at = at.parent) nodes.push(at);
    return nodes.reverse();
  }

  /** The moves from the root to a node. @param {N} [node] @returns {M[]} */
  moves(node = this.current) {
    return this.path(node)
      .slice(1)
      .map((at) => at.move);
  }

  /** The path to a node and on from it along the first children. @param {N} [node] @returns {N[]} */
  line(node = this.current) {
    const nodes = this.path(node);
    for (let at = node.children[0]; at; at = at.children[0]) nodes.push(at);
    return nodes;
  }

  mainLine() {
    return this.line(this.root);
  }

  /** Whether a node is on the main line. @param {N} [node] */
  onMainLine(node = this.current) {
    return this.path(node).every((at) => !at.parent || at.parent.children[0] === at);
  }

  forward() {
    const next = this.current.children[0];
    if (next) this.current = next;
    return Boolean(next);
  }

  back() {
    if (this.current.parent) this.current = this.current.parent;
  }

  first() {
    this.current = this.root;
  }

  last() {
    while (this.forward());
  }

  /** @param {(node: N) => void} call for each node, parents before children, main lines first */
  each(call) {
    const open = [this.root];
    for (let node = open.pop(); node; node = open.pop()) {
      call(node);
      open.push(...[...node.children].reverse());
    }
  }

  /** @param {number} id @returns {N | null} */
  find(id) {
    /** @type {N | null} */
    let found = null;
    this.each((node) => {
      if (node.id === id) found = node;
    });
    return found;
  }

  /** Takes the last move back: the move and all that follows it leave the tree. @returns {boolean} */
  undo() {
    const { current } = this;
    this.remove(current);
    return Boolean(current.parent);
  }

  /** Removes a node with all below it; the current node moves up where it was inside. @param {N} node */
  remove(node) {
    const { parent } = node;
    if (!parent) return;
    if (this.path().includes(node)) this.current = parent;
    parent.children = parent.children.filter((child) => child !== node);
  }

  /** Makes the branch of a node the main line; the old main line stays as a branch. @param {N} [node] */
  promote(node = this.current) {
    for (let at = node; at.parent; at = at.parent) {
      const { children } = at.parent;
      at.parent.children = [at, ...children.filter((child) => child !== at)];
    }
  }

  /** Adds moves after a node as a line of their own, without going there. @param {M[]} moves @param {N} [from] @returns {N} the last one */
  add(moves, from = this.current) {
    const { current } = this;
    this.current = from;
    moves.every((move) => this.play(move));
    const end = this.current;
    this.current = current;
    return end;
  }
}
