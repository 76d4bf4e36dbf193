// Practice of openings: the book plays one side, the user has to find the book's moves for the other.

import { BLACK, squareOf } from './rules.js';
import { boardText } from './notation.js';
import { t } from '../common/i18n.js';

/** @typedef {import('./app.js').App} App */

export class Practice {
  /** @param {App} app @param {import('./books.js').Books} books */
  constructor(app, books) {
    this.app = app;
    this.books = books;
    this.on = false;
    /** The side of the user. */
    this.side = BLACK;
    /** Discs a move may lose against the book's best one. */
    this.allowed = 0;
    this.right = 0;
    this.wrong = 0;
    /** What was said of the last move. @type {{kind: 'right' | 'wrong' | 'left' | 'end', text: string} | null} */
    this.verdict = null;
    /** Nodes whose move was judged or made by the book. @type {Set<number>} */
    this.seen = new Set();
    app.onChange((change) => {
      if (change === 'game' && this.on) this.step();
    });
  }

  toggle() {
    this.on = !this.on;
    [this.right, this.wrong] = [0, 0];
    this.verdict = null;
    if (this.on) {
      this.app.settings.set('ai.black', false);
      this.app.settings.set('ai.white', false);
      this.app.settings.set('show.values', false);
      this.app.settings.set('show.bookAccuracy', false);
      this.step();
    }
    this.app.changed('view');
  }

  /** @param {number} side */
  play(side) {
    this.side = side;
    this.step();
    this.app.changed('view');
  }

  /** Judges the user's last move, or plays the book's. */
  async step() {
    const { app } = this;
    const { current } = app.tree;
    if (this.seen.has(current.id)) return;
    this.seen.add(current.id);
    const { parent } = current;
    if (parent && parent.position.side === this.side && !(await this.judge(parent, current))) return;
    if (app.tree.current !== current || app.tree.over || current.position.side === this.side) return;
    const moves = await this.moves(current);
    if (app.tree.current !== current) return;
    // The leaf leads out of the book.
    const best = moves.filter((move) => !move.leaf && move.loss <= this.allowed);
    if (best.length === 0) {
      this.say('end', t('practice.end'));
      return;
    }
    const chosen = best[Math.floor(Math.random() * best.length)];
    const square = squareOf(chosen.move);
    app.play(square);
  }

  /** @param {import('./tree.js').Node} before @param {import('./tree.js').Node} after @returns {Promise<boolean>} whether the game goes on */
  async judge(before, after) {
    const moves = await this.moves(before);
    if (moves.length === 0) {
      this.say('end', t('practice.end'));
      return false;
    }
    const found = moves.find((move) => squareOf(move.move) === after.move);
    if (found && found.loss <= this.allowed) {
      this.right++;
      this.say('right', t('practice.right'));
      return true;
    }
    this.wrong++;
    const best = moves
      .filter((move) => move.loss <= this.allowed)
      .map((move) => move.move)
      .join(', ');
    this.say(
      found ? 'wrong' : 'left',
      t(found ? 'practice.wrong' : 'practice.left', { loss: found?.loss ?? '', best }),
    );
    return false;
  }

  /** The moves of the chosen book at a node. @param {import('./tree.js').Node} node @returns {Promise<{move: string, loss: number, leaf: boolean}[]>} */
  async moves(node) {
    const { current } = this.books;
    if (!current) return [];
    try {
      const answer = await this.app.link.ask('book.at', { boards: [boardText(node.position)], books: [current.book] });
      return answer.positions?.[0]?.books?.[0]?.moves ?? [];
    } catch (error) {
      this.app.sayError(error);
      return [];
    }
  }

  /** @param {'right' | 'wrong' | 'left' | 'end'} kind @param {string} text */
  say(kind, text) {
    this.verdict = { kind, text };
    this.app.changed('view');
  }
}
