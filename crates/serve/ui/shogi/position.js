// Positions of shogi and their text, SFEN. Pure; `rules.js` knows how pieces move.

/** Sides: black (先手) moves first. */
export const BLACK = 0;
export const WHITE = 1;

/** Kinds of pieces as they are in hand; a promoted one is 8 more, a white one 16 more. */
export const PAWN = 1;
export const LANCE = 2;
export const KNIGHT = 3;
export const SILVER = 4;
export const GOLD = 5;
export const BISHOP = 6;
export const ROOK = 7;
export const KING = 8;
export const PROMOTED = 8;
const WHITE_PIECE = 16;

/** The letters of the kinds in SFEN; that of no piece is a blank. */
export const LETTERS = ' PLNSGBRK';

/** Kinds in the order in which hands are written and shown. */
export const HAND_KINDS = [ROOK, BISHOP, GOLD, SILVER, KNIGHT, LANCE, PAWN];

/** How many pieces of each kind a set has. */
export const SET = [0, 18, 4, 4, 4, 4, 2, 2, 2];

/**
 * Squares are numbered from 9a, row by row: 0 is 9a, 8 is 1a, 80 is 1i.
 * @typedef {object} Position
 * @property {Int8Array} board 81 pieces, 0 for none
 * @property {[Uint8Array, Uint8Array]} hands numbers of pieces by kind
 * @property {number} side
 * @property {number} ply the number of the next move, from 1
 */

export const START = 'lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1';

/** Start positions of handicap games by the name that records use. @type {[string, string][]} */
export const HANDICAPS = [
  ['平手', START],
  ['香落ち', 'lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1'],
  ['右香落ち', '1nsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1'],
  ['角落ち', 'lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1'],
  ['飛車落ち', 'lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1'],
  ['飛香落ち', 'lnsgkgsn1/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1'],
  ['二枚落ち', 'lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1'],
  ['三枚落ち', 'lnsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1'],
  ['四枚落ち', '1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1'],
  ['五枚落ち', '2sgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1'],
  ['左五枚落ち', '1nsgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1'],
  ['六枚落ち', '2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1'],
  ['左七枚落ち', '2sgkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1'],
  ['右七枚落ち', '3gkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1'],
  ['八枚落ち', '3gkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1'],
  ['十枚落ち', '4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1'],
];

/** The side of a piece. @param {number} piece */
export const sideOf = (piece) => (piece >= WHITE_PIECE ? WHITE : BLACK);
/** The kind of a piece with its promotion, without its side. @param {number} piece */
export const faceOf = (piece) => piece & 15;
/** Whether a piece is promoted: a king is none. @param {number} piece */
export const isPromoted = (piece) => (piece & 15) > KING;
/** The kind of a piece as it would be in hand. @param {number} piece */
export const kindOf = (piece) => (isPromoted(piece) ? (piece & 15) - PROMOTED : piece & 15);
/** @param {number} face @param {number} side */
export const pieceOf = (face, side) => face + (side === WHITE ? WHITE_PIECE : 0);
/** Whether a kind has a promoted side. @param {number} kind */
export const canPromote = (kind) => kind !== GOLD && kind !== KING;
/** @param {number} side */
export const opponent = (side) => 1 - side;
/** @param {number} side */
export const sideName = (side) => (side === BLACK ? 'black' : 'white');

/** The square of a name like `7g`, -1 for none. @param {string} name */
export function squareOf(name) {
  const match = /^([1-9])([a-i])$/.exec(name);
  return match ? (match[2].charCodeAt(0) - 97) * 9 + 9 - Number(match[1]) : -1;
}

/** @param {number} square */
export const squareName = (square) => `${fileOf(square)}${'abcdefghi'[rankOf(square)]}`;
/** File 1 to 9. @param {number} square */
export const fileOf = (square) => 9 - (square % 9);
/** Rank 0 to 8 from above. @param {number} square */
export const rankOf = (square) => Math.floor(square / 9);

/** @returns {Position} */
export const emptyPosition = () => ({
  board: new Int8Array(81),
  hands: [new Uint8Array(9), new Uint8Array(9)],
  side: BLACK,
  ply: 1,
});

