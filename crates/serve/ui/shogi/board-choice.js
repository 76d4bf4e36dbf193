// The choice at the square whether a piece promotes: two pieces to click, or keys. A promise of the answer.

import { pieceElement, make } from './board-shapes.js';
import { centre, FIELD, isNear, SQUARE } from './board-geometry.js';
import { PROMOTED, sideOf } from './position.js';

/** What was chosen; `null` where the user changed their mind. @typedef {boolean | null} Answer */

/** Ends the choice that is open. @type {((answer: Answer) => void) | null} */
let close = null;

/** Whether a choice is open. */
export const choosing = () => close !== null;

/** Closes the choice as if the user had left it. */
export const leaveChoice = () => close?.(null);

/**
 * @param {import('./board.js').Board} board @param {number} square @param {number} piece before it promotes
 * @param {{question: string, yes: string, no: string}} words
 * @returns {Promise<Answer>}
 */
export function askPromotion(board, square, piece, words) {
  leaveChoice();
  const { view } = board;
  if (!view) return Promise.resolve(null);
  return new Promise((resolve) => {
    const before = /** @type {HTMLElement | null} */ (document.activeElement);
    const at = centre(square, view.flip);
    const x = Math.min(FIELD.width - SQUARE.width, Math.max(SQUARE.width, at.x));
    const upside = !isNear(sideOf(piece), view.flip);
    close = (answer) => {
      close = null;
      board.choice.replaceChildren();
      document.removeEventListener('pointerdown', outside, true);
      if (before?.isConnected) before.focus();
      resolve(answer);
    };
    const back = make('rect', {
      class: 'choice-field',
      x: x - SQUARE.width - 8,
      y: at.y - 62,
      width: 2 * SQUARE.width + 16,
      height: 124,
      rx: 12,
    });
    const button = (/** @type {boolean} */ promote, /** @type {number} */ cx) => {
      const group = make('g', {
        role: 'button',
        tabindex: 0,
        class: 'choice-button',
        'data-promote': String(promote),
        'aria-label': promote ? words.yes : words.no,
      });
      group.append(make('rect', { class: 'choice-back', x: cx - 48, y: at.y - 54, width: 96, height: 108, rx: 8 }));
      const drawing = pieceElement(piece + (promote ? PROMOTED : 0), view.set, upside);
      drawing.setAttribute('transform', `translate(${cx} ${at.y})`);
      group.append(drawing);
      group.addEventListener('click', () => close?.(promote));
      return group;
    };
    const buttons = [button(true, x - SQUARE.width / 2), button(false, x + SQUARE.width / 2)];
    board.choice.setAttribute('aria-label', words.question);
    board.choice.replaceChildren(back, ...buttons);
    board.choice.onkeydown = (/** @type {KeyboardEvent} */ event) => {
      const chosen = buttons.find((one) => one === document.activeElement)?.getAttribute('data-promote') === 'true';
      if (event.key === 'Enter' || event.key === ' ') close?.(chosen);
      else if (event.key === 'Escape') close?.(null);
      else if (['ArrowLeft', 'ArrowRight', 'Tab'].includes(event.key)) buttons[chosen ? 1 : 0].focus();
      else if (/^[+y1]$/i.test(event.key)) close?.(true);
      else if (/^[-=n2]$/i.test(event.key)) close?.(false);
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    buttons[0].focus();
    document.addEventListener('pointerdown', outside, true);
    function outside(/** @type {globalThis.Event} */ event) {
      if (!board.choice.contains(/** @type {globalThis.Node} */ (event.target))) close?.(null);
    }
  });
}
