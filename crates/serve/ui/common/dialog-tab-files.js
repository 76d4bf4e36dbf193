// The dialog with the files of a tab: what they are used for, and what can be done with them.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { size } from './file-browser.js';
import { t } from './i18n.js';
import { pickFile } from './page-actions.js';
import {
  NETWORK,
  bookOf,
  chosenEnds,
  downloadTabFile,
  forgetForGood,
  playWith,
  takeTabFile,
  useTabFile,
} from './tab-files.js';

/** @typedef {import('./dialogs.js').Content} Content */
/** @typedef {import('./tab-files.js').Actions} Actions */

/** @param {Actions} actions @param {any} data @returns {Content} */
export function tabFilesDialog(actions, data) {
  const { app } = actions;
  const reload = async () => {
    data.list = (await app.link.files?.list()) ?? [];
    app.changed('view');
  };
  if (!data.list) {
    data.list = [];
    reload();
  }
  const then = (/** @type {() => Promise<any>} */ work) => async () => {
    await work();
    await reload();
  };
  const ends = chosenEnds(actions);
  return {
    title: t('fn.tabFiles'),
    body: html`<p class="quiet">${t('tabFiles.what', { ends: ends.join(' ') })}</p>
      <table class="table tab-files">
        <tbody>
          ${data.list.map((/** @type {any} */ file) => row(actions, file, then))}
        </tbody>
      </table>
      <p class="buttons">
        <button
          type="button"
          class="button strong"
          autofocus
          @click=${() => pickFile(ends.join(','), (file) => then(() => takeTabFile(actions, file))())}
        >
          ${t('tabFiles.choose')}
        </button>
        ${
          app.get(NETWORK)
            ? html`<button type="button" class="button" @click=${then(() => playWith(actions, null))}>
                ${t('tabFiles.builtIn')}
              </button>`
            : nothing
        }
      </p>`,
  };
}

/** @param {Actions} actions @param {{name: string, size: number, kept: boolean}} file @param {(work: () => Promise<any>) => () => any} then */
function row(actions, file, then) {
  const { name } = file;
  const isPlaying = actions.app.get(NETWORK) === name;
  const isOpen = Boolean(bookOf(actions, name));
  const button = (/** @type {string} */ key, /** @type {() => Promise<any>} */ work) =>
    html`<button type="button" class="button small" aria-label=${`${t(key)}: ${name}`} @click=${then(work)}>
      ${t(key)}
    </button>`;
  return html`<tr>
    <td>
      ${name}
      <small class="quiet">${size(file.size)} ${file.kept ? nothing : t('tabFiles.thisVisit')}</small>
    </td>
    <td>${isPlaying ? t('tabFiles.isPlaying') : isOpen ? t('tabFiles.isOpen') : nothing}</td>
    <td>
      <span class="row-buttons">
        ${isPlaying || isOpen ? nothing : button('tabFiles.use', () => useTabFile(actions, name))}
        ${button('tabFiles.download', () => downloadTabFile(actions, name))}
        ${button('tabFiles.forget', () => forgetForGood(actions, name))}
      </span>
    </td>
  </tr>`;
}