/** @param {Position} position @returns {Position} */
export const copyOf = (position) => ({
  board: position.board.slice(),
  hands: [position.hands[0].slice(), position.hands[1].slice()],
  side: position.side,
  ply: position.ply,
});

/** The position of an SFEN; `null` where the text is none. The fields behind the board may be missing. @param {string} text @returns {Position | null} */
export function parseSfen(text) {
  const [board, side = 'b', hands = '-', ply = '1'] = text
    .trim()
    .replace(/^(?:position\s+)?sfen\s+/, '')
    .split(/\s+/);
  const position = emptyPosition();
  if (text.trim() === 'startpos') return parseSfen(START);
  const rows = board.split('/');
  if (rows.length !== 9 || !/^[bw]$/.test(side)) return null;
  for (const [rank, row] of rows.entries()) {
    let column = 0;
    for (const [part, promoted, letter] of row.matchAll(/(\+?)([a-zA-Z])|[1-9]|./g)) {
      if (!letter) {
        if (!/[1-9]/.test(part)) return null;
        column += Number(part);
        continue;
      }
      const kind = LETTERS.indexOf(letter.toUpperCase());
      if (kind < 1 || column > 8 || (promoted && !canPromote(kind))) return null;
      const lower = letter === letter.toLowerCase();
      position.board[rank * 9 + column++] = pieceOf(kind + (promoted ? PROMOTED : 0), lower ? WHITE : BLACK);
    }
    if (column !== 9) return null;
  }
  if (!parseHands(hands, position)) return null;
  position.side = side === 'b' ? BLACK : WHITE;
  position.ply = Math.max(1, Number(ply) || 1);
  return position;
}

/** @param {string} text @param {Position} position @returns {boolean} */
function parseHands(text, position) {
  if (text === '-') return true;
  if (!/^(?:\d*[plnsgbrPLNSGBR])+$/.test(text)) return false;
  for (const [, count, letter] of text.matchAll(/(\d*)([a-zA-Z])/g)) {
    const side = letter === letter.toLowerCase() ? WHITE : BLACK;
    position.hands[side][LETTERS.indexOf(letter.toUpperCase())] += count ? Math.min(18, Number(count)) : 1;
  }
  return true;
}

/** The first three fields of an SFEN: what makes positions the same whatever their ply. @param {Position} position */
export function sfenKey({ board, hands, side }) {
  const rows = [];
  for (let rank = 0; rank < 9; rank++) {
    let row = '';
    let empty = 0;
    for (let column = 0; column < 9; column++) {
      const piece = board[rank * 9 + column];
      if (!piece) {
        empty++;
        continue;
      }
      row += (empty || '') + pieceLetter(piece);
      empty = 0;
    }
    rows.push(row + (empty || ''));
  }
  const held = [BLACK, WHITE].flatMap((who) =>
    HAND_KINDS.filter((kind) => hands[who][kind] > 0).map((kind) => {
      const count = hands[who][kind];
      return (count > 1 ? count : '') + pieceLetter(pieceOf(kind, who));
    }),
  );
  return `${rows.join('/')} ${side === BLACK ? 'b' : 'w'} ${held.join('') || '-'}`;
}

/** @param {Position} position */
export const sfenText = (position) => `${sfenKey(position)} ${position.ply}`;

/** @param {number} piece */
export function pieceLetter(piece) {
  const letter = LETTERS[kindOf(piece)];
  return (isPromoted(piece) ? '+' : '') + (sideOf(piece) === WHITE ? letter.toLowerCase() : letter);
}

export const startPosition = () => /** @type {Position} */ (parseSfen(START));

/** The position turned by 180 degrees with the colours changed. @param {Position} position @returns {Position} */
export function flipped(position) {
  const copy = copyOf(position);
  position.board.forEach((piece, square) => {
    copy.board[80 - square] = piece && pieceOf(faceOf(piece), opponent(sideOf(piece)));
  });
  copy.hands.reverse();
  copy.side = opponent(position.side);
  return copy;
}

/** The same move in a position turned by 180 degrees. @param {string} move */
export const flippedMove = (move) =>
  move.replace(/([1-9])([a-i])/g, (_, file, rank) => `${10 - Number(file)}${'ihgfedcba'['abcdefghi'.indexOf(rank)]}`);
