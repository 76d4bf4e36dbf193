// What <yaneura-board> knows of shogi.

import { askPromotion } from '../shogi/board-choice.js';
import { Board } from '../shogi/board.js';
import { handSpot, isSquare, layoutFor } from '../shogi/board-geometry.js';
import { FACES, lineNames, squareJa } from '../shogi/notation.js';
import { START, faceOf, parseSfen, sideName } from '../shogi/position.js';
import { inCheck, kingOf, legalMoves, moveText, parseMove, play } from '../shogi/rules.js';

/** @typedef {import('../shogi/board-geometry.js').Spot} Spot */
/** @typedef {import('../shogi/position.js').Position} Position */

/** The spot from which a move comes. @param {import('../shogi/rules.js').Move} move @param {number} side */
const spotOf = (move, side) => (move.from >= 0 ? move.from : handSpot(side, move.drop));

/** A score as people read it. @param {any} score */
function scoreText(score) {
  if (score?.mate !== undefined) return `# ${score.mate}`;
  const cp = score?.cp ?? 0;
  return `${cp > 0 ? '+' : cp < 0 ? '−' : ''}${Math.abs(cp)}`;
}

/**
 * @param {{flip: boolean, mayMove: () => boolean, moved: (move: string) => void}} page
 * @returns {import('./element.js').BoardGame}
 */
export function shogiGame({ flip, mayMove, moved }) {
  let start = START;
  let position = /** @type {Position} */ (parseSfen(START));
  let legal = legalMoves(position);
  /** @type {string[]} */
  let moves = [];
  /** @type {{move: string, text: string}[]} */
  let values = [];
  const from = (/** @type {Spot} */ spot) => legal.filter((move) => spotOf(move, position.side) === spot);
  const board = new Board(
    {
      targets: (spot) => {
        const found = mayMove() ? from(spot) : [];
        return found.length > 0 ? [...new Set(found.map(({ to }) => to))] : null;
      },
      move: async (spot, to) => {
        const found = from(spot).filter((move) => move.to === to);
        let [move] = found;
        if (found.length > 1) {
          const words = { question: 'Promote? 成りますか', yes: 'promote 成', no: 'do not 不成' };
          const answer = await askPromotion(board, to, position.board[spot], words);
          if (answer === null) return;
          move = found.find((one) => one.promote === answer) ?? move;
        }
        const text = moveText(move);
        if (game.play(text)) moved(text);
      },
    },
    'Shogi 将棋',
  );

  function draw() {
    const last = moves.length > 0 ? parseMove(moves[moves.length - 1]) : null;
    const arrows = values.map(({ move, text }, at) => {
      const { from, to, drop } = /** @type {import('../shogi/rules.js').Move} */ (parseMove(move));
      const spot = from >= 0 ? from : handSpot(position.side, drop);
      return { from: spot, to, kind: at === 0 ? 'best' : 'other', width: at === 0 ? 14 : 9, text };
    });
    board.draw({
      board: position.board,
      hands: position.hands,
      flip,
      layout: layoutFor(board.element.clientWidth || 480),
      set: 'one',
      coordinates: 'ja',
      last: last ? [last.from, last.to].filter((square) => square >= 0) : [],
      check: inCheck(position, position.side) ? kingOf(position.board, position.side) : -1,
      arrows,
      marks: [],
      label: (spot) => {
        const piece = board.pieceAt(spot);
        const place = isSquare(spot) ? squareJa(spot) : '';
        return `${place} ${piece ? FACES[faceOf(piece)] : ''}`.trim();
      },
    });
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
      return legal.length === 0;
    },
    set(text, list) {
      start = text || START;
      const parsed = parseSfen(start);
      if (!parsed) throw new Error(`position: an SFEN was expected: ${text}`);
      position = parsed;
      legal = legalMoves(position);
      moves = [];
      values = [];
      for (const move of list) if (!game.play(move)) throw new Error(`moves: ${move} is not legal`);
      draw();
    },
    play(move) {
      const next = play(position, move);
      if (!next) return false;
      position = next;
      legal = legalMoves(position);
      moves.push(move);
      values = [];
      draw();
      return true;
    },
    show(lines) {
      values = lines;
      draw();
    },
    request: () => ({ sfen: start, moves }),
    search: {
      think: 'think',
      lines: (event) =>
        event.lines
          .filter((/** @type {any} */ line) => line.pv.length > 0)
          .map((/** @type {any} */ line) => ({
            move: line.pv[0],
            text: scoreText(line.score),
            pv: lineNames(position, line.pv, 'ja').join(''),
          })),
    },
  };
  return game;
}
