// Dialogs for games: text in and out, bitboards, random positions, what is known of a game, saving.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { copyText, download } from '../common/clipboard.js';
import { t } from '../common/i18n.js';
import { BLACK, WHITE, squareName } from './rules.js';
import { parseBitboards, parseTranscript } from './notation.js';
import { lineFields, toGame } from './game-json.js';
import { importContent } from '../common/dialog-import.js';
import { check, field, slider } from '../common/widgets.js';

/** @typedef {import('./actions.js').Actions} Actions */
/** @typedef {import('../common/dialogs.js').Content} Content */

/** Any text: what it is, or why it is nothing. @param {Actions} actions @param {{text?: string, answer?: any}} data @returns {Content} */
export function importDialog(actions, data) {
  const { app } = actions;
  const read = async (/** @type {string} */ text) => {
    data.text = text;
    if (actions.takeTree(text)) {
      actions.close();
      return;
    }
    try {
      data.answer = await app.link.ask('import', { text, line: lineFields(app.tree) });
      const { items } = data.answer;
      if (items.length === 1 && items[0].alternatives.length === 0) actions.takeItem(items[0]);
    } catch (error) {
      data.answer = { items: [], failures: [{ line: null, error: /** @type {Error} */ (error).message }], total: 0 };
    }
    app.changed('view');
  };
  const fromHere = (/** @type {string} */ text) => {
    const moves = parseTranscript(text);
    const wrong = !moves ? 0 : moves.findIndex((move) => !app.play(move));
    if (moves && wrong < 0) actions.close();
    else {
      data.text = text;
      data.answer = {
        items: [],
        failures: [
          {
            line: 1,
            error: moves
              ? t('import.illegal', { n: wrong + 1, move: squareName(moves[wrong]) })
              : t('import.notTranscript'),
          },
        ],
        total: 0,
      };
      app.changed('view');
    }
  };
  return importContent(actions, data, {
    read,
    rows: 7,
    sends: (event) => !event.shiftKey,
    buttons: html`<button
      type="button"
      class="button"
      @click=${(/** @type {Event} */ event) => fromHere(String(new FormData(/** @type {any} */ (event.target).form).get('text')))}
    >
      ${t('import.fromHere')}
    </button>`,
    row: (item) => html`<code>${(item.moves ?? []).join('').slice(0, 60) || item.board}</code>`,
    more: (item) =>
      item.alternatives.map(
        (/** @type {any} */ other) =>
          html`<button type="button" class="button small" @click=${() => actions.takeItem(item, other.board)}>
            ${t('import.instead')} ${other.note}
          </button>`,
      ),
  });
}

/** @param {Actions} actions @param {any} data @returns {Content} */
export function bitboardDialog(actions, data) {
  data.order ??= 'mover';
  data.side ??= BLACK;
  const radio = (/** @type {string} */ name, /** @type {any} */ value, /** @type {string} */ label) =>
    html`<label class="check-row"
      ><input
        type="radio"
        name=${name}
        .checked=${data[name] === value}
        @change=${() => {
          data[name] = value;
          actions.app.changed('view');
        }}
      /><span>${label}</span></label
    >`;
  return {
    title: t('fn.bitboardInput'),
    body: html`<form
      @submit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        const result = parseBitboards(field(event, 'first'), field(event, 'second'), data.order, data.side);
        if ('position' in result) {
          actions.app.loadPosition(result.position);
          actions.close();
        } else {
          data.reason = t(`bitboards.${result.reason}`);
          actions.app.changed('view');
        }
      }}
    >
      <p class="quiet">${t('bitboards.what')}</p>
      <div class="row">
        ${radio('order', 'mover', t('bitboards.mover'))}${radio('order', 'black', t('bitboards.black'))}
      </div>
      <label class="field"
        ><span>${t(data.order === 'mover' ? 'bitboards.side' : 'black')}</span
        ><input name="first" class="mono" autofocus placeholder="0x0000000810000000" autocomplete="off"
      /></label>
      <label class="field"
        ><span>${t(data.order === 'mover' ? 'bitboards.other' : 'white')}</span
        ><input name="second" class="mono" placeholder="0x0000001008000000" autocomplete="off"
      /></label>
      <div class="row">
        <span>${t('editor.turn')}</span>${radio('side', BLACK, t('black'))}${radio('side', WHITE, t('white'))}
      </div>
      ${data.reason ? html`<p class="error-text" role="alert">${data.reason}</p>` : nothing}
      <p class="buttons"><button class="button strong">${t('import.take')}</button></p>
    </form>`,
  };
}

/** @param {Actions} actions @returns {Content} */
export function randomDialog(actions) {
  return {
    title: t('fn.randomBoard'),
    body: html`<form
      @submit=${async (/** @type {Event} */ event) => {
        event.preventDefault();
        await actions.randomBoard();
        actions.close();
      }}
    >
      <p class="quiet">${t('random.what')}</p>
      ${slider(actions, 'random.plies', t('random.plies'), 1, 60)}${check(actions, 'random.any', t('random.any'))}
      ${actions.app.get('random.any') ? nothing : slider(actions, 'random.range', t('random.range'), 0, 20, (n) => `±${n}`)}
      <p class="buttons"><button class="button strong" autofocus>${t('random.make')}</button></p>
    </form>`,
  };
}

