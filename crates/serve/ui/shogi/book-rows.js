// The moves of several books as rows of one table, sorted and compared. Pure.

/** @typedef {import('./books.js').BookMove} BookMove */

/** What the table can be sorted by: the order of the book, or a column of the first book. */
export const SORTS = ['book', 'move', 'score', 'depth', 'count', 'loss', 'engine'];

/**
 * A row: what each book says of a move, in the order of the books, `null` where it has none.
 * @typedef {{move: string, cells: (BookMove | null)[], differs: boolean}} Row
 */

/**
 * @param {(BookMove[] | null)[]} books the moves of each book, `null` for one that lacks the position
 * @param {string} sort
 * @param {(move: string) => string} nameOf
 * @param {(move: string) => number | null} engineScore
 * @returns {Row[]}
 */
export function bookRows(books, sort, nameOf, engineScore) {
  const moves = [...new Set(books.flatMap((list) => (list ?? []).map((one) => one.move)))];
  const rows = moves.map((move) => {
    const cells = books.map((list) => list?.find((one) => one.move === move) ?? null);
    return { move, cells, differs: differ(cells, books) };
  });
  if (sort === 'book') return rows;
  /** @param {Row} row @returns {number | string | null} */
  const key = (row) => {
    const cell = row.cells.find((one) => one !== null);
    if (sort === 'move') return nameOf(row.move);
    if (sort === 'engine') return engineScore(row.move);
    const value = cell?.[/** @type {'score'} */ (sort)];
    return value === null || value === undefined ? null : Number(value);
  };
  const upward = sort === 'move' || sort === 'loss';
  return rows
    .map((row) => ({ row, at: key(row) }))
    .sort((a, b) => {
      if (a.at === null || b.at === null) return Number(a.at === null) - Number(b.at === null);
      const order = a.at < b.at ? -1 : a.at > b.at ? 1 : 0;
      return upward ? order : -order;
    })
    .map(({ row }) => row);
}

/** Whether books that have the position disagree on a move: one lacks it, or the scores are others. @param {(BookMove | null)[]} cells @param {(BookMove[] | null)[]} books */
function differ(cells, books) {
  const having = cells.filter((_, i) => books[i] !== null);
  if (having.length < 2) return false;
  const [first] = having;
  return having.some((cell) => (cell === null) !== (first === null) || cell?.score !== first?.score);
}

/** The largest difference of scores of a row, 0 where there is none. @param {Row} row */
export function spread(row) {
  const scores = row.cells.flatMap((cell) => (typeof cell?.score === 'number' ? [cell.score] : []));
  return scores.length < 2 ? 0 : Math.max(...scores) - Math.min(...scores);
}
