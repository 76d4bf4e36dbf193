// The game's board: what each square shows, taken from the game, the hints, the books and the settings.

import { Board } from './board.js';
import { number, signed, t, language } from '../common/i18n.js';
import { flips, legalMoves, opponent, play, sideName, squareName, squareOf, stableDiscs } from './rules.js';
import { short } from './hints.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./hints.js').HintMove} HintMove */
/** @typedef {import('./cell.js').Cell} Cell */

export class BoardView {
  /**
   * @param {App} app @param {import('./hints.js').Hints} hints
   * @param {(square: number) => void} context
   */
  constructor(app, hints, context) {
    this.app = app;
    this.hints = hints;
    this.board = new Board(
      {
        play: (square) => {
          if (!app.play(square) && app.waitingPass) app.confirmPass();
        },
        hover: (square) => {
          app.hover = square;
          app.changed('view');
        },
        context,
      },
      t('board.name'),
    );
  }

  draw() {
    const { app, board } = this;
    const { cells, side } = app.position;
    const legal = new Set(app.waitingPass ? [] : legalMoves(cells, side));
    const list = this.cells(legal);
    board.coordinates(app.get('show.coordinates'));
    board.element.setAttribute('aria-label', t('board.name'));
    board.draw(
      list,
      (square) => this.label(list[square], square, legal),
      (square) => legal.has(square),
    );
  }

  /** @param {Set<number>} legal @returns {Cell[]} */
  cells(legal) {
    const { app } = this;
    const { tree } = app;
    const { current } = tree;
    const { cells, side } = current.position;
    /** @type {Cell[]} */
    const list = Array.from(cells, (disc) => ({ disc }));
    if (app.get('show.legal')) for (const square of legal) list[square].legal = true;
    if (app.get('show.next')) {
      current.children.forEach((child, i) => {
        Object.assign(list[child.move], { next: side, nextAsSquare: app.get('show.nextSquare'), branch: i > 0 });
      });
    }
    if (current.parent) {
      if (app.get('show.last')) list[current.move].last = true;
      if (app.get('show.flipped')) {
        for (const square of flips(current.parent.position.cells, current.parent.position.side, current.move))
          list[square].flipped = true;
      }
    }
    if (app.get('show.stable'))
      this.stable(cells).forEach((stable, square) => {
        if (stable) list[square].stable = true;
      });
    if (app.get('show.order')) this.order(list);
    if (app.get('show.focus')) this.focus(list);
    this.values(list, legal);
    this.hoverCells(list, legal);
    return list;
  }

  /** The numbers of the moves, on the discs as they lie or, as transcripts are printed, as they were put down. @param {Cell[]} list */
  order(list) {
    const { app } = this;
    const [root, ...played] = app.tree.path();
    if (app.get('show.orderTranscript')) {
      root.position.cells.forEach((disc, square) => {
        if (disc) list[square].disc = disc;
      });
    }
    played.forEach((node, i) => {
      list[node.move].order = String(i + 1);
      if (app.get('show.orderTranscript')) list[node.move].disc = node.parent?.position.side ?? 0;
    });
  }

  /** Colours of squares by whose advantage they are. @param {Cell[]} list */
  focus(list) {
    const { hints, app } = this;
    if (hints.focus?.node !== app.tree.current.id) return;
    const most = Math.max(4, ...hints.focus.black.map(Math.abs));
    hints.focus.black.forEach((value, square) => {
      if (value) list[square].focus = value / most;
    });
  }

  /** @param {Uint8Array} cells */
  stable(cells) {
    const squares = this.app.currentFacts?.stable;
    if (!squares) return stableDiscs(cells);
    const stable = new Uint8Array(64);
    for (const name of squares) stable[squareOf(name)] = 1;
    return stable;
  }

  /** @param {Cell[]} list @param {Set<number>} legal */
  hoverCells(list, legal) {
    const { app } = this;
    if (!legal.has(app.hover) || !app.get('show.wouldFlip')) return;
    const { side } = app.position;
    if (!list[app.hover].value) list[app.hover].ghost = side;
    for (const square of app.hoverFlips())
      list[square].wouldFlip = app.get('show.goodFlips') ? this.flipKind(square) : 'flip';
  }

  /** A flip is good where the disc cannot be turned back at once. @param {number} square @returns {'good' | 'bad'} */
  flipKind(square) {
    const { app } = this;
    const after = play(app.position, app.hover);
    if (!after) return 'good';
    const other = opponent(app.position.side);
    const { cells } = after.position;
    return legalMoves(cells, other).some((move) => flips(cells, other, move).includes(square)) ? 'bad' : 'good';
  }

