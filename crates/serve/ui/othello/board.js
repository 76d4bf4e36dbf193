// The board on the screen: an SVG grid for mouse, touch, keyboard and screen readers. It draws cells and reports what the
// user does; it knows nothing of games.

import { shapes } from './cell.js';

/** @typedef {import('./cell.js').Cell} Cell */

const SVG = 'http://www.w3.org/2000/svg';
const LONG_PRESS_MS = 550;

/**
 * @typedef {object} Handlers
 * @property {(square: number) => void} [play] a square was chosen by click, drag, touch or key
 * @property {(square: number) => void} [hover] the pointer or the focus is on a square; -1 on none
 * @property {(square: number) => void} [context] right click or long press
 */

/** @param {string} name @param {Record<string, string | number>} attributes */
function make(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

export class Board {
  /**
   * @param {Handlers} handlers
   * @param {string} label name of the board for screen readers
   */
  constructor(handlers, label) {
    this.handlers = handlers;
    this.focused = 0;
    /** @type {string[]} */
    this.drawn = Array(64).fill('');
    this.element = /** @type {SVGSVGElement} */ (
      make('svg', { class: 'board', viewBox: '-50 -50 900 900', role: 'grid', 'aria-label': label })
    );
    this.element.append(frame());
    /** @type {SVGGElement[]} */
    this.cells = [];
    for (let y = 0; y < 8; y++) {
      const row = make('g', { role: 'row' });
      for (let x = 0; x < 8; x++) {
        const cell = /** @type {SVGGElement} */ (
          make('g', {
            role: 'gridcell',
            class: 'cell',
            tabindex: x + y ? -1 : 0,
            transform: `translate(${x * 100} ${y * 100})`,
            'data-square': y * 8 + x,
          })
        );
        cell.append(make('rect', { class: 'square', width: 100, height: 100 }), make('g', { class: 'shapes' }));
        row.append(cell);
        this.cells.push(cell);
      }
      this.element.append(row);
    }
    this.element.append(points());
    this.pointer();
    this.keys();
  }

  /** With or without letters and figures at the edge. @param {boolean} shown */
  coordinates(shown) {
    this.element.classList.toggle('no-coordinates', !shown);
    this.element.setAttribute('viewBox', shown ? '-50 -50 900 900' : '-20 -20 840 840');
  }

  /**
   * Draws what has changed.
   * @param {Cell[]} cells
   * @param {(square: number) => string} label
   * @param {(square: number) => boolean} enabled
   */
  draw(cells, label, enabled) {
    for (let square = 0; square < 64; square++) {
      const list = shapes(cells[square]);
      const text = label(square);
      const on = enabled(square);
      const signature = JSON.stringify([list, text, on]);
      if (signature === this.drawn[square]) continue;
      this.drawn[square] = signature;
      const cell = this.cells[square];
      cell.setAttribute('aria-label', text);
      cell.setAttribute('aria-disabled', String(!on));
      /** @type {Element} */ (cell.lastChild).replaceChildren(
        ...list.flatMap(([name, attributes, content]) => {
          const shape = make(name, attributes);
          if (content !== undefined) shape.textContent = content;
          // The blank keeps the texts of a square apart for who reads them aloud.
          return content === undefined ? [shape] : [shape, ' '];
        }),
      );
    }
  }

  /** @param {number} square */
  focus(square) {
    this.cells[this.focused].setAttribute('tabindex', '-1');
    this.focused = square;
    this.cells[square].setAttribute('tabindex', '0');
    this.cells[square].focus();
  }

  /** The square at a place of the window, or -1. @param {number} x @param {number} y */
  squareAt(x, y) {
    const cell = document.elementFromPoint(x, y)?.closest('.cell');
    return cell && this.element.contains(cell) ? Number(cell.getAttribute('data-square')) : -1;
  }

  pointer() {
    const { element, handlers } = this;
    let pressed = false;
    let long = 0;
    let over = -1;
    const hover = (/** @type {number} */ square) => {
      if (square === over) return;
      over = square;
      handlers.hover?.(square);
    };
    const release = () => {
      pressed = false;
      clearTimeout(long);
    };
    element.addEventListener('pointerdown', (event) => {
      const square = this.squareAt(event.clientX, event.clientY);
      if (event.button !== 0 || square < 0) return;
      pressed = true;
      hover(square);
      if (event.pointerType !== 'mouse') {
        long = setTimeout(() => {
          release();
          handlers.context?.(square);
        }, LONG_PRESS_MS);
      } else {
        element.setPointerCapture(event.pointerId);
      }
    });
    // A click must not move the focus into the grid: the arrow keys would no longer walk through the game.
    element.addEventListener('mousedown', (event) => event.preventDefault());
    element.addEventListener('pointermove', (event) => {
      const before = over;
      hover(this.squareAt(event.clientX, event.clientY));
      if (before !== over) clearTimeout(long);
    });
    element.addEventListener('pointerup', (event) => {
      const square = this.squareAt(event.clientX, event.clientY);
      if (pressed && square >= 0) handlers.play?.(square);
      release();
      if (event.pointerType !== 'mouse') hover(-1);
    });
    element.addEventListener('pointercancel', release);
    element.addEventListener('pointerleave', () => hover(-1));
    element.addEventListener('contextmenu', (event) => {
      const square = this.squareAt(event.clientX, event.clientY);
      if (square < 0 || !handlers.context) return;
      event.preventDefault();
      release();
      handlers.context(square);
    });
  }

  keys() {
    this.element.addEventListener('focusin', (event) => {
      const cell = /** @type {Element} */ (event.target).closest('.cell');
      if (!cell) return;
      const square = Number(cell.getAttribute('data-square'));
      if (square !== this.focused) this.focus(square);
      this.handlers.hover?.(square);
    });
    this.element.addEventListener('focusout', () => this.handlers.hover?.(-1));
    this.element.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const x = this.focused & 7;
      const y = this.focused >> 3;
      /** @type {Record<string, [number, number]>} */
      const targets = {
        ArrowLeft: [x - 1, y],
        ArrowRight: [x + 1, y],
        ArrowUp: [x, y - 1],
        ArrowDown: [x, y + 1],
        Home: [0, y],
        End: [7, y],
      };
      if (event.key === 'Enter' || event.key === ' ') this.handlers.play?.(this.focused);
      else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey))
        this.handlers.context?.(this.focused);
      else if (targets[event.key]) {
        const [tx, ty] = targets[event.key];
        if (tx >= 0 && tx < 8 && ty >= 0 && ty < 8) this.focus(ty * 8 + tx);
      } else return;
      event.preventDefault();
    });
  }
}

function frame() {
  const group = make('g', { class: 'frame', 'aria-hidden': 'true' });
  group.append(make('rect', { class: 'frame-field', x: -50, y: -50, width: 900, height: 900, rx: 14 }));
  const names = make('g', { class: 'coordinates' });
  for (let i = 0; i < 8; i++) {
    const column = make('text', { class: 'coordinate', x: i * 100 + 50, y: -16 });
    column.textContent = 'abcdefgh'[i];
    const row = make('text', { class: 'coordinate', x: -26, y: i * 100 + 60 });
    row.textContent = String(i + 1);
    names.append(column, row);
  }
  group.append(names);
  return group;
}

function points() {
  const group = make('g', { class: 'points', 'aria-hidden': 'true' });
  for (const x of [200, 600])
    for (const y of [200, 600]) group.append(make('circle', { class: 'point', cx: x, cy: y, r: 7 }));
  return group;
}
