// The board editor: black, white and empty squares by click, drag or key, and the side to move.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { isTyping, keyName } from '../common/shortcuts.js';
import { t } from '../common/i18n.js';
import { Board } from './board.js';
import { GameTree } from './tree.js';
import { check } from '../common/widgets.js';
import { BLACK, EMPTY, WHITE, count, positionOf, settlePass, squareName, startPosition } from './rules.js';

/** @typedef {import('./actions.js').Actions} Actions */

/** @param {Actions} actions @param {any} data @returns {import('../common/dialogs.js').Content} */
export function editorDialog(actions, data) {
  const { app } = actions;
  if (!data.board) {
    data.cells = app.position.cells.slice();
    data.side = app.position.side;
    data.colour = BLACK;
    data.board = new Board(
      { play: (square) => put(actions, data, square), hover: (square) => paint(actions, data, square) },
      t('fn.editBoard'),
    );
    data.board.element.addEventListener('pointerdown', () => {
      data.down = true;
    });
    data.board.element.addEventListener('pointerup', () => {
      data.down = false;
    });
  }
  data.board.draw(
    Array.from(data.cells, (disc) => ({ disc })),
    (/** @type {number} */ square) =>
      `${squareName(square)}, ${t(['board.empty', 'black', 'white'][data.cells[square]])}`,
    () => true,
  );
  const change = (/** @type {string} */ name, /** @type {any} */ value) => () => {
    data[name] = value;
    app.changed('view');
  };
  const radio = (
    /** @type {string} */ name,
    /** @type {any} */ value,
    /** @type {string} */ label,
    /** @type {string} */ key = '',
  ) =>
    html`<label class="check-row"
      ><input type="radio" name=${name} .checked=${data[name] === value} @change=${change(name, value)} /><span
        >${label}</span
      >${key ? html` <kbd>${key}</kbd>` : nothing}</label
    >`;
  const discs = count(data.cells);
  const fill = (/** @type {Uint8Array} */ cells) => () => {
    data.cells = cells;
    app.changed('view');
  };
  return {
    title: t('fn.editBoard'),
    wide: true,
    keys: (event) => keys(actions, data, event),
    body: html`<form
      class="editor"
      @submit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        take(actions, data);
      }}
    >
      <div class="editor-board">${data.board.element}</div>
      <div class="editor-side">
        <fieldset>
          <legend>${t('editor.colour')}</legend>
          ${radio('colour', BLACK, t('black'), 'B')}${radio('colour', WHITE, t('white'), 'W')}${radio('colour', EMPTY, t('board.empty'), 'E')}
        </fieldset>
        <fieldset>
          <legend>${t('editor.turn')}</legend>
          ${radio('side', BLACK, t('black'))}${radio('side', WHITE, t('white'))}
        </fieldset>
        <p>${t('editor.count', { black: discs.black, white: discs.white })}</p>
        <p class="buttons">
          <button type="button" class="button" @click=${fill(startPosition().cells)}>${t('editor.start')}</button
          ><button type="button" class="button" @click=${fill(new Uint8Array(64))}>${t('editor.clear')}</button>
        </p>
        ${app.tree.current.children.length > 0 ? check(actions, 'editor.follow', t('editor.follow')) : nothing}
        <p class="quiet">${t('editor.help')}</p>
        <p class="buttons">
          <button class="button strong">${t('import.take')}</button
          ><button type="button" class="button" @click=${() => actions.close()}>${t('dialog.cancel')}</button>
        </p>
      </div>
    </form>`,
  };
}

/** @param {Actions} actions @param {any} data @param {number} square */
function put(actions, data, square) {
  if (data.painted) {
    data.painted = false;
    return;
  }
  data.cells[square] = data.cells[square] === data.colour ? EMPTY : data.colour;
  actions.app.changed('view');
}

/** Draws over all squares that the pressed pointer passes. @param {Actions} actions @param {any} data @param {number} square */
function paint(actions, data, square) {
  if (!data.down || square < 0) {
    data.pressedAt = square;
    return;
  }
  for (const at of [data.pressedAt, square]) if (at >= 0) data.cells[at] = data.colour;
  data.painted = true;
  actions.app.changed('view');
}

/** @param {Actions} actions @param {any} data @param {KeyboardEvent} event */
function keys(actions, data, event) {
  if (isTyping(event)) return;
  /** @type {Record<string, number>} */
  const colours = { B: BLACK, W: WHITE, E: EMPTY };
  const name = keyName(event);
  if (name in colours) {
    data.colour = colours[name];
    actions.app.changed('view');
  } else if (name === 'Enter' && !(/** @type {Element} */ (event.target).closest('.cell, button, input'))) {
    take(actions, data);
  } else return;
  event.preventDefault();
}

/** @param {Actions} actions @param {any} data */
function take(actions, data) {
  const { tree } = actions.app;
  const { position } = settlePass(positionOf(data.cells, data.side));
  actions.show(actions.app.get('editor.follow') ? tree.followingFrom(position) : new GameTree(position));
  actions.close();
}
