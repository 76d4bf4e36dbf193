// The table of shortcuts: searched, changed, and the six buttons and sets of keys.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { t } from './i18n.js';
import { assign, keyName, unassign } from './shortcuts.js';
import { plainSelect, select } from './widgets.js';

/** @typedef {import('./page-actions.js').PageActions<any>} Actions */

let search = '';
/** The function whose new key is awaited. */
let awaiting = '';
let refusal = '';

/** @param {Actions} actions */
export function keySettings(actions) {
  const { app, keys } = actions;
  const wanted = search.trim().toLowerCase();
  const rows = actions.table.functions.filter(
    (fn) =>
      actions.offered(fn) &&
      (!wanted ||
        t(`fn.${fn.id}`).toLowerCase().includes(wanted) ||
        keys[fn.id].some((key) => key.toLowerCase().includes(wanted))),
  );
  return html`<section>
      <h2>${t('keys.title')}</h2>
      ${
        actions.table.keySets.length < 2
          ? nothing
          : select(
              actions,
              'keys.set',
              t('keys.set'),
              actions.table.keySets.map((name) => [name, t(`keys.set.${name}`)]),
            )
      }
      <label class="select-row"
        ><span>${t('keys.search')}</span
        ><input
          type="search"
          .value=${search}
          @input=${(/** @type {Event} */ event) => {
            search = /** @type {HTMLInputElement} */ (event.target).value;
            app.changed('view');
          }}
      /></label>
      ${refusal ? html`<p class="error-text" role="alert">${refusal}</p>` : nothing}
      <table class="table keys">
        <thead>
          <tr>
            <th>${t('keys.function')}</th>
            <th>${t('keys.keys')}</th>
            <td></td>
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (fn) =>
              html` <tr data-fn=${fn.id}>
                <td><small class="quiet">${t(`menu.${fn.menu}`)}</small> ${t(`fn.${fn.id}`)}</td>
                <td>
                  ${keys[fn.id].map((key) => html`<span class="key-chip"><kbd>${key}</kbd><button type="button" aria-label=${t('keys.remove', { key })} @click=${() => change(actions, unassign(actions.defaultKeys(app.get('keys.set')), app.get('keys.changes'), fn.id, key))}>×</button></span> `)}
                </td>
                <td>
                  ${
                    awaiting === fn.id
                      ? html`<button
                          type="button"
                          class="button small strong awaiting"
                          @keydown=${(/** @type {KeyboardEvent} */ event) => take(actions, fn.id, event)}
                          @blur=${() => stop(actions)}
                        >
                          ${t('keys.press')}
                        </button>`
                      : html`<button
                          type="button"
                          class="button small"
                          aria-label=${`${t('keys.add')}: ${t(`fn.${fn.id}`)}`}
                          @click=${() => begin(actions, fn.id)}
                        >
                          ${t('keys.add')}
                        </button>`
                  }
                </td>
              </tr>`,
          )}
        </tbody>
      </table>
      <p class="buttons">
        <button type="button" class="button" @click=${() => change(actions, {})}>${t('keys.reset')}</button>
      </p>
    </section>
    <section>
      <h2>${t('keys.buttons')}</h2>
      <div class="button-choice">
        ${app.get('buttons').map((/** @type {string} */ id, /** @type {number} */ i) =>
          plainSelect(
            id,
            [
              ['', t('keys.noButton')],
              ...actions.buttonFunctions.map((fn) => /** @type {[string, string]} */ ([fn.id, t(`fn.${fn.id}`)])),
            ],
            (value) =>
              app.settings.set(
                'buttons',
                app
                  .get('buttons')
                  .map((/** @type {string} */ other, /** @type {number} */ j) => (j === i ? value : other)),
              ),
            t('keys.button', { n: i + 1 }),
          ),
        )}
      </div>
    </section>`;
}

/** @param {Actions} actions @param {string} id */
function begin({ app }, id) {
  awaiting = id;
  refusal = '';
  app.afterDrawing(() => /** @type {HTMLElement | null} */ (document.querySelector('.awaiting'))?.focus());
}

/** @param {Actions} actions */
function stop({ app }) {
  awaiting = '';
  app.changed('view');
}

/** @param {Actions} actions @param {string} id @param {KeyboardEvent} event */
function take(actions, id, event) {
  const name = keyName(event);
  if (!name || event.isComposing) return;
  event.preventDefault();
  event.stopPropagation();
  if (name === 'Esc' || name === 'Tab') {
    stop(actions);
    return;
  }
  const { app } = actions;
  const result = assign(actions.defaultKeys(app.get('keys.set')), app.get('keys.changes'), id, name);
  if ('takenBy' in result) refusal = t('keys.taken', { key: name, name: t(`fn.${result.takenBy}`) });
  else app.settings.set('keys.changes', result.changes);
  stop(actions);
}

/** @param {Actions} actions @param {import('./shortcuts.js').Table} changes */
function change({ app }, changes) {
  refusal = '';
  app.settings.set('keys.changes', changes);
}
