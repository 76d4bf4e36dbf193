// The SVG elements of squares, pieces, arrows and marks.

import { arrowPath, centre, isNear, spotCentre, SQUARE, stand } from './board-geometry.js';
import { pieceShapes } from './pieces.js';
import { WHITE, sideOf } from './position.js';

const SVG = 'http://www.w3.org/2000/svg';

/** @param {string} name @param {Record<string, string | number>} attributes */
export function make(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

/** A piece around the point 0, 0. @param {number} piece @param {string} set @param {boolean} upside whether its owner sits above */
export function pieceElement(piece, set, upside) {
  const outer = make('g', { class: `piece ${sideOf(piece) === WHITE ? 'white' : 'black'}` });
  const { size, shapes } = pieceShapes(piece, set);
  const inner = make('g', { transform: `${upside ? 'rotate(180) ' : ''}scale(${size})` });
  inner.append(...shapes.map(([name, attributes]) => make(name, attributes)));
  outer.append(inner);
  return outer;
}

/**
 * @param {{piece: number, set: string, upside: boolean, last: boolean, picked: boolean, target: boolean, check: boolean}} state
 * @returns {Element[]}
 */
export function cellShapes({ piece, set, upside, last, picked, target, check }) {
  const shapes = [];
  const whole = { width: SQUARE.width, height: SQUARE.height };
  if (last) shapes.push(make('rect', { class: 'last', ...whole }));
  if (picked) shapes.push(make('rect', { class: 'picked', ...whole }));
  if (check) shapes.push(make('rect', { class: 'in-check', x: 4, y: 4, width: 92, height: 100, rx: 8 }));
  if (piece) {
    const drawing = pieceElement(piece, set, upside);
    drawing.setAttribute('transform', `translate(${SQUARE.width / 2} ${SQUARE.height / 2})`);
    shapes.push(drawing);
  }
  if (target)
    shapes.push(
      piece
        ? make('rect', { class: 'target-ring', x: 5, y: 5, width: 90, height: 98, rx: 10 })
        : make('circle', { class: 'target-dot', cx: SQUARE.width / 2, cy: SQUARE.height / 2, r: 13 }),
    );
  return shapes;
}

/** Points of the board, arrows and marks. @param {import('./board.js').View} view @returns {Element[]} */
export function overlayShapes(view) {
  const points = [3, 6].flatMap((x) =>
    [3, 6].map((y) => make('circle', { class: 'point', cx: x * SQUARE.width, cy: y * SQUARE.height, r: 6 })),
  );
  const arrows = [...view.arrows].reverse().flatMap((arrow) => {
    const from = spotCentre(arrow.from, view.layout, view.flip);
    const to = spotCentre(arrow.to, view.layout, view.flip);
    const parts = [make('path', { class: `arrow ${arrow.kind}`, d: arrowPath(from, to, arrow.width) })];
    if (arrow.text) {
      const text = make('text', { class: `arrow-text ${arrow.kind}`, x: to.x, y: to.y + 44 });
      text.textContent = arrow.text;
      parts.push(text);
    }
    return parts;
  });
  const marks = view.marks.map((mark) => {
    const { x, y } = centre(mark.spot, view.flip);
    const text = make('text', { class: `mark ${mark.kind}`, x: x + 46, y: y - 30 });
    text.textContent = mark.text;
    return text;
  });
  return [...points, ...arrows, ...marks, ...playerNames(view)];
}

/** Names of the players beside their stands, shown in pictures alone. @param {import('./board.js').View} view */
function playerNames({ names, layout, flip }) {
  return (names ?? []).map((name, side) => {
    const box = stand(layout, side, flip);
    const near = isNear(side, flip);
    const y = layout === 'rows' ? box.y + box.height - 10 : near ? box.y - 16 : box.y + box.height + 34;
    const x = layout === 'rows' ? box.x + box.width - 8 : box.x + box.width / 2;
    const text = make('text', { class: `player-name ${layout}`, x, y });
    text.textContent = `${side === WHITE ? '☖' : '☗'}${name}`;
    return text;
  });
}
