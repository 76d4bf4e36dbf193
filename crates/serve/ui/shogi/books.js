// The opened books: their list, what they say of the current position and line, edits with undo, and saving.

import { t } from '../common/i18n.js';
import { sfenText } from './position.js';

/** @typedef {import('./app.js').App} App */

/**
 * @typedef {object} BookInfo
 * @property {string} book
 * @property {string} name
 * @property {{root: string, path: string}} file
 * @property {string} format
 * @property {string} bytes
 * @property {string | null} positions
 * @property {number} rev
 * @property {number} edits
 * @property {number} redos
 * @property {boolean} can_edit
 * @property {string | null} note why it cannot be edited
 * @property {string | null} order
 * @property {number | null} unsorted_line
 * @property {boolean} [complete] whether all its positions are found
 * @property {string[]} [columns] what the format holds of a move
 * @property {boolean} engine
 */

/**
 * @typedef {object} BookMove
 * @property {string} move
 * @property {string | null} reply
 * @property {number | null} score
 * @property {number | null} depth
 * @property {string | null} count
 * @property {number | null} share
 * @property {string} comment
 * @property {number | null} loss
 * @property {{kind: string, times: number} | null} repetition
 * @property {boolean} [legal]
 * @property {string} child
 * @property {boolean} edited
 */

/** @typedef {{book: string, matched: string | null, comment: string, ply: number | null, entry?: string, error?: string | null, moves: BookMove[]}} Entry */

