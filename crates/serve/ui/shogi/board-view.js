// The game's board: what is drawn of the game, the research, the books and the settings, and what a person does on it.

import { t } from '../common/i18n.js';
import { Board } from './board.js';
import { askPromotion } from './board-choice.js';
import { handOf, handSpot, isHand, isSquare, layoutFor } from './board-geometry.js';
import { FACES, squareJa } from './notation.js';
import { faceOf, sideName, sideOf, squareName } from './position.js';
import { inCheck, kingOf, legalMoves, moveText, parseMove } from './rules.js';
import { scoreText } from './score-text.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./board-geometry.js').Spot} Spot */

export class BoardView {
  /**
   * @param {App} app @param {import('./research.js').Research} research @param {import('./books.js').Books} books
   * @param {(spot: Spot) => void} context
   */
  constructor(app, research, books, context) {
    this.app = app;
    this.research = research;
    this.books = books;
    /** Legal moves of the node with this id. @type {{node: number, moves: import('./rules.js').Move[]}} */
    this.legal = { node: 0, moves: [] };
    /** The tree of those moves. @type {object | null} */
    this.legalTree = null;
    this.board = new Board(
      {
        targets: (from) => this.targets(from),
        move: (from, to) => this.move(from, to),
        press: () => app.preview && app.show(null),
        context,
      },
      t('board.name'),
    );
    new ResizeObserver(() => this.draw()).observe(this.board.element);
  }

  /** @returns {import('./rules.js').Move[]} */
  get legalMoves() {
    const { current } = this.app.tree;
    if (this.legal.node !== current.id || this.legalTree !== this.app.tree) {
      this.legal = { node: current.id, moves: legalMoves(current.position) };
      this.legalTree = this.app.tree;
    }
    return this.legal.moves;
  }

  /** Where a piece may go; `null` if it is not to be moved now. @param {Spot} from */
  targets(from) {
    const { app } = this;
    if (app.preview) app.show(null);
    const moves = this.legalMoves.filter((move) => spotOf(move, app.position.side) === from);
    return moves.length > 0 ? [...new Set(moves.map((move) => move.to))] : null;
  }

  /** @param {Spot} from @param {Spot} to */
  async move(from, to) {
    const { app } = this;
    const node = app.tree.current;
    const moves = this.legalMoves.filter((move) => spotOf(move, app.position.side) === from && move.to === to);
    let [move] = moves;
    if (moves.length > 1) {
      const answer = await askPromotion(this.board, to, app.position.board[from], {
        question: t('board.promote'),
        yes: t('board.promoteYes'),
        no: t('board.promoteNo'),
      });
      if (answer === null || app.tree.current !== node) return;
      move = moves.find((one) => one.promote === answer) ?? move;
    }
    if (move) app.play(moveText(move));
  }

  draw() {
    const { app, board } = this;
    const shown = app.preview ?? { position: app.position, last: app.tree.current.move };
    const { position } = shown;
    const last = shown.last ? parseMove(shown.last) : null;
    const setting = app.get('board.layout');
    const layout = setting === 'auto' ? layoutFor(board.element.clientWidth || 800) : setting;
    board.element.classList.toggle('preview', app.preview !== null);
    board.element.classList.toggle('no-targets', !app.get('show.legal'));
    board.draw({
      board: position.board,
      hands: position.hands,
      flip: app.get('board.flip'),
      layout,
      set: app.get('board.set'),
      coordinates: app.coordinates,
      last: last && app.get('show.last') ? [last.from, last.to].filter((square) => square >= 0) : [],
      check: inCheck(position, position.side) ? kingOf(position.board, position.side) : -1,
      arrows: app.preview ? [] : this.arrows(),
      marks: [],
      names: [app.tree.info.black, app.tree.info.white],
      label: (/** @type {Spot} */ spot) => this.label(spot, position),
    });
    board.element.setAttribute('aria-label', t('board.name'));
    board.grid.setAttribute('aria-label', t('board.name'));
  }

  /** @returns {import('./board.js').Arrow[]} */
  arrows() {
    const { app } = this;
    const { side } = app.position;
    /** @type {import('./board.js').Arrow[]} */
    const arrows = [];
    /** @param {string} usi @param {string} kind @param {number} width @param {string} text */
    const add = (usi, kind, width, text) => {
      const move = parseMove(usi);
      if (!move) return;
      const from = spotOf(move, side);
      if (arrows.some((arrow) => arrow.from === from && arrow.to === move.to)) return;
      arrows.push({ from, to: move.to, kind, width, text });
    };
    if (app.get('show.arrows') || app.heldArrows) {
      const number = app.get('show.arrowNumber');
      for (const thought of this.research.at()) {
        for (const line of thought.lines.slice(0, number)) {
          const text = app.get('show.scores') ? scoreText(line.score) : '';
          add(line.move, line.line === 1 ? 'best' : 'other', line.line === 1 ? 22 : 14, text);
        }
      }
    }
    if (app.get('show.bookArrows') || app.heldArrows) {
      for (const move of this.books.entry?.moves.slice(0, app.get('show.arrowNumber')) ?? [])
        add(move.move, 'book', 14, move.score === null || !app.get('show.scores') ? '' : scoreText({ cp: move.score }));
    }
    return arrows;
  }

  /** @param {Spot} spot @param {import('./position.js').Position} position */
  label(spot, position) {
    if (isSquare(spot)) {
      const name = squareLabel(spot, this.app.style);
      const piece = position.board[spot];
      return piece ? `${name} ${pieceLabel(piece)}` : `${name} ${t('board.empty')}`;
    }
    if (isHand(spot)) {
      const { side, kind } = handOf(spot);
      return t('board.inHand', { side: t(sideName(side)), piece: pieceName(kind), n: position.hands[side][kind] });
    }
    return t('board.hand', { side: t(sideName(spot - 200)) });
  }
}

/** Where a move begins on the drawing. @param {import('./rules.js').Move} move @param {number} side @returns {Spot} */
export const spotOf = (move, side) => (move.from >= 0 ? move.from : handSpot(side, move.drop));

/** @param {number} square @param {string} style */
export const squareLabel = (square, style) => (style === 'ja' ? squareJa(square) : squareName(square));

/** The name of a face in the language of the page. @param {number} face */
export const pieceName = (face) => t(`piece.${face}`);

/** @param {number} piece */
export const pieceLabel = (piece) =>
  t('board.piece', { side: t(sideName(sideOf(piece))), piece: FACES[faceOf(piece)] ? pieceName(faceOf(piece)) : '' });
