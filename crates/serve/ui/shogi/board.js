// The board on the screen: an SVG with squares and stands for mouse, touch, keyboard and screen readers. It draws what it is told
// and reports what the user does; it knows nothing of games.

import {
  FIELD,
  SQUARE,
  corner,
  handSlot,
  handSpot,
  isNear,
  isSquare,
  slotCentre,
  spotAt,
  spotCentre,
  stand,
  viewBox,
} from './board-geometry.js';
import { cellShapes, make, overlayShapes, pieceElement } from './board-shapes.js';
import { BLACK, HAND_KINDS, WHITE, pieceOf, sideOf } from './position.js';
import { KANJI } from './glyphs/kanji.js';
import { boardKeys } from './board-keys.js';
import { boardPointer } from './board-pointer.js';

/** @typedef {import('./board-geometry.js').Spot} Spot */
/** @typedef {import('./board-geometry.js').Layout} Layout */
/** @typedef {{from: Spot, to: Spot, kind: string, width: number, text?: string}} Arrow */

/**
 * What is drawn.
 * @typedef {object} View
 * @property {Int8Array} board
 * @property {[Uint8Array, Uint8Array]} hands
 * @property {boolean} flip whether white sits at the lower edge
 * @property {Layout} layout
 * @property {string} set of the drawings of pieces
 * @property {string} coordinates `none`, `ja` (一, 二 …) or `en` (a, b …)
 * @property {Spot[]} last squares of the last move
 * @property {number} check the square of a king in check, -1 for none
 * @property {Arrow[]} arrows
 * @property {{spot: Spot, text: string, kind: string}[]} marks short texts on squares
 * @property {[string, string]} [names] of the players, which pictures show
 * @property {(spot: Spot) => string} label for screen readers
 */

/**
 * @typedef {object} Handlers
 * @property {(from: Spot) => Spot[] | null} targets where a piece may go; `null` if it cannot be picked up
 * @property {(from: Spot, to: Spot) => void} move a piece was carried somewhere
 * @property {(spot: Spot) => void} [press] a click on a spot from which nothing is picked up
 * @property {(spot: Spot) => void} [context] right click or long press
 * @property {(spot: Spot) => void} [hover]
 */

export class Board {
  /** @param {Handlers} handlers @param {string} label name of the board for screen readers */
  constructor(handlers, label) {
    this.handlers = handlers;
    /** The piece that was picked up, -1 for none. @type {Spot} */
    this.picked = -1;
    /** @type {Set<Spot>} */
    this.targets = new Set();
    this.focused = 40;
    /** @type {View | null} */
    this.view = null;
    this.element = /** @type {SVGSVGElement} */ (make('svg', { class: 'board', role: 'group', 'aria-label': label }));
    this.frame = make('g', { class: 'frame', 'aria-hidden': 'true' });
    this.grid = make('g', { role: 'grid', 'aria-label': label });
    this.stands = [BLACK, WHITE].map(() => make('g', { role: 'group', class: 'stand' }));
    this.over = make('g', { class: 'over', 'aria-hidden': 'true' });
    this.choice = make('g', { class: 'choice', role: 'group' });
    this.ghost = make('g', { class: 'ghost', 'aria-hidden': 'true' });
    this.element.append(this.frame, this.grid, ...this.stands, this.over, this.ghost, this.choice);
    /** @type {SVGGElement[]} */
    this.cells = [];
    /** What was drawn on each spot, so that only changes are drawn. @type {Map<Spot, string>} */
    this.drawn = new Map();
    this.makeCells();
    boardPointer(this);
    boardKeys(this);
  }

  makeCells() {
    for (let rank = 0; rank < 9; rank++) {
      const row = make('g', { role: 'row' });
      for (let column = 0; column < 9; column++) {
        const square = rank * 9 + column;
        const cell = /** @type {SVGGElement} */ (
          make('g', {
            role: 'gridcell',
            class: 'cell',
            tabindex: square === this.focused ? 0 : -1,
            'data-spot': square,
          })
        );
        cell.append(
          make('rect', { class: 'square', width: SQUARE.width, height: SQUARE.height }),
          make('g', { class: 'shapes' }),
        );
        row.append(cell);
        this.cells.push(cell);
      }
      this.grid.append(row);
    }
  }

