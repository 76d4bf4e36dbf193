// Small parts of forms that several panels use.

import { html, live, nothing } from '../vendor/lit-html-3.3.3.js';
import { t } from './i18n.js';

/** @typedef {import('./page-actions.js').PageActions<any>} Actions */

/** A button of a function, with its key as a hint. @param {Actions} actions @param {string} id @param {{icon?: any, text?: boolean}} [look] */
export function fnButton(actions, id, { icon = null, text = !icon } = {}) {
  const fn = actions.functionById(id);
  if (!fn || !actions.offered(fn)) return nothing;
  const key = actions.keys[id]?.[0];
  const name = t(`fn.${id}`);
  return html`<button
    type="button"
    class="button ${icon ? 'icon' : ''}"
    ?disabled=${!actions.usable(fn)}
    title=${key ? `${name} (${key})` : name}
    aria-label=${name}
    aria-pressed=${fn.on ? String(fn.on(actions)) : nothing}
    data-fn=${id}
    @click=${() => actions.run(id)}
  >
    ${icon ?? nothing}${text ? name : nothing}
  </button>`;
}

/** A check box of a setting. @param {Actions} actions @param {string} setting @param {string} label */
export const check = (actions, setting, label) =>
  html`<label class="check-row"
    ><input
      type="checkbox"
      .checked=${live(Boolean(actions.app.get(setting)))}
      @change=${(/** @type {Event} */ event) => actions.app.settings.set(setting, /** @type {HTMLInputElement} */ (event.target).checked)}
    /><span>${label}</span></label
  >`;

/** A slider of a setting, with its value as text. @param {Actions} actions @param {string} setting @param {string} label @param {number} min @param {number} max @param {(value: number) => string} [text] */
export function slider(actions, setting, label, min, max, text = String) {
  const value = actions.app.get(setting);
  return html`<label class="slider-row"
    ><span>${label}</span
    ><input
      type="range"
      min=${min}
      max=${max}
      .value=${live(String(value))}
      aria-valuetext=${text(value)}
      @input=${(/** @type {Event} */ event) => actions.app.settings.set(setting, Number(/** @type {HTMLInputElement} */ (event.target).value))}
    />
    <output>${text(value)}</output></label
  >`;
}

/** A choice of a setting. @param {Actions} actions @param {string} setting @param {string} label @param {[string, string][]} options */
export const select = (actions, setting, label, options) =>
  html`<label class="select-row" data-setting=${setting}
    ><span>${label}</span>${plainSelect(actions.app.get(setting), options, (value) =>
      actions.app.settings.set(setting, value),
    )}</label
  >`;

/** @param {string} value @param {[string, string][]} options @param {(value: string) => void} change @param {string} [label] */
export const plainSelect = (value, options, change, label) =>
  html`<select
    aria-label=${label ?? nothing}
    .value=${live(value)}
    @change=${(/** @type {Event} */ event) => change(/** @type {HTMLSelectElement} */ (event.target).value)}
  >
    ${options.map(([key, text]) => html` <option value=${key} ?selected=${key === value}>${text}</option>`)}
  </select>`;

/** The text of a field of a form. @param {Event} event @param {string} name */
export const field = (event, name) =>
  String(new FormData(/** @type {HTMLFormElement} */ (event.currentTarget)).get(name) ?? '');
