// The opened books: their list, what they say of positions, edits with undo, and saving.

import { boardText } from './notation.js';
import { t } from '../common/i18n.js';

/** @typedef {import('./app.js').App} App */

/**
 * @typedef {object} BookInfo
 * @property {string} book
 * @property {string} name
 * @property {{root: string, path: string}} file
 * @property {string} format
 * @property {string} positions
 * @property {number} rev
 * @property {number} edits
 * @property {number} redos
 * @property {boolean} can_edit
 * @property {string | null} note why it cannot be edited
 */

export class Books {
  /** @param {App} app @param {import('./hints.js').Hints} hints */
  constructor(app, hints) {
    this.app = app;
    this.hints = hints;
    /** @type {BookInfo[]} */
    this.list = [];
    /** The book that edits go to. */
    this.chosen = '';
    app.link.on('online', () => this.reload());
    app.link.on('book_changed', () => this.reload());
  }

  /** @returns {BookInfo | undefined} */
  get current() {
    return this.list.find((book) => book.book === this.chosen) ?? this.list[0];
  }

  get canUndo() {
    return (this.current?.edits ?? 0) > 0;
  }

  get canRedo() {
    return (this.current?.redos ?? 0) > 0;
  }

  async reload() {
    if (!this.app.link.can('books')) return;
    try {
      this.take(await this.app.link.ask('book.list'));
    } catch (error) {
      this.app.sayError(error);
    }
  }

  /** Whether pages can open a book: one of the command line may lie outside of the roots. @param {BookInfo} book */
  canOpen(book) {
    return book.file.root !== '';
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
    if (JSON.stringify(answer.books) === JSON.stringify(this.list)) return;
    this.list = answer.books ?? [];
    this.hints.bookChanged();
  }

  /** @param {string} root @param {string} path */
  async open(root, path) {
    const { app } = this;
    try {
      const answer = await app.link.ask('book.open', { root, path });
      this.take(answer);
      this.chosen = answer.book;
      app.say(this.current?.note ?? t('book.opened', { name: path.split('/').pop() ?? path }));
      return true;
    } catch (error) {
      app.sayError(error);
      return false;
    }
  }

  /** @param {string} book */
  async close(book) {
    try {
      this.take(await this.app.link.ask('book.close', { book }));
    } catch (error) {
      this.app.sayError(error);
      await this.reload();
    }
  }

  /** What the opened books say of the current position, in the order of the list. */
  get here() {
    const known = this.hints.book?.node === this.app.tree.current.id ? this.hints.book.books : [];
    return this.list.map((info) => ({
      info,
      entry: known.find((/** @type {any} */ entry) => entry.book === info.book) ?? null,
    }));
  }

  /** Sets or removes the value of a position, for its side to move. @param {string} board @param {number | null} value @param {number} [level] */
  async edit(board, value, level = 70) {
    const { current, app } = this;
    if (!current) return false;
    return this.send(
      'book.edit',
      { board, value, level },
      t(value === null ? 'book.removed' : 'book.set', { name: current.name }),
    );
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
      app.say(said);
      return true;
    } catch (error) {
      app.sayError(error);
      await this.reload();
      return false;
    }
  }

  /** Puts the known values of the line through the current node into the book. */
  async storeLine() {
    const { app } = this;
    let stored = 0;
    for (const node of app.tree.line()) {
      if (!node.eval || !this.current) continue;
      const value = node.position.side === 1 ? node.eval.v : -node.eval.v;
      try {
        const answer = await app.link.ask('book.edit', {
          book: this.current.book,
          rev: this.current.rev,
          board: boardText(node.position),
          value: Math.round(value),
          level: node.eval.level || node.eval.depth || 1,
        });
        stored++;
        this.take(answer);
      } catch (error) {
        app.sayError(error);
        break;
      }
    }
    app.say(t('book.stored', { n: stored }));
  }
}

/** @param {BookInfo['file']} a @param {BookInfo['file']} b */
const same = (a, b) => a.root === b.root && a.path === b.path;
