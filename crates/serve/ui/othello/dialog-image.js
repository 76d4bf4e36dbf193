// The editor of board pictures: marks on squares, monochrome, frame, coordinates; PNG of any size and SVG.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { download, stamp } from '../common/clipboard.js';
import { svgText } from '../common/picture.js';
import { signed, t } from '../common/i18n.js';
import { Board } from './board.js';
import { legalMoves, squareName, squareOf } from './rules.js';
import { plainSelect } from '../common/widgets.js';

/** @typedef {import('./actions.js').Actions} Actions */
/** @typedef {import('./cell.js').Cell} Cell */

const MARKS = ['square', 'star', 'circle', 'cross', 'text'];
const FRAMES = ['standard', 'white', 'dark', 'none'];

/** @param {Actions} actions @param {any} data @returns {import('../common/dialogs.js').Content} */
export function imageDialog(actions, data) {
  const { app } = actions;
  if (!data.board) {
    Object.assign(data, {
      mark: 'square',
      text: 'A',
      marks: new Map(),
      mono: false,
      frame: 'standard',
      coordinates: app.get('show.coordinates'),
      legal: false,
      last: false,
      order: false,
      values: false,
      size: app.get('picture.size'),
    });
    data.board = new Board({ play: (square) => put(actions, data, square) }, t('fn.boardImage'));
  }
  draw(actions, data);
  const box = (/** @type {string} */ name, /** @type {string} */ label) =>
    html`<label class="check-row"
      ><input
        type="checkbox"
        .checked=${data[name]}
        @change=${() => {
          data[name] = !data[name];
          app.changed('view');
        }}
      /><span>${label}</span></label
    >`;
  return {
    title: t('fn.boardImage'),
    wide: true,
    body: html`<div class="editor">
      <div class="editor-board picture frame-${data.frame} ${data.mono ? 'mono' : ''}">${data.board.element}</div>
      <div class="editor-side">
        <fieldset>
          <legend>${t('image.mark')}</legend>
          <div class="row marks">
            ${MARKS.map(
              (mark) =>
                html`<label class="check-row"
                  ><input
                    type="radio"
                    name="mark"
                    .checked=${data.mark === mark}
                    @change=${() => {
                      data.mark = mark;
                      app.changed('view');
                    }}
                  /><span>${t(`image.mark.${mark}`)}</span></label
                >`,
            )}
          </div>
          ${
            data.mark === 'text'
              ? html`<label class="field"
                  ><span>${t('image.text')}</span
                  ><input
                    maxlength="4"
                    .value=${data.text}
                    @input=${(/** @type {Event} */ event) => {
                      data.text = /** @type {HTMLInputElement} */ (event.target).value;
                    }}
                /></label>`
              : nothing
          }
          <button
            type="button"
            class="button small"
            ?disabled=${data.marks.size === 0}
            @click=${() => {
              data.marks.clear();
              app.changed('view');
            }}
          >
            ${t('image.clear')}
          </button>
        </fieldset>
        <fieldset>
          <legend>${t('image.look')}</legend>
          ${box('mono', t('image.mono'))}${box('coordinates', t('fn.showCoordinates'))}${box('legal', t('fn.showLegal'))}${box('last', t('fn.showLast'))}${box('order', t('fn.showOrder'))}
          ${actions.hints.moves.length > 0 ? box('values', t('fn.showValues')) : nothing}
          <label class="field"
            ><span>${t('image.frame')}</span>${plainSelect(
              data.frame,
              FRAMES.map((name) => [name, t(`image.frame.${name}`)]),
              (value) => {
                data.frame = value;
                app.changed('view');
              },
            )}</label
          >
          <label class="field"
            ><span>${t('image.size')}</span
            ><input
              type="number"
              min="64"
              max="8192"
              .value=${String(data.size)}
              @change=${(/** @type {Event} */ event) => {
                data.size = Math.min(
                  8192,
                  Math.max(64, Number(/** @type {HTMLInputElement} */ (event.target).value) || 1024),
                );
                app.changed('view');
              }}
          /></label>
        </fieldset>
        <p class="quiet">${t('image.help')}</p>
        <p class="buttons">
          <button
            type="button"
            class="button strong"
            data-do="png"
            @click=${() => actions.savePicture(data.board.element, Number(data.size))}
          >
            ${t('image.save')}
          </button>
          <button
            type="button"
            class="button"
            data-do="svg"
            @click=${() => download(svgText(data.board.element, Number(data.size)).text, `${stamp()}.svg`, 'image/svg+xml')}
          >
            ${t('image.svg')}
          </button>
          <button type="button" class="button" @click=${() => actions.close()}>${t('dialog.close')}</button>
        </p>
      </div>
    </div>`,
  };
}

/** @param {Actions} actions @param {any} data */
function draw(actions, data) {
  const { app } = actions;
  const { cells, side } = app.position;
  /** @type {Cell[]} */
  const list = Array.from(cells, (disc, square) => ({ disc, mark: data.marks.get(square) }));
  if (data.legal) for (const square of legalMoves(cells, side)) if (!list[square].mark) list[square].legal = true;
  if (data.last && app.tree.current.parent) list[app.tree.current.move].last = true;
  if (data.order)
    app.tree
      .path()
      .slice(1)
      .forEach((node, i) => {
        list[node.move].order = String(i + 1);
      });
  if (data.values) {
    const best = Math.max(...actions.hints.moves.map((move) => move.v));
    for (const move of actions.hints.moves) {
      const square = squareOf(move.move);
      if (square >= 0 && !list[square].disc && !list[square].mark) {
        list[square].value = {
          text: signed(move.v),
          kind: move.v === best ? 'best' : 'other',
          best: move.v === best,
          simple: true,
        };
      }
    }
  }
  data.board.coordinates(data.coordinates);
  data.board.draw(
    list,
    (/** @type {number} */ square) => `${squareName(square)} ${data.marks.get(square) ?? ''}`,
    () => true,
  );
}

/** @param {Actions} actions @param {any} data @param {number} square */
function put(actions, data, square) {
  const mark = data.mark === 'text' ? data.text : data.mark;
  if (!mark || data.marks.get(square) === mark) data.marks.delete(square);
  else data.marks.set(square, mark);
  actions.app.changed('view');
}