export class Books {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {BookInfo[]} */
    this.list = [];
    /** The book that edits go to. */
    this.chosen = '';
    /** Counts the changes of books, so that they are asked anew. */
    this.revision = 0;
    this.key = '';
    /** @type {{node: number, entries: Entry[]} | null} */
    this.found = null;
    /** @type {import('../common/link.js').Stream | null} */
    this.stream = null;
    /** What the chosen book says of the moves of the line. @type {{key: string, plies: any[]} | null} */
    this.path = null;
    /** An edit that met a book that was changed elsewhere. */
    this.conflict = '';
    app.link.on('online', () => this.reload());
    app.link.on('book_changed', () => this.reload());
    app.onChange((change) => {
      if (change === 'game' || change === 'settings' || change === 'book') this.ask();
    });
  }

  /** @returns {BookInfo | undefined} */
  get current() {
    return this.list.find((book) => book.book === this.chosen) ?? this.list[0];
  }

  /** The books that are shown beside each other: the current one first. @returns {BookInfo[]} */
  get shown() {
    const hidden = this.app.get('book.shown');
    return this.list.filter((book) => book === this.current || !hidden.includes(book.name));
  }

  /** Shows a book beside the others, or no longer. @param {BookInfo} book */
  toggleShown(book) {
    const hidden = this.app.get('book.shown');
    this.app.settings.set(
      'book.shown',
      hidden.includes(book.name)
        ? hidden.filter((/** @type {string} */ name) => name !== book.name)
        : [...hidden, book.name],
    );
  }

  get canUndo() {
    return (this.current?.edits ?? 0) > 0;
  }

  get canRedo() {
    return (this.current?.redos ?? 0) > 0;
  }

  async reload() {
    if (!this.app.link.can('books')) return;
    const answer = await this.app.ask('book.list');
    if (answer) this.take(answer);
  }

  /** Whether a book is opened when the page starts. @param {BookInfo} book */
  atStart(book) {
    return this.app.get('book.startup').some((/** @type {BookInfo['file']} */ file) => same(file, book.file));
  }

  /** Opens a book at each start of the page, or no longer. @param {BookInfo} book */
  toggleAtStart(book) {
    const files = this.app.get('book.startup');
    this.app.settings.set(
      'book.startup',
      this.atStart(book)
        ? files.filter((/** @type {BookInfo['file']} */ file) => !same(file, book.file))
        : [...files, book.file],
    );
  }

  /** Opens the books of the start that are not open yet. */
  async openAtStart() {
    await this.reload();
    for (const file of this.app.get('book.startup')) {
      if (!this.list.some((book) => same(book.file, file))) await this.open(file.root, file.path);
    }
  }

  /** @param {import('../common/link.js').Event} answer */
  take(answer) {
    // Who changes a book gets the answer and hears the broadcast.
    if (!answer.books || JSON.stringify(answer.books) === JSON.stringify(this.list)) return;
    this.list = answer.books;
    this.revision++;
    this.app.changed('book');
  }

  /** @param {string} root @param {string} path */
  async open(root, path) {
    const answer = await this.app.ask('book.open', { root, path });
    if (!answer) return false;
    this.take(answer);
    this.chosen = answer.book;
    this.revision++;
    this.app.changed('book');
    this.app.say(this.current?.note ?? t('book.opened', { name: path.split('/').pop() ?? path }));
    return true;
  }

  /** @param {string} book */
  async close(book) {
    const answer = await this.app.ask('book.close', { book });
    if (answer) this.take(answer);
    else await this.reload();
  }

  /** @param {string} book */
  choose(book) {
    this.chosen = book;
    this.app.changed('book');
  }

  /** What the opened books say of the current position. @returns {{info: BookInfo, entry: Entry | null}[]} */
  get here() {
    const known = this.found?.node === this.app.tree.current.id ? this.found.entries : [];
    return this.list.map((info) => ({ info, entry: known.find((entry) => entry.book === info.book) ?? null }));
  }

  /** The entry of the book that edits go to. */
  get entry() {
    return this.here.find(({ info }) => info === this.current)?.entry ?? null;
  }

  /** Asks the books for the current position and the way to it, where something is another. */
  async ask() {
    const { app } = this;
    if (!app.link.can('books') || this.list.length === 0) return;
    const node = app.tree.current;
    const { look } = this;
    const key = JSON.stringify([node.id, app.tree.info, look, this.revision, this.current?.book]);
    if (key === this.key) return;
    this.key = key;
    const replaces = this.stream ? { replaces: this.stream.id } : {};
    /** @type {any} */
    let answer = null;
    const fields = {
      positions: [sfenText(node.position)],
      line: app.tree.lineFields(),
      names: 'none',
      ...look,
      ...replaces,
    };
    const stream = app.link.request('book.at', fields, (event) => {
      answer = event;
    });
    this.stream = stream;
    const end = await stream.done;
    if (this.stream === stream) this.stream = null;
    if (this.key !== key) return;
    if (end.why !== 'finished') {
      this.key = '';
      if (end.why === 'error') app.say(end.text ?? '', 'error');
      return;
    }
    this.found = { node: node.id, entries: answer?.positions?.[0]?.books ?? [] };
    app.changed('view');
    await this.askPath(key);
  }

  /** @param {string} key */
  async askPath(key) {
    const { app, current } = this;
    const { sfen, moves } = app.tree.lineFields();
    if (!current || moves.length === 0) {
      this.path = null;
      return;
    }
    try {
      const line = { ...(sfen ? { sfen } : {}), moves };
      const answer = await app.link.ask('book.path', { book: current.book, ...line, names: 'none', ...this.look });
      if (this.key === key) this.path = { key, plies: answer.plies ?? [] };
    } catch {
      this.path = null;
    }
    app.changed('view');
  }

  /** The moves that books have here, the current book's first, for arrows. @returns {BookMove[]} */
  get moves() {
    return this.here.flatMap(({ entry }) => entry?.moves ?? []);
  }

  /** How positions are looked up. */
  get look() {
    return { flipped: this.app.get('book.flipped'), ignore_ply: this.app.get('book.ignorePly') };
  }

  /** Whether the current book has a column. @param {string} name */
  hasColumn(name) {
    return this.current?.columns?.includes(name) ?? true;
  }

  /** Puts a book elsewhere in the list, in whose order the engine asks. @param {string} book @param {number} to */
  async move(book, to) {
    const answer = await this.app.ask('book.move', { book, to });
    if (answer) this.take(answer);
  }

  /** Whether the engine plays from a book. @param {string} book @param {boolean} on */
  async engine(book, on) {
    const answer = await this.app.ask('book.engine', { book, on });
    if (answer) this.take(answer);
  }

  /** @param {object[]} changes @param {string} said */
  edit(changes, said) {
    return this.send('book.edit', { sfen: sfenText(this.app.position), changes, ...this.look }, said);
  }

  /** @param {object[]} lines @param {number} plies @param {string} said */
  register(lines, plies, said) {
    return this.send('book.register', { sfen: sfenText(this.app.position), lines, plies, ...this.look }, said);
  }

  /** @param {'undo' | 'redo' | 'save' | 'discard'} what */
  change(what) {
    return this.send(`book.${what}`, {}, t(`book.done.${what}`));
  }

  /** @param {string} op @param {object} fields @param {string} said */
  async send(op, fields, said) {
    const { current, app } = this;
    if (!current) return false;
    try {
      this.take(await app.link.ask(op, { book: current.book, rev: current.rev, ...fields }));
      this.conflict = '';
      app.say(said);
      return true;
    } catch (error) {
      const event = /** @type {any} */ (error).event;
      this.conflict = event?.why === 'error' ? (event.text ?? '') : '';
      app.sayError(error);
      await this.reload();
      return false;
    }
  }
}

/** @param {BookInfo['file']} a @param {BookInfo['file']} b */
const same = (a, b) => a.root === b.root && a.path === b.path;
