// The opened books as both pages have them: their list, those of the start, edits with undo, and saving.

import { t } from './i18n.js';

/** @typedef {{root: string, path: string}} BookFile */

/**
 * What both games say of a book.
 * @typedef {object} OpenBook
 * @property {string} book
 * @property {string} name
 * @property {BookFile} file
 * @property {string} format
 * @property {number} rev
 * @property {number} edits
 * @property {number} redos
 * @property {boolean} can_edit
 * @property {string | null} note why it cannot be edited
 */

/** @template {OpenBook} Book @template {import('./page-app.js').PageApp<any>} App */
export class OpenBooks {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {Book[]} */
    this.list = [];
    /** The book that edits go to. */
    this.chosen = '';
    app.link.on('online', () => this.reload());
    app.link.on('book_changed', () => this.reload());
  }

  /** Called when a book is another than before. */
  changed() {}

  /** Called after an edit: with what failed, or with nothing. @param {unknown} [_error] */
  edited(_error) {}

  /** @returns {Book | undefined} */
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
    const answer = await this.app.ask('book.list');
    if (answer) this.take(answer);
  }

  /** Whether a book is opened when the page starts. @param {Book} book */
  atStart(book) {
    return this.app.get('book.startup').some((/** @type {BookFile} */ file) => same(file, book.file));
  }

  /** Opens a book at each start of the page, or no longer. @param {Book} book */
  toggleAtStart(book) {
    const files = this.app.get('book.startup');
    this.app.settings.set(
      'book.startup',
      this.atStart(book)
        ? files.filter((/** @type {BookFile} */ file) => !same(file, book.file))
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

  /** @param {import('./link.js').Event} answer */
  take(answer) {
    // Who changes a book gets the answer and hears the broadcast.
    if (!answer.books || JSON.stringify(answer.books) === JSON.stringify(this.list)) return;
    this.list = answer.books;
    this.changed();
  }

  /** @param {string} root @param {string} path */
  async open(root, path) {
    const answer = await this.app.ask('book.open', { root, path });
    if (!answer) return false;
    this.list = answer.books;
    this.chosen = answer.book;
    this.changed();
    this.app.say(this.current?.note ?? t('book.opened', { name: path.split('/').pop() ?? path }));
    return true;
  }

  /** @param {string} book */
  async close(book) {
    const answer = await this.app.ask('book.close', { book });
    if (answer) this.take(answer);
    else await this.reload();
  }

  /** @param {'undo' | 'redo' | 'save' | 'discard'} what */
  change(what) {
    return this.send(`book.${what}`, {}, t(`book.done.${what}`));
  }

  /** Changes the current book, unless it was changed elsewhere. @param {string} op @param {object} fields @param {string} said */
  async send(op, fields, said) {
    const { current, app } = this;
    if (!current) return false;
    try {
      this.take(await app.link.ask(op, { book: current.book, rev: current.rev, ...fields }));
      this.edited();
      app.say(said);
      return true;
    } catch (error) {
      this.edited(error);
      app.sayError(error);
      await this.reload();
      return false;
    }
  }
}

/** @param {BookFile} a @param {BookFile} b */
const same = (a, b) => a.root === b.root && a.path === b.path;
