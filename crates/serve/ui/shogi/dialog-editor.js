// The editor of positions: pieces by drag, click and key, hands, the side to move, and what is wrong with the position.

import { html } from '../vendor/lit-html-3.3.3.js';
import { copyText } from '../common/clipboard.js';
import { t } from '../common/i18n.js';
import { isTyping } from '../common/shortcuts.js';
import { plainSelect } from '../common/widgets.js';
import { Board } from './board.js';
import { isSquare } from './board-geometry.js';
import { pieceLabel, pieceName, squareLabel } from './board-view.js';
import { editorHands, editorPalette, editorProblems } from './dialog-editor-parts.js';
import { handicapName } from './dialogs-game.js';
import { carry, cleared, nextState, pieceOfKey, put, restToHand, turnedOver } from './editing.js';
import { BLACK, HANDICAPS, WHITE, copyOf, flipped, parseSfen, sfenText, sideName } from './position.js';
import { GameTree } from './tree.js';

/** @typedef {import('./actions.js').Actions} Actions */

const EVERYWHERE = [...Array.from({ length: 81 }, (_, square) => square), 200, 201];

/** @param {Actions} actions @param {any} data @returns {import('../common/dialogs.js').Content} */
export function editorDialog(actions, data) {
  const { app } = actions;
  if (!data.board) begin(actions, data);
  draw(actions, data);
  const change = (/** @type {import('./position.js').Position} */ position) => set(actions, data, position);
  return {
    title: t('fn.editBoard'),
    wide: true,
    keys: (event) => keys(actions, data, event),
    body: html`<div class="editor">
      <div class="editor-board">${data.board.element}</div>
      <div class="editor-side">
        ${editorPalette(actions, data)}
        <fieldset>
          <legend>${t('editor.turn')}</legend>
          <div class="row">
            ${[BLACK, WHITE].map(
              (side) =>
                html`<label class="check-row"
                  ><input
                    type="radio"
                    name="side"
                    .checked=${data.position.side === side}
                    @change=${() => change({ ...copyOf(data.position), side })}
                  /><span>${t(sideName(side))}</span></label
                >`,
            )}
            <label
              >${t('editor.ply')}
              <input
                type="number"
                min="1"
                max="9999"
                class="short"
                .value=${String(data.position.ply)}
                @change=${(/** @type {Event} */ event) => change({ ...copyOf(data.position), ply: Math.max(1, Number(/** @type {HTMLInputElement} */ (event.target).value) || 1) })}
            /></label>
          </div>
        </fieldset>
        ${editorHands(data, change)}
        <p class="buttons">
          ${plainSelect(
            '',
            [
              ['', t('editor.start')],
              ...HANDICAPS.map(([name]) => /** @type {[string, string]} */ ([name, handicapName(name)])),
            ],
            (name) => {
              const found = HANDICAPS.find(([one]) => one === name);
              const position = found && parseSfen(found[1]);
              if (position) change(position);
            },
            t('editor.start'),
          )}
          <button type="button" class="button small" @click=${() => change(cleared())}>${t('editor.clear')}</button>
          <button type="button" class="button small" @click=${() => change(restToHand(data.position, WHITE))}>
            ${t('editor.rest')}
          </button>
          <button type="button" class="button small" @click=${() => change(flipped(data.position))}>
            ${t('editor.flip')}
          </button>
        </p>
        ${editorProblems(data)}
        <p class="buttons">
          <button
            type="button"
            class="button strong"
            ?disabled=${data.problems.length > 0}
            @click=${() => take(actions, data)}
          >
            ${t('editor.take')}
          </button>
          <button type="button" class="button" @click=${() => copy(actions, data, 'sfen')}>
            ${t('editor.copySfen')}
          </button>
          <button type="button" class="button" @click=${() => copy(actions, data, 'bod')}>
            ${t('editor.copyBod')}
          </button>
          <button type="button" class="button" @click=${() => actions.close()}>${t('dialog.cancel')}</button>
        </p>
        <details>
          <summary>SFEN</summary>
          <input
            class="mono"
            aria-label="SFEN"
            .value=${sfenText(data.position)}
            @change=${(/** @type {Event} */ event) => {
              const position = parseSfen(/** @type {HTMLInputElement} */ (event.target).value);
              if (position) change(position);
              else app.say(t('editor.badSfen'), 'error');
            }}
          />
        </details>
        <p class="quiet">${t('editor.help')}</p>
      </div>
    </div>`,
  };
}