/** Names, date and memo. @param {import('./tree.js').GameInfo} info */
const infoFields = (info) =>
  html`<label class="field"
      ><span>${t('black')}</span><input name="black" maxlength="200" .value=${info.black} autofocus
    /></label>
    <label class="field"><span>${t('white')}</span><input name="white" maxlength="200" .value=${info.white} /></label>
    <label class="field"
      ><span>${t('info.date')}</span><input name="date" type="date" .value=${info.date || today()}
    /></label>
    <label class="field"
      ><span>${t('info.memo')}</span><textarea name="memo" rows="4" maxlength="10000" .value=${info.memo}></textarea>
    </label>`;

function today() {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}

/** @param {HTMLFormElement} form @param {import('./tree.js').GameInfo} info */
function takeInfo(form, info) {
  const data = new FormData(form);
  for (const key of /** @type {const} */ (['black', 'white', 'date', 'memo'])) info[key] = String(data.get(key) ?? '');
}

/** @param {Actions} actions @returns {Content} */
export function gameInfoDialog(actions) {
  const { app } = actions;
  return {
    title: t('fn.gameInfo'),
    body: html`<form
      @submit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        takeInfo(/** @type {HTMLFormElement} */ (event.currentTarget), app.tree.info);
        app.keep();
        actions.close();
      }}
    >
      ${infoFields(app.tree.info)}
      <p class="buttons"><button class="button strong">${t('dialog.ok')}</button></p>
    </form>`,
  };
}

/** @param {(form: HTMLFormElement, what: any) => void} save @param {string} what @param {string} name */
const saveButton = (save, what, name) =>
  html`<button
    type="button"
    class="button"
    @click=${(/** @type {Event} */ event) => save(/** @type {any} */ (event.target).form, what)}
  >
    ${t(name)}
  </button>`;

/** @param {Actions} actions @returns {Content} */
export function saveDialog(actions) {
  const { app, library } = actions;
  const save = async (/** @type {HTMLFormElement} */ form, /** @type {'line' | 'here' | 'all' | 'replace'} */ what) => {
    takeInfo(form, app.tree.info);
    app.keep();
    const until = what === 'here' ? app.tree.current : what === 'line' ? app.tree.mainLine().slice(-1)[0] : null;
    try {
      const game = toGame(app.tree, until);
      await (what === 'replace' ? library.replace(game, app.tree) : library.put(game, app.tree));
      app.say(t('games.saved'));
      actions.close();
      library.list();
    } catch (error) {
      app.sayError(error);
    }
  };
  return {
    title: t('fn.saveGame'),
    body: html`<form
      @submit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        save(/** @type {HTMLFormElement} */ (event.currentTarget), 'all');
      }}
    >
      ${infoFields(app.tree.info)}
      <p class="quiet">${t('games.saveFolder', { folder: library.folder || t('games.root') })}</p>
      <p class="buttons">
        <button class="button strong">${t('games.saveAll')}</button>
        ${library.sourceOf(app.tree) ? saveButton(save, 'replace', 'games.replace') : ''}
        ${saveButton(save, 'line', 'games.saveMain')} ${saveButton(save, 'here', 'games.saveHere')}
      </p>
    </form>`,
  };
}

const GAME_FORMATS = ['transcript', 'ggf', 'sgf', 'pgn', 'quest', 'egaroucid'];
const BOARD_FORMATS = ['board', 'diagram', 'bitboards', 'black-white', 'base81', 'obf', 'ggs', 'svg'];

/** @param {Actions} actions @param {any} data @returns {Content} */
export function exportDialog(actions, data) {
  const { app } = actions;
  data.format ??= 'ggf';
  const make = async () => {
    const fields = GAME_FORMATS.includes(data.format) ? { game: toGame(app.tree) } : lineFields(app.tree);
    try {
      data.answer = await app.link.ask('export', { format: data.format, ...fields });
    } catch (error) {
      data.answer = null;
      app.sayError(error);
    }
    data.made = data.format;
    app.changed('view');
  };
  if (data.made !== data.format) {
    data.made = data.format;
    make();
  }
  const option = (/** @type {string} */ name) =>
    html`<option value=${name} ?selected=${name === data.format}>${t(`format.${name}`)}</option>`;
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
          <optgroup label=${t('export.position')}>${BOARD_FORMATS.map(option)}</optgroup>
        </select></label
      >
      ${
        data.answer
          ? html`<textarea
                rows="8"
                class="mono"
                readonly
                aria-label=${t('fn.exportGame')}
                .value=${data.answer.text}
              ></textarea>
              ${data.answer.losses?.length > 0 ? html`<p class="quiet">${t('export.losses', { what: data.answer.losses.join(', ') })}</p>` : nothing}
              <p class="buttons">
                <button
                  type="button"
                  class="button strong"
                  @click=${async () => {
                    if (await copyText(data.answer.text)) app.say(t('export.copied'));
                  }}
                >
                  ${t('dialog.copy')}
                </button>
                <button
                  type="button"
                  class="button"
                  @click=${() => download(data.answer.text, data.answer.file_name, data.answer.media_type)}
                >
                  ${t('dialog.download')}
                </button>
              </p>`
          : nothing
      }`,
  };
}
