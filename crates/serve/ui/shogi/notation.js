// Names of moves for people: as Japanese records write them, as English books do, or plain USI. Pure.

import {
  BISHOP,
  BLACK,
  PROMOTED,
  ROOK,
  canPromote,
  faceOf,
  isPromoted,
  kindOf,
  LETTERS,
  rankOf,
  sideOf,
  squareName,
} from './position.js';
import { apply, parseMove, sourcesOf } from './rules.js';

/** @typedef {import('./position.js').Position} Position */
/** @typedef {import('./rules.js').Move} Move */
/** @typedef {'ja' | 'en' | 'usi'} Style */

export const STYLES = ['ja', 'en', 'usi'];

/** Names of the faces in moves, by their number. */
export const FACES = ['', '歩', '香', '桂', '銀', '金', '角', '飛', '玉', 'と', '成香', '成桂', '成銀', '', '馬', '龍'];

const FILES = '１２３４５６７８９';
const RANKS = '一二三四五六七八九';

/** A square as Japanese records name it. @param {number} square */
export const squareJa = (square) => FILES[8 - (square % 9)] + RANKS[rankOf(square)];

/** The mark of a side before its moves. @param {number} side */
export const sideMark = (side) => (side === BLACK ? '▲' : '△');

/**
 * The name of a move that is played in a position.
 * @param {Position} position @param {string} usi @param {Style} style
 * @param {string} [last] the move before it, for 同
 */
export function moveName(position, usi, style, last) {
  const move = parseMove(usi);
  if (!move || style === 'usi' || (move.from >= 0 && !position.board[move.from])) return usi;
  return style === 'ja' ? nameJa(position, move, last ? (parseMove(last)?.to ?? -1) : -1) : nameEn(position, move);
}

/**
 * Names of moves one after the other, up to the first that cannot be played.
 * @param {Position} position @param {string[]} moves @param {Style} style @param {string} [last]
 */
export function lineNames(position, moves, style, last) {
  const names = [];
  let at = position;
  for (const usi of moves) {
    const move = parseMove(usi);
    if (!move || (move.from >= 0 && !at.board[move.from])) break;
    names.push(moveName(at, usi, style, last));
    at = apply(at, move);
    last = usi;
  }
  return names;
}

/** Where else pieces of the same face could come from. @param {Position} position @param {Move} move @param {number} face */
const rivals = (position, move, face) => sourcesOf(position, face, move.to).filter((from) => from !== move.from);

/** @param {Position} position @param {Move} move @param {number} lastTo */
function nameJa(position, move, lastTo) {
  const { board, side } = position;
  const face = move.from < 0 ? move.drop : faceOf(board[move.from]);
  const where = move.to === lastTo ? '同　' : squareJa(move.to);
  const others = rivals(position, move, face);
  let name = sideMark(side) + where + FACES[face];
  if (name.includes('　成')) name = name.replace('　', '');
  if (move.from < 0) return others.length > 0 ? `${name}打` : name;
  if (others.length > 0) name += direction(face, side, move, others);
  if (move.promote) return `${name}成`;
  return couldPromote(position, move) ? `${name}不成` : name;
}

/** Whether a move without promotion might have had one. @param {Position} position @param {Move} move */
export function couldPromote({ board, side }, move) {
  if (move.from < 0) return false;
  const piece = board[move.from];
  const deep = (/** @type {number} */ square) => (side === BLACK ? rankOf(square) : 8 - rankOf(square)) < 3;
  return !isPromoted(piece) && canPromote(kindOf(piece)) && (deep(move.from) || deep(move.to));
}

/** Which of several pieces moves: where it comes from, or how it goes. @param {number} face @param {number} side @param {Move} move @param {number[]} others */
function direction(face, side, move, others) {
  const sign = side === BLACK ? 1 : -1;
  /** How far to the right of its target a piece begins, as its player sees it. @param {number} from */
  const right = (from) => ((from % 9) - (move.to % 9)) * sign;
  /** @param {number} from */
  const below = (from) => Math.sign((rankOf(from) - rankOf(move.to)) * sign);
  const how = (/** @type {number} */ from) => ({ 1: '上', 0: '寄', '-1': '引' })[below(from)] ?? '';
  const own = how(move.from);
  if (others.every((from) => how(from) !== own)) return own;
  const ranging = face === BISHOP + PROMOTED || face === ROOK + PROMOTED;
  if (right(move.from) === 0 && below(move.from) === 1 && !ranging) return '直';
  const left = ranging ? right(move.from) < right(others[0]) : right(move.from) < 0;
  const word = left ? '左' : '右';
  const same = others.filter((from) => (left ? right(from) < 0 : right(from) > 0));
  return ranging || same.length === 0 ? word : word + own;
}

/** @param {Position} position @param {Move} move */
function nameEn(position, move) {
  if (move.from < 0) return `${LETTERS[move.drop]}*${squareName(move.to)}`;
  const piece = position.board[move.from];
  const letter = (isPromoted(piece) ? '+' : '') + LETTERS[kindOf(piece)];
  const from = rivals(position, move, faceOf(piece)).length > 0 ? squareName(move.from) : '';
  const taken = position.board[move.to] && sideOf(position.board[move.to]) !== position.side ? 'x' : '-';
  const end = move.promote ? '+' : couldPromote(position, move) ? '=' : '';
  return letter + from + taken + squareName(move.to) + end;
}
