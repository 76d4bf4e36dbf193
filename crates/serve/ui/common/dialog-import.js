// Texts that are read: the form, what was found in them, and what could not be read.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { readText } from './clipboard.js';
import { t } from './i18n.js';
import { field } from './widgets.js';

/** @typedef {import('./page-actions.js').PageActions<any> & {library: import('./library.js').Library, takeItem: (item: any) => void}} Actions */
/** @typedef {import('./dialogs.js').Content} Content */

/**
 * What a page adds to the dialog.
 * @typedef {object} ImportParts
 * @property {(text: string) => void} read reads a text: puts the answer into the data
 * @property {number} rows of the text's field
 * @property {(event: KeyboardEvent) => boolean} sends whether Enter with these keys reads the text
 * @property {any} [buttons] after the one that reads
 * @property {(item: any) => any} row what is said of an item that was found, before the button that takes it
 * @property {(item: any) => any} [more] after that button
 */

/** @param {Actions} actions @param {{text?: string, answer?: any}} data @param {ImportParts} parts @returns {Content} */
export function importContent(actions, data, { read, rows, sends, buttons = nothing, row, more = () => nothing }) {
  return {
    title: t('import.title'),
    body: html`<form
        @submit=${(/** @type {Event} */ event) => {
          event.preventDefault();
          read(field(event, 'text'));
        }}
      >
        <p class="quiet">${t('import.what')}</p>
        <textarea
          name="text"
          rows=${rows}
          class="mono"
          autofocus
          aria-label=${t('import.title')}
          .value=${data.text ?? ''}
          @keydown=${(/** @type {KeyboardEvent} */ event) => {
            if (event.key === 'Enter' && sends(event) && !event.isComposing) {
              event.preventDefault();
              read(/** @type {HTMLTextAreaElement} */ (event.target).value);
            }
          }}
        ></textarea>
        <p class="buttons">
          <button class="button strong">${t('import.take')}</button>
          ${buttons}
          <button
            type="button"
            class="button"
            @click=${async () => {
              data.text = (await readText()) ?? data.text;
              actions.app.changed('view');
            }}
          >
            ${t('import.clipboard')}
          </button>
          <button type="button" class="button" @click=${() => actions.run('openFile')}>${t('fn.openFile')}</button>
        </p>
      </form>
      ${data.answer ? found(actions, data.answer, row, more) : nothing}`,
  };
}

/** @param {Actions} actions @param {any} answer @param {(item: any) => any} row @param {(item: any) => any} more */
function found(actions, answer, row, more) {
  const { items } = answer;
  return html`<div role="status">
    ${items.length > 0 ? html`<p>${t('import.found', { n: answer.total ?? items.length })}</p>` : nothing}
    ${
      items.length > 1 && actions.app.link.can('library')
        ? html`<p class="buttons">
            <button type="button" class="button" @click=${() => saveAll(actions, items)}>${t('import.saveAll')}</button>
          </p>`
        : nothing
    }
    <ul class="found">
      ${items.slice(0, 200).map(
        (/** @type {any} */ item) =>
          html`<li>
            <b>${t(`kind.${item.kind}`)}</b>
            ${row(item)} ${item.note ?? ''}
            <button type="button" class="button small" @click=${() => actions.takeItem(item)}>
              ${t('import.take')}
            </button>
            ${more(item)}
          </li>`,
      )}
    </ul>
    ${failuresOf(answer)}
  </div>`;
}

/** Puts all games that were read into the library. @param {Actions} actions @param {any[]} items */
async function saveAll(actions, items) {
  const { app, library } = actions;
  let saved = 0;
  try {
    for (const item of items) {
      if (!item.game?.nodes) continue;
      await library.put(item.game);
      saved++;
    }
  } catch (error) {
    app.sayError(error);
  }
  app.say(t('import.savedAll', { n: saved }));
  actions.close();
}

/** What could not be read, line by line. @param {{items: any[], failures: any[]}} answer of an import */
function failuresOf(answer) {
  if (answer.failures.length === 0) return nothing;
  return html`<p class="error-text">${t(answer.items.length > 0 ? 'import.failed' : 'import.nothing')}</p>
    <ul class="failures">
      ${answer.failures.slice(0, 50).map((failure) => html`<li>${failure.line ? `${t('import.line', { n: failure.line })} ` : ''}${failure.error} ${failure.text ? html`<code>${failure.text}</code>` : nothing}</li>`)}
    </ul>`;
}
