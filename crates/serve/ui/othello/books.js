// The opened books: their list, what they say of positions, edits with undo, and saving.

import { boardText } from './notation.js';
import { t } from '../common/i18n.js';
import { OpenBooks } from '../common/open-books.js';

/** @typedef {import('./app.js').App} App */

/** @typedef {import('../common/open-books.js').OpenBook & {positions: string}} BookInfo */

/** @extends {OpenBooks<BookInfo, App>} */
export class Books extends OpenBooks {
  /** @param {App} app @param {import('./hints.js').Hints} hints */
  constructor(app, hints) {
    super(app);
    this.hints = hints;
  }

  changed() {
    this.hints.bookChanged();
  }

  /** Whether pages can open a book: one of the command line may lie outside of the roots. @param {BookInfo} book */
  canOpen(book) {
    return book.file.root !== '';
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
    const { current } = this;
    if (!current) return false;
    return this.send(
      'book.edit',
      { board, value, level },
      t(value === null ? 'book.removed' : 'book.set', { name: current.name }),
    );
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
