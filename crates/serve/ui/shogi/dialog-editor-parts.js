// Parts of the editor: the pieces that a click puts, the hands as figures, and what is wrong.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { t } from '../common/i18n.js';
import { pieceLabel, pieceName } from './board-view.js';
import { setHand, unused } from './editing.js';
import { BLACK, HAND_KINDS, KING, WHITE, pieceOf, sideName } from './position.js';

/** @typedef {import('./actions.js').Actions} Actions */

/** What a click puts on a square. @param {Actions} actions @param {any} data */
export function editorPalette({ app }, data) {
  const left = unused(data.position);
  const choose = (/** @type {number | null} */ brush) => () => {
    data.brush = brush;
    data.board.unpick();
    app.changed('view');
  };
  const button = (/** @type {number | null} */ brush, /** @type {string} */ text, /** @type {string} */ label) =>
    html`<button
      type="button"
      class="segment"
      aria-pressed=${String(data.brush === brush)}
      aria-label=${label}
      title=${label}
      @click=${choose(brush)}
    >
      ${text}
    </button>`;
  return html`<fieldset>
    <legend>${t('editor.brush')}</legend>
    <div class="row">
      ${button(null, t('editor.move'), t('editor.move'))}${button(0, t('editor.erase'), t('editor.erase'))}
    </div>
    ${[BLACK, WHITE].map(
      (side) =>
        html`<div class="row brushes">
          <span aria-hidden="true">${side === BLACK ? '☗' : '☖'}</span>
          ${[KING, ...HAND_KINDS].map((kind) => button(pieceOf(kind, side), pieceName(kind), pieceLabel(pieceOf(kind, side))))}
        </div>`,
    )}
    <p class="quiet">
      ${t('editor.left')}
      ${
        [KING, ...HAND_KINDS]
          .filter((kind) => left[kind] !== 0)
          .map((kind) => `${pieceName(kind)} ${left[kind]}`)
          .join(', ') || '–'
      }
    </p>
  </fieldset>`;
}

/** How many pieces both sides have in hand. @param {any} data @param {(position: import('./position.js').Position) => void} change */
export function editorHands(data, change) {
  return html`<div class="scroll">
    <table class="table narrow">
      <thead>
        <tr>
          <td></td>
          ${HAND_KINDS.map((kind) => html`<th class="n">${pieceName(kind)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${[BLACK, WHITE].map(
          (side) =>
            html`<tr>
              <th scope="row">${t(sideName(side))}</th>
              ${HAND_KINDS.map(
                (kind) =>
                  html`<td>
                    <input
                      type="number"
                      class="tiny"
                      min="0"
                      max="18"
                      aria-label=${t('board.inHand', { side: t(sideName(side)), piece: pieceName(kind), n: '' })}
                      .value=${String(data.position.hands[side][kind])}
                      @change=${(/** @type {Event} */ event) => change(setHand(data.position, side, kind, Number(/** @type {HTMLInputElement} */ (event.target).value)))}
                    />
                  </td>`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** What is wrong with the position. @param {any} data */
export const editorProblems = (data) =>
  data.problems.length === 0
    ? nothing
    : html`<ul class="failures" role="status">
        ${data.problems.map((/** @type {any} */ problem) => html`<li>${problemText(problem)}</li>`)}
      </ul>`;

/** @param {any} problem */
function problemText(problem) {
  const key = `problem.${problem.code}`;
  const text = t(key);
  return text === key ? problem.text : `${text}${problem.square ? ` (${problem.square})` : ''}`;
}