/** @param {Actions} actions @param {any} data */
function begin(actions, data) {
  data.position = copyOf(actions.app.position);
  /** The piece that clicks put: 0 takes away, `null` moves. */
  data.brush = null;
  data.problems = [];
  data.board = new Board(
    {
      targets: (from) => (data.brush !== null ? null : data.board.pieceAt(from) ? EVERYWHERE : null),
      move: (from, to) => set(actions, data, carry(data.position, from, to)),
      press: (spot) => {
        if (data.brush !== null && isSquare(spot)) set(actions, data, put(data.position, spot, data.brush));
      },
      context: (spot) => {
        if (isSquare(spot)) set(actions, data, put(data.position, spot, nextState(data.position.board[spot])));
      },
    },
    t('fn.editBoard'),
  );
  verify(actions, data);
}

/** @param {Actions} actions @param {any} data @param {import('./position.js').Position} position */
function set(actions, data, position) {
  data.position = position;
  verify(actions, data);
  actions.app.changed('view');
}

/** Asks what is wrong with the position. @param {Actions} actions @param {any} data */
async function verify({ app }, data) {
  const sfen = sfenText(data.position);
  data.asked = sfen;
  try {
    const answer = await app.link.ask('check_position', { sfen });
    if (data.asked === sfen) data.problems = answer.problems ?? [];
  } catch (error) {
    if (data.asked === sfen) data.problems = [{ code: 'syntax', text: /** @type {Error} */ (error).message }];
  }
  app.changed('view');
}

/** @param {Actions} actions @param {any} data */
function draw({ app }, data) {
  const { position } = data;
  data.board.draw({
    board: position.board,
    hands: position.hands,
    flip: app.get('board.flip'),
    layout: 'sides',
    set: app.get('board.set'),
    coordinates: app.coordinates,
    last: data.problems
      .map((/** @type {any} */ one) => squareNumber(one.square))
      .filter((/** @type {number} */ square) => square >= 0),
    check: -1,
    arrows: [],
    marks: [],
    label: (/** @type {number} */ spot) => {
      if (!isSquare(spot))
        return spot >= 200 ? t('board.hand', { side: t(sideName(spot - 200)) }) : pieceName((spot - 100) % 10);
      const piece = position.board[spot];
      return `${squareLabel(spot, app.style)} ${piece ? pieceLabel(piece) : t('board.empty')}`;
    },
  });
}

/** @param {string | undefined} name */
const squareNumber = (name) =>
  name && /^[1-9][a-i]$/.test(name) ? (name.charCodeAt(1) - 97) * 9 + 9 - Number(name[0]) : -1;

/** @param {Actions} actions @param {any} data */
function take(actions, data) {
  const tree = new GameTree(copyOf(data.position));
  tree.info = { ...actions.app.tree.info, handicap: '' };
  actions.show(tree);
  actions.close();
}

/** @param {Actions} actions @param {any} data @param {string} format */
async function copy({ app }, data, format) {
  const sfen = sfenText(data.position);
  const text = format === 'sfen' ? sfen : (await app.ask('export', { format, sfen }))?.text;
  if (text && (await copyText(text))) app.say(t('copied', { text: text.slice(0, 60) }));
}

/** Letters put pieces on the square with the focus, + turns them over, Delete takes them away. @param {Actions} actions @param {any} data @param {KeyboardEvent} event */
function keys(actions, data, event) {
  if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
  const spot = Number(document.activeElement?.getAttribute('data-spot') ?? -1);
  if (!isSquare(spot)) return;
  const { board } = data.position;
  if (event.key === 'Delete' || event.key === 'Backspace') set(actions, data, put(data.position, spot, 0));
  else if (event.key === '+') set(actions, data, put(data.position, spot, turnedOver(board[spot])));
  else {
    const piece = pieceOfKey(event.key);
    if (!piece) return;
    set(actions, data, put(data.position, spot, piece));
  }
  event.preventDefault();
}
