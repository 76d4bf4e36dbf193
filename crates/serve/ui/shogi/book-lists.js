// Long questions to a book, whose answers stream in: searches, checks, differences; and the tree of its lines.

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./books.js').Books} Books */

/** How many rows a list asks for. */
const MOST = 500;

export class BookLists {
  /** @param {App} app @param {Books} books */
  constructor(app, books) {
    this.app = app;
    this.books = books;
    /** Which list is shown: `search`, `check` or `diff`; empty for none. */
    this.kind = '';
    /** @type {any[]} */
    this.rows = [];
    /** @type {{name: string, n: string}[]} */
    this.counts = [];
    /** @type {{done: string, total: string, unit: string} | null} */
    this.progress = null;
    this.ended = '';
    /** @type {import('../common/link.js').Stream | null} */
    this.stream = null;
    /** The lines of the book from a node on. @type {{node: number, book: string, nodes: any[], more: boolean} | null} */
    this.tree = null;
    /** Nodes of the tree that are folded. @type {Set<number>} */
    this.folded = new Set();
  }

  get running() {
    return this.stream !== null;
  }

  stop() {
    this.stream?.stop();
  }

  clear() {
    this.stop();
    this.kind = '';
    this.rows = [];
    this.app.changed('view');
  }

  /** @param {object} fields of the form */
  search(fields) {
    return this.run('search', { book: this.books.current?.book, ...fields });
  }

  check() {
    return this.run('check', { book: this.books.current?.book });
  }

  /** @param {string} other */
  diff(other) {
    return this.run('diff', { books: [this.books.current?.book, other] });
  }

  /** @param {string} kind @param {object} fields */
  async run(kind, fields) {
    const { app } = this;
    const replaces = this.stream ? { replaces: this.stream.id } : {};
    Object.assign(this, { kind, rows: [], counts: [], progress: null, ended: '' });
    const stream = app.link.request(
      `book.${kind}`,
      { most: MOST, names: 'none', ...(kind === 'search' ? this.books.look : {}), ...fields, ...replaces },
      (event) => {
        if (this.stream === stream) this.take(event);
      },
    );
    this.stream = stream;
    app.changed('view');
    const end = await stream.done;
    if (this.stream !== stream) return;
    this.stream = null;
    this.ended = end.why ?? '';
    if (end.why === 'error') app.say(end.text ?? '', 'error');
    app.changed('view');
  }

  /** @param {any} event */
  take(event) {
    const rows = event.positions ?? event.findings ?? event.differences;
    if (rows) this.rows = [...this.rows, ...rows];
    if (event.ev === 'counts') this.counts = event.counts ?? [];
    if (event.ev === 'progress') this.progress = event;
    this.app.changed('view');
  }

  /** Loads the lines of the current book from the current position on. */
  async loadTree() {
    const { app, books } = this;
    if (!books.current) return;
    const answer = await app.ask('book.tree', {
      book: books.current.book,
      ...app.tree.lineFields(),
      depth: app.get('book.treeDepth'),
      loss: app.get('book.treeLoss'),
      most: MOST,
      names: 'none',
      ...books.look,
    });
    if (!answer) return;
    this.folded.clear();
    this.tree = {
      node: app.tree.current.id,
      book: books.current.book,
      nodes: answer.nodes ?? [],
      more: answer.more ?? false,
    };
    app.changed('view');
  }

  /** The moves from the root of the loaded tree to one of its nodes. @param {number} node @returns {string[]} */
  movesTo(node) {
    /** @type {string[]} */
    const moves = [];
    const byNumber = new Map((this.tree?.nodes ?? []).map((one) => [one.node, one]));
    for (let at = byNumber.get(node); at?.move; at = byNumber.get(at.parent)) moves.unshift(at.move);
    return moves;
  }
}
