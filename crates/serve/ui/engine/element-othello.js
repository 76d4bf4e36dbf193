// What <yaneura-board> knows of othello.

import { Board } from '../othello/board.js';
import { boardText, parseBoard } from '../othello/notation.js';
import {
  BLACK,
  isOver,
  legalMoves,
  play,
  settlePass,
  sideName,
  squareName,
  squareOf,
  startPosition,
} from '../othello/rules.js';

/**
 * @param {{flip: boolean, mayMove: () => boolean, moved: (move: string) => void}} page
 * @returns {import('./element.js').BoardGame}
 */
export function othelloGame({ mayMove, moved }) {
  let start = startPosition();
  let position = start;
  /** @type {string[]} */
  let moves = [];
  /** @type {Map<number, string>} */
  let values = new Map();
  const board = new Board(
    {
      play: (square) => {
        const name = squareName(square);
        if (mayMove() && game.play(name)) moved(name);
      },
    },
    'Othello オセロ',
  );

  function draw() {
    const legal = new Set(isOver(position) ? [] : legalMoves(position.cells, position.side));
    const last = moves.length > 0 ? squareOf(moves[moves.length - 1]) : -1;
    const best = [...values.keys()][0];
    const cells = Array.from(position.cells, (disc, square) => ({
      disc,
      legal: legal.has(square),
      last: square === last,
      value: values.has(square)
        ? {
            text: values.get(square) ?? '',
            kind: square === best ? 'best' : 'other',
            best: square === best,
            simple: true,
          }
        : undefined,
    }));
    const name = (/** @type {number} */ square) =>
      `${squareName(square)} ${['', sideName(BLACK), 'white'][position.cells[square]]} ${values.get(square) ?? ''}`.trim();
    board.draw(cells, name, (square) => legal.has(square));
  }

  /** @type {import('./element.js').BoardGame} */
  const game = {
    element: board.element,
    get moves() {
      return [...moves];
    },
    get side() {
      return sideName(position.side);
    },
    get over() {
      return isOver(position);
    },
    set(text, list) {
      const parsed = text ? parseBoard(text) : startPosition();
      if (!parsed) throw new Error(`position: 64 squares of X O - and the side to move were expected: ${text}`);
      start = parsed;
      position = settlePass(start).position;
      moves = [];
      values = new Map();
      for (const move of list) {
        if (!game.play(move.toLowerCase())) throw new Error(`moves: ${move} is not legal`);
      }
      draw();
    },
    play(move) {
      const next = /^[a-h][1-8]$/.test(move) ? play(position, squareOf(move)) : null;
      if (!next) return false;
      position = next.position;
      moves.push(move);
      values = new Map();
      draw();
      return true;
    },
    show(lines) {
      values = new Map(lines.map(({ move, text }) => [squareOf(move), text]));
      draw();
    },
    request: () => ({ board: boardText(start), moves }),
    search: {
      think: 'hint',
      lines: (event) =>
        event.moves
          .filter((/** @type {any} */ one) => one.move !== 'pass')
          .map((/** @type {any} */ one) => ({
            move: one.move,
            text: `${one.v > 0 ? '+' : one.v < 0 ? '−' : ''}${Math.abs(one.v)}`,
            pv: one.pv.join(' '),
          })),
    },
  };
  return game;
}