  /** @param {Cell[]} list @param {Set<number>} legal */
  values(list, legal) {
    const { app, hints } = this;
    const shown = app.get('show.values') || hints.held;
    const known = shown ? hints.moves.slice(0, app.get('hints.number')) : [];
    const best = known.length > 0 ? Math.max(...known.map((move) => move.v)) : 0;
    const umigame =
      app.get('show.umigame') && hints.umigame?.node === app.tree.current.id ? hints.umigame.numbers : new Map();
    const accuracy = app.get('show.bookAccuracy');
    for (const move of known) {
      const square = squareOf(move.move);
      if (legal.has(square))
        list[square].value = this.value(move, best, accuracy ? hints.bookMove(square) : null, umigame.get(square));
    }
    for (const [square, numbers] of umigame) {
      if (legal.has(square) && !list[square].value)
        list[square].value = { text: '', kind: 'other', best: false, umigame: numbers };
    }
  }

  /**
   * @param {HintMove} move @param {number} best @param {any} book @param {[string, string] | undefined} umigame
   * @returns {import('./cell.js').CellValue}
   */
  value(move, best, book, umigame) {
    const { app } = this;
    const isBest = move.v === best;
    const simple = app.get('hints.simple');
    return {
      text: signed(move.v),
      kind: valueKind(move, isBest, app.get('hints.colours')),
      best: isBest,
      exact: move.exact,
      simple,
      below: simple || book ? '' : depthText(move),
      foot: book ? `${book.accuracy ?? ''} ${book.level >= 70 ? 'S' : book.level} ${short(book.lines)}` : '',
      umigame,
    };
  }

  /** @param {Cell} cell @param {number} square @param {Set<number>} legal */
  label(cell, square, legal) {
    const parts = [squareName(square)];
    if (cell.disc) parts.push(t(sideName(cell.disc)));
    else if (legal.has(square)) parts.push(t('board.legal'));
    else parts.push(t('board.empty'));
    if (cell.value) {
      const { text, below = '', foot = '', umigame = [] } = cell.value;
      parts.push([text, below, foot, ...umigame].filter(Boolean).join(' '));
    }
    if (cell.last) parts.push(t('board.last'));
    if (cell.stable) parts.push(t('board.stable'));
    if (cell.next) parts.push(t('board.next'));
    if (cell.order) parts.push(t('board.order', { n: cell.order }));
    return parts.join(', ');
  }

  /** The name of the opening after the move under the pointer, or what is known of that move's games. */
  hoverText() {
    const { app } = this;
    if (app.hover < 0) return '';
    const name = squareName(app.hover);
    const fact = app.currentFacts?.legal?.find((/** @type {any} */ move) => move.move === name);
    if (!fact) return '';
    const parts = [name];
    const opening = app.get('show.openingHover') ? openingName(fact.opening) : '';
    if (opening) parts.push(opening);
    const games =
      this.hints.moves.find((move) => move.move === name)?.book?.games ?? this.hints.bookMove(app.hover)?.games;
    if (games)
      parts.push(
        t('book.games', { wins: number(games.wins), draws: number(games.draws), losses: number(games.losses) }),
      );
    return parts.length > 1 ? parts.join('  ') : '';
  }
}

/** @param {HintMove} move */
function depthText(move) {
  if (move.book) return t('hint.book');
  if (move.depth === null) return '';
  if (move.exact) return '100%';
  return `${move.depth}${move.prob !== null && move.prob < 100 ? ` ${move.prob}%` : ''}`;
}

/** @param {HintMove} move @param {boolean} best @param {string} colours */
function valueKind(move, best, colours) {
  if (colours === 'best') return best ? 'best' : 'other';
  if (move.book || move.exact) return move.v > 0 ? 'plus' : move.v < 0 ? 'minus' : 'zero';
  if (move.prob !== null && move.prob >= 99) return best ? 'best' : 'other';
  return move.v >= 0 ? 'likely' : 'minus';
}

/** An opening in the language of the page. @param {{en: string | null, ja: string | null} | null | undefined} opening */
export function openingName(opening) {
  if (!opening) return '';
  return (language() === 'ja' ? (opening.ja ?? opening.en) : (opening.en ?? opening.ja)) ?? '';
}
