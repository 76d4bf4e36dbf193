// The seven turns and reflections of the board, as maps of squares.

/** @typedef {'rotate180' | 'rotate90' | 'rotate270' | 'blackLine' | 'whiteLine' | 'horizontal' | 'vertical'} Transform */

/** @type {Record<Transform, (x: number, y: number) => [number, number]>} */
const MAPS = {
  rotate180: (x, y) => [7 - x, 7 - y],
  rotate90: (x, y) => [7 - y, x],
  rotate270: (x, y) => [y, 7 - x],
  // The black line runs from h1 to a8 (the black discs of the start stand on it), the white line from a1 to h8.
  blackLine: (x, y) => [7 - y, 7 - x],
  whiteLine: (x, y) => [y, x],
  horizontal: (x, y) => [7 - x, y],
  vertical: (x, y) => [x, 7 - y],
};

/** @type {Transform[]} */
export const TRANSFORMS = /** @type {Transform[]} */ (Object.keys(MAPS));

/**
 * Where a square goes.
 * @param {Transform} name
 * @param {number} square
 */
export function moveSquare(name, square) {
  const [x, y] = MAPS[name](square & 7, square >> 3);
  return y * 8 + x;
}

/**
 * @param {Transform} name
 * @param {Uint8Array} cells
 */
export function moveCells(name, cells) {
  const moved = new Uint8Array(64);
  cells.forEach((cell, square) => {
    moved[moveSquare(name, square)] = cell;
  });
  return moved;
}
