// Dialogs that every page has.

import { html } from '../vendor/lit-html-3.3.3.js';
import { t } from './i18n.js';
import { fileBrowser } from './file-browser.js';
import { field } from './widgets.js';

/** @typedef {import('./page-actions.js').PageActions<any> & {library: import('./library.js').Library}} Actions */
/** @typedef {import('./dialogs.js').Content} Content */

/** How the page is used, and its keys. @param {Actions} actions @param {string[]} parts the ends of the keys of the texts @returns {Content} */
export function usageDialog(actions, parts) {
  const { keys, table } = actions;
  return {
    title: t('fn.usage'),
    wide: true,
    body: html`<div class="prose">${parts.map((part) => html`<p>${t(`help.${part}`)}</p>`)}</div>
      <h3>${t('keys.title')}</h3>
      <div class="key-columns">
        ${table.menus.map((menu) => {
          const functions = table.functions.filter(
            (fn) => fn.menu === menu && actions.offered(fn) && keys[fn.id].length > 0,
          );
          return functions.length === 0
            ? ''
            : html`<section>
                <h4>${t(`menu.${menu}`)}</h4>
                <dl>
                  ${functions.map(
                    (fn) =>
                      html`<dt>${keys[fn.id].map((key) => html`<kbd>${key}</kbd> `)}</dt>
                        <dd>${t(`fn.${fn.id}`)}</dd>`,
                  )}
                </dl>
              </section>`;
        })}
      </div>`,
  };
}

/** @param {Actions} actions @param {any} data @returns {Content} */
export const libraryImportDialog = (actions, data) => ({
  title: t('games.import'),
  body: html`<p class="quiet">${t('games.importWhat')}</p>
    ${fileBrowser(actions, data, ['record', 'other'], async (root, path) => {
      await actions.library.importFile(root, path);
      actions.close();
    })}`,
});

/** A text to copy by hand where the browser gives no clipboard. @param {Actions} actions @param {{text: string}} data @returns {Content} */
export function textDialog(actions, data) {
  return {
    title: t('dialog.copy'),
    body: html`<p class="quiet">${t('text.byHand')}</p>
      <textarea
        rows="4"
        class="mono"
        readonly
        autofocus
        aria-label=${t('dialog.copy')}
        .value=${data.text}
        @focus=${(/** @type {Event} */ event) => /** @type {HTMLTextAreaElement} */ (event.target).select()}
      ></textarea>`,
  };
}

/** @param {Actions} actions @returns {Content} */
export function newFolderDialog(actions) {
  return {
    title: t('games.newFolder'),
    body: html`<form
      @submit=${async (/** @type {Event} */ event) => {
        event.preventDefault();
        await actions.library.newFolder(field(event, 'name').trim());
        actions.close();
      }}
    >
      <label class="field"
        ><span>${t('games.folderName')}</span><input name="name" required maxlength="100" autofocus
      /></label>
      <p class="buttons"><button class="button strong">${t('dialog.ok')}</button></p>
    </form>`,
  };
}
