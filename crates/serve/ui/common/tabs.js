// The tabs beside the board.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { t } from './i18n.js';

/** @typedef {import('./page-actions.js').PageActions<any>} Actions */

/**
 * @typedef {object} Tab
 * @property {(actions: any) => any} panel
 * @property {string} [cap] what the back end must be able to do
 * @property {(actions: any) => string} [name] the key of its name, where it is not `tab.NAME`
 * @property {(actions: any) => number} [badge] a number beside its name
 */

/** A click leaves the focus where it is, so that the arrow keys go on walking through the game. @param {Actions} actions @param {Record<string, Tab>} all */
export function tabs(actions, all) {
  const { app } = actions;
  const badge = (/** @type {string} */ name) => all[name].badge?.(actions) ?? 0;
  const names = Object.keys(all).filter(
    (name) => !all[name].cap || app.link.can(/** @type {string} */ (all[name].cap)),
  );
  const chosen = names.includes(app.get('tab')) ? app.get('tab') : names[0];
  return html`<div
      class="tablist"
      role="tablist"
      aria-label=${t('tabs.name')}
      @keydown=${(/** @type {KeyboardEvent} */ event) => keys(actions, names, chosen, event)}
    >
      ${names.map(
        (name) =>
          html` <button
            type="button"
            role="tab"
            id=${`tab-${name}`}
            aria-selected=${String(name === chosen)}
            aria-controls="panel"
            tabindex=${name === chosen ? 0 : -1}
            @mousedown=${(/** @type {Event} */ event) => event.preventDefault()}
            @click=${() => actions.openTab(name)}
          >
            ${t(all[name].name?.(actions) ?? `tab.${name}`)}${badge(name) > 0 ? html`<span class="badge">${badge(name)}</span>` : nothing}
          </button>`,
      )}
    </div>
    <div class="panel panel-${chosen}" id="panel" role="tabpanel" aria-labelledby=${`tab-${chosen}`} tabindex="0">
      ${all[chosen].panel(actions)}
    </div>`;
}

/** @param {Actions} actions @param {string[]} names @param {string} chosen @param {KeyboardEvent} event */
function keys(actions, names, chosen, event) {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step) return;
  const next = names[(names.indexOf(chosen) + step + names.length) % names.length];
  actions.openTab(next);
  actions.app.afterDrawing(() => document.getElementById(`tab-${next}`)?.focus());
  event.preventDefault();
}
