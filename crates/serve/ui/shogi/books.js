// The opened books: their list, what they say of the current position and line, edits with undo, and saving.

import { OpenBooks } from '../common/open-books.js';
import { sfenText } from './position.js';

/** @typedef {import('./app.js').App} App */

/**
 * @typedef {object} BookFacts what is said of a shogi book besides
 * @property {string} bytes
 * @property {string | null} positions
 * @property {string | null} order
 * @property {number | null} unsorted_line
 * @property {boolean} [complete] whether all its positions are found
 * @property {string[]} [columns] what the format holds of a move
 * @property {boolean} engine
 */

/** @typedef {import('../common/open-books.js').OpenBook & BookFacts} BookInfo */

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

/** @extends {OpenBooks<BookInfo, App>} */
export class Books extends OpenBooks {
  /** @param {App} app */
  constructor(app) {
    super(app);
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
    app.onChange((change) => {
      if (change === 'game' || change === 'settings' || change === 'book') this.ask();
    });
  }

  changed() {
    this.revision++;
    this.app.changed('book');
  }

  /** @param {unknown} [error] */
  edited(error) {
    const event = /** @type {any} */ (error)?.event;
    this.conflict = event?.why === 'error' ? (event.text ?? '') : '';
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
}
