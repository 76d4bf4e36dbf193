// The keyboard on the board: arrows walk over squares and stands, Enter and Space take up and put down, Esc lets go.

import { turned } from './board-geometry.js';

/** The square that an arrow key leads to, as the board is seen; the same one at the edge. @param {number} square @param {string} key @param {boolean} flip */
export function neighbour(square, key, flip) {
  const at = turned(square, flip);
  const [column, rank] = [at % 9, Math.floor(at / 9)];
  /** @type {Record<string, [number, number]>} */
  const steps = {
    ArrowLeft: [Math.max(0, column - 1), rank],
    ArrowRight: [Math.min(8, column + 1), rank],
    ArrowUp: [column, Math.max(0, rank - 1)],
    ArrowDown: [column, Math.min(8, rank + 1)],
    Home: [0, rank],
    End: [8, rank],
    PageUp: [column, 0],
    PageDown: [column, 8],
  };
  const to = steps[key];
  return to ? turned(to[1] * 9 + to[0], flip) : -1;
}

/** @param {import('./board.js').Board} board */
export function boardKeys(board) {
  const { element, handlers } = board;
  element.addEventListener('focusin', (event) => {
    const spot = spotOf(event);
    if (spot < 0) return;
    if (spot < 81 && spot !== board.focused) board.focus(spot);
    handlers.hover?.(spot);
  });
  element.addEventListener('focusout', () => handlers.hover?.(-1));
  element.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const spot = spotOf(event);
    if (spot < 0) return;
    if (event.key === 'Enter' || event.key === ' ') board.press(spot);
    else if (event.key === 'Escape' && board.picked >= 0) board.unpick();
    else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) handlers.context?.(spot);
    else if (spot < 81) {
      const next = neighbour(spot, event.key, board.view?.flip ?? false);
      if (next < 0) return;
      if (next !== spot) board.focus(next);
    } else if (!alongStand(/** @type {Element} */ (event.target), event.key)) return;
    event.preventDefault();
  });
}

/** @param {globalThis.Event} event */
const spotOf = (event) =>
  Number(/** @type {Element} */ (event.target).closest('[data-spot]')?.getAttribute('data-spot') ?? -1);

/** Moves the focus to the next piece of a stand. @param {Element} from @param {string} key */
function alongStand(from, key) {
  const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[key];
  if (!step) return false;
  const all = /** @type {SVGElement[]} */ ([...(from.parentElement?.querySelectorAll('.hand') ?? [])]);
  const next = all[all.indexOf(/** @type {SVGElement} */ (from)) + step];
  if (next) {
    for (const other of all) other.setAttribute('tabindex', other === next ? '0' : '-1');
    next.focus();
  }
  return true;
}