  /** @param {View} view */
  draw(view) {
    const frame = JSON.stringify([view.flip, view.layout, view.coordinates]);
    if (this.drawn.get(-1) !== frame) {
      this.drawn.clear();
      this.drawn.set(-1, frame);
      this.element.setAttribute('viewBox', viewBox(view.layout));
      this.element.classList.toggle('rows', view.layout === 'rows');
      this.drawFrame(view);
      this.cells.forEach((cell, square) => {
        const { x, y } = corner(square, view.flip);
        cell.setAttribute('transform', `translate(${x} ${y})`);
      });
    }
    this.view = view;
    if (this.picked >= 0 && !this.pieceAt(this.picked)) this.unpick();
    for (let square = 0; square < 81; square++) this.drawCell(square, view);
    for (const side of [BLACK, WHITE]) this.drawStand(side, view);
    this.over.replaceChildren(...overlayShapes(view));
  }

  /** The piece on a spot, 0 for none. @param {Spot} spot */
  pieceAt(spot) {
    const { view } = this;
    if (!view || spot < 0) return 0;
    if (isSquare(spot)) return view.board[spot];
    const [side, kind] = [Math.floor((spot - 100) / 10), (spot - 100) % 10];
    return view.hands[side]?.[kind] ? pieceOf(kind, side) : 0;
  }

  /** @param {number} square @param {View} view */
  drawCell(square, view) {
    const piece = view.board[square];
    const label = view.label(square);
    const can = this.picked >= 0 ? this.targets.has(square) || square === this.picked : Boolean(piece);
    const state = {
      piece,
      set: view.set,
      upside: piece ? !isNear(sideOf(piece), view.flip) : false,
      last: view.last.includes(square),
      picked: this.picked === square,
      target: this.targets.has(square),
      check: view.check === square,
    };
    const signature = JSON.stringify([state, label, can]);
    if (this.drawn.get(square) === signature) return;
    this.drawn.set(square, signature);
    const cell = this.cells[square];
    cell.setAttribute('aria-label', label);
    cell.setAttribute('aria-disabled', String(!can));
    cell.setAttribute('aria-selected', String(state.picked));
    /** @type {Element} */ (cell.lastChild).replaceChildren(...cellShapes(state));
  }

  /** @param {number} side @param {View} view */
  drawStand(side, view) {
    const counts = HAND_KINDS.map((kind) => view.hands[side][kind]);
    const spot = 200 + side;
    const labels = HAND_KINDS.map((kind) => view.label(handSpot(side, kind)));
    const signature = JSON.stringify([counts, this.picked, this.targets.has(spot), labels, view.label(spot), view.set]);
    if (this.drawn.get(spot) === signature) return;
    this.drawn.set(spot, signature);
    const group = this.stands[side];
    const had = group.contains(document.activeElement) ? document.activeElement?.getAttribute('data-spot') : null;
    const box = stand(view.layout, side, view.flip);
    group.setAttribute('aria-label', view.label(spot));
    group.replaceChildren(
      make('rect', { class: `stand-field ${this.targets.has(spot) ? 'target' : ''}`, ...box, rx: 10 }),
    );
    let first = true;
    for (const [i, kind] of HAND_KINDS.entries()) {
      if (counts[i] === 0) continue;
      const at = handSpot(side, kind);
      const slot = handSlot(view.layout, side, kind, view.flip);
      const cell = make('g', {
        role: 'button',
        class: `hand ${this.picked === at ? 'picked' : ''}`,
        tabindex: first ? 0 : -1,
        'data-spot': at,
        'aria-label': labels[i],
        'aria-pressed': String(this.picked === at),
      });
      first = false;
      const { x, y } = slotCentre(view.layout, slot);
      cell.append(make('rect', { class: 'slot', ...slot, rx: 8 }));
      const drawing = pieceElement(pieceOf(kind, side), view.set, !isNear(side, view.flip));
      drawing.setAttribute('transform', `translate(${x} ${y})`);
      cell.append(drawing);
      if (counts[i] > 1) {
        const text = make('text', { class: 'count', x: x + 46, y: y + 15 });
        text.textContent = String(counts[i]);
        cell.append(text);
      }
      group.append(cell);
    }
    if (had) /** @type {HTMLElement | null} */ (group.querySelector(`[data-spot="${had}"]`))?.focus();
  }

