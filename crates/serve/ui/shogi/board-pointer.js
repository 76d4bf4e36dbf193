// Mouse and touch on the board: a piece is dragged, or clicked and then its target.

import { pieceElement } from './board-shapes.js';
import { isNear } from './board-geometry.js';
import { sideOf } from './position.js';

const LONG_PRESS_MS = 550;
/** Pixels that a pointer may move within a click. */
const SLACK = 6;

/** @param {import('./board.js').Board} board */
export function boardPointer(board) {
  const { element, handlers } = board;
  /** @type {{spot: number, x: number, y: number, wasPicked: boolean, drag: boolean} | null} */
  let press = null;
  let long = 0;
  let over = -1;

  const hover = (/** @type {number} */ spot) => {
    if (spot === over) return;
    over = spot;
    handlers.hover?.(spot);
  };
  const release = () => {
    press = null;
    clearTimeout(long);
    board.ghost.replaceChildren();
    element.classList.remove('dragging');
  };

  element.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || inChoice(event)) return;
    const spot = board.spotOf(event.clientX, event.clientY);
    if (spot < 0) {
      board.unpick();
      return;
    }
    press = { spot, x: event.clientX, y: event.clientY, wasPicked: board.picked === spot, drag: false };
    element.setPointerCapture(event.pointerId);
    if (board.picked < 0 || !board.targets.has(spot)) {
      if (board.picked !== spot && board.pieceAt(spot)) board.pick(spot);
    }
    if (event.pointerType !== 'mouse' && handlers.context) {
      long = setTimeout(() => {
        release();
        board.unpick();
        handlers.context?.(spot);
      }, LONG_PRESS_MS);
    }
  });

  // A click must not move the focus into the grid: the arrow keys would no longer walk through the game.
  element.addEventListener('mousedown', (event) => {
    if (!inChoice(event)) event.preventDefault();
  });

  element.addEventListener('pointermove', (event) => {
    hover(board.spotOf(event.clientX, event.clientY));
    if (!press) return;
    const far = Math.hypot(event.clientX - press.x, event.clientY - press.y) > SLACK;
    if (far) clearTimeout(long);
    if (far && !press.drag && board.picked === press.spot) begin();
    if (press.drag) {
      const { x, y } = board.pointOf(event.clientX, event.clientY);
      board.ghost.setAttribute('transform', `translate(${x} ${y})`);
    }
  });

  element.addEventListener('pointerup', (event) => {
    if (!press) return;
    const { spot, drag, wasPicked } = press;
    const to = board.spotOf(event.clientX, event.clientY);
    release();
    if (drag) {
      if (!board.carry(spot, to)) board.unpick();
    } else if (to === spot) {
      // The press has picked the piece up already, unless it was up before or this is the target.
      if (board.picked !== spot || wasPicked) board.press(spot);
    }
    if (event.pointerType !== 'mouse') hover(-1);
  });

  element.addEventListener('pointercancel', () => {
    release();
    board.unpick();
  });
  element.addEventListener('pointerleave', () => hover(-1));
  element.addEventListener('contextmenu', (event) => {
    const spot = board.spotOf(event.clientX, event.clientY);
    if (spot < 0 || !handlers.context) return;
    event.preventDefault();
    release();
    board.unpick();
    handlers.context(spot);
  });

  function begin() {
    if (!press || !board.view) return;
    press.drag = true;
    const piece = board.pieceAt(press.spot);
    if (!piece) return;
    const drawing = pieceElement(piece, board.view.set, !isNear(sideOf(piece), board.view.flip));
    board.ghost.replaceChildren(drawing);
    element.classList.add('dragging');
  }

  /** @param {globalThis.Event} event */
  const inChoice = (event) => Boolean(/** @type {Element} */ (event.target).closest('.choice'));
}
