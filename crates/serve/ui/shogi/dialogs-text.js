// Texts in and out: what was pasted, and the game or position in any format.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { copyText, download, stamp } from '../common/clipboard.js';
import { t } from '../common/i18n.js';
import { importContent } from '../common/dialog-import.js';
import { svgText } from '../common/picture.js';
import { check, plainSelect } from '../common/widgets.js';
import { GAME_FORMATS, POSITION_FORMATS, exportFields } from './records.js';

/** @typedef {import('./actions.js').Actions} Actions */
/** @typedef {import('../common/dialogs.js').Content} Content */

/** @param {Actions} actions @param {{text?: string, answer?: any}} data @returns {Content} */
export function importDialog(actions, data) {
  const { app } = actions;
  const read = async (/** @type {string} */ text) => {
    data.text = text;
    try {
      data.answer = await app.link.ask('import', { text, line: app.tree.lineFields(), names: 'none' });
      if (data.answer.items.length === 1) actions.takeItem(data.answer.items[0]);
    } catch (error) {
      data.answer = { items: [], failures: [{ line: null, error: /** @type {Error} */ (error).message }], total: 0 };
    }
    app.changed('view');
  };
  return importContent(actions, data, {
    read,
    rows: 8,
    sends: (event) => event.ctrlKey || event.metaKey,
    row: (item) =>
      html`<span>${players(item)}</span> <code>${(item.moves ?? []).slice(0, 8).join(' ') || item.sfen}</code>`,
  });
}

/** @param {any} item */
function players(item) {
  const { black, white } = item.game?.info ?? {};
  return black || white ? `${black || '?'} – ${white || '?'}` : '';
}

/** @param {Actions} actions @param {any} data @returns {Content} */
export function exportDialog(actions, data) {
  const { app } = actions;
  data.format ??= 'kif';
  if (data.made !== data.format) {
    data.made = data.format;
    const { format } = data;
    app.ask('export', exportFields(actions, format)).then((answer) => {
      // Another one may have been chosen since.
      if (data.format !== format) return;
      data.answer = answer && { ...answer, format };
      app.changed('view');
    });
  }
  const option = (/** @type {string} */ name) =>
    html`<option value=${name} ?selected=${name === data.format}>${t(`format.${name}`)}</option>`;
  const { answer } = data;
  return {
    title: t('fn.exportGame'),
    body: html`<label class="field"
        ><span>${t('export.format')}</span
        ><select
          autofocus
          @change=${(/** @type {Event} */ event) => {
            data.format = /** @type {HTMLSelectElement} */ (event.target).value;
            app.changed('view');
          }}
        >
          <optgroup label=${t('export.game')}>${GAME_FORMATS.map(option)}</optgroup>
          <optgroup label=${t('export.position')}>${POSITION_FORMATS.map(option)}</optgroup>
        </select></label
      >
      ${
        answer
          ? html`<textarea
                rows="10"
                class="mono"
                readonly
                data-format=${answer.format}
                aria-label=${t('fn.exportGame')}
                .value=${answer.text}
              ></textarea>
              ${answer.losses?.length > 0 ? html`<p class="quiet">${t('export.losses', { what: answer.losses.join(', ') })}</p>` : nothing}
              <p class="buttons">
                <button
                  type="button"
                  class="button strong"
                  @click=${async () => {
                    if (await copyText(answer.text)) app.say(t('export.copied'));
                  }}
                >
                  ${t('dialog.copy')}
                </button>
                <button
                  type="button"
                  class="button"
                  @click=${() => download(answer.text, answer.file_name, answer.media_type)}
                >
                  ${t('dialog.download')}
                </button>
              </p>`
          : nothing
      }`,
  };
}

/** The picture of the board with what is around it. @param {Actions} actions @param {any} data @returns {Content} */
export function imageDialog(actions, data) {
  const { app } = actions;
  data.size ??= app.get('picture.size');
  return {
    title: t('fn.boardImage'),
    body: html`<label class="select-row"
        ><span>${t('image.size')}</span>${plainSelect(
          String(data.size),
          [512, 1024, 2048, 4096].map((n) => [String(n), `${n} px`]),
          (value) => {
            data.size = Number(value);
            app.changed('view');
          },
        )}</label
      >
      ${check(actions, 'picture.names', t('image.names'))}
      <p class="quiet">${t('image.what')}</p>
      <p class="buttons">
        <button
          type="button"
          class="button strong"
          autofocus
          data-do="png"
          @click=${() => actions.picture((board) => actions.savePicture(board, Number(data.size)))}
        >
          ${t('image.save')}
        </button>
        <button
          type="button"
          class="button"
          data-do="svg"
          @click=${() => actions.picture((board) => download(svgText(board, Number(data.size)).text, `${stamp()}.svg`, 'image/svg+xml'))}
        >
          ${t('image.svg')}
        </button>
        ${
          app.link.can('shogi')
            ? html`<button type="button" class="button" @click=${() => diagram(actions)}>${t('image.diagram')}</button>`
            : nothing
        }
      </p>`,
  };
}

/** The diagram with the names of the players, as the back end draws it. @param {Actions} actions */
async function diagram(actions) {
  const answer = await actions.app.ask('export', exportFields(actions, 'svg'));
  if (answer) download(String(answer.text), answer.file_name ?? `${stamp()}.svg`, 'image/svg+xml');
}