  /** @param {View} view */
  drawFrame(view) {
    const parts = [
      make('rect', {
        class: 'frame-field',
        x: -24,
        y: -46,
        width: FIELD.width + 72,
        height: FIELD.height + 64,
        rx: 10,
      }),
    ];
    parts.push(make('rect', { class: 'field', x: 0, y: 0, width: FIELD.width, height: FIELD.height }));
    for (let i = 0; i < 9 && view.coordinates !== 'none'; i++) {
      const number = view.flip ? i + 1 : 9 - i;
      const file = make('text', { class: 'coordinate', x: i * 100 + 50, y: -12 });
      file.textContent = String(number);
      parts.push(file);
      const rank = view.flip ? 8 - i : i;
      const [x, y] = [FIELD.width + 24, i * SQUARE.height + SQUARE.height / 2];
      if (view.coordinates === 'ja') {
        const size = 0.03;
        const transform = `matrix(${size} 0 0 ${size} ${x - 500 * size} ${y - 500 * size})`;
        parts.push(make('path', { class: 'coordinate', d: KANJI['一二三四五六七八九'[rank]], transform }));
      } else {
        const letter = make('text', { class: 'coordinate', x, y: y + 9 });
        letter.textContent = 'abcdefghi'[rank];
        parts.push(letter);
      }
    }
    this.frame.replaceChildren(...parts);
  }

  redraw() {
    if (this.view) this.draw(this.view);
  }

  /** Picks a piece up if it can be. @param {Spot} spot @returns {boolean} */
  pick(spot) {
    const targets = this.handlers.targets(spot);
    if (!targets) return false;
    this.picked = spot;
    this.targets = new Set(targets);
    this.redraw();
    return true;
  }

  unpick() {
    if (this.picked < 0) return;
    this.picked = -1;
    this.targets = new Set();
    this.redraw();
  }

  /** What a click or Enter on a spot does: takes up, puts down, or changes its mind. @param {Spot} spot */
  press(spot) {
    const { picked } = this;
    if (picked >= 0 && picked !== spot) {
      if (this.carry(picked, spot)) return;
      if (!this.pick(spot)) this.unpick();
    } else if (picked === spot) this.unpick();
    else if (!this.pick(spot)) this.handlers.press?.(spot);
  }

  /** Carries the picked piece to a spot if it may go there. @param {Spot} from @param {Spot} to @returns {boolean} */
  carry(from, to) {
    const goal = this.targets.has(to) ? to : to >= 100 && to < 200 ? 200 + Math.floor((to - 100) / 10) : to;
    if (!this.targets.has(goal)) return false;
    this.unpick();
    this.handlers.move(from, goal);
    return true;
  }

  /** The spot at a place of the window. @param {number} clientX @param {number} clientY @returns {Spot} */
  spotOf(clientX, clientY) {
    const point = this.pointOf(clientX, clientY);
    return this.view ? spotAt(point.x, point.y, this.view.layout, this.view.flip) : -1;
  }

  /** @param {number} clientX @param {number} clientY */
  pointOf(clientX, clientY) {
    const matrix = this.element.getScreenCTM();
    return matrix ? new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse()) : new DOMPoint(-9999, -9999);
  }

  /** Moves the focus to a square. @param {number} square */
  focus(square) {
    this.cells[this.focused].setAttribute('tabindex', '-1');
    this.focused = square;
    this.cells[square].setAttribute('tabindex', '0');
    this.cells[square].focus();
  }

  /** Where a spot lies. @param {Spot} spot */
  centreOf(spot) {
    return this.view ? spotCentre(spot, this.view.layout, this.view.flip) : { x: 0, y: 0 };
  }
}
