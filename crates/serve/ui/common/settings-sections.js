// The settings in sections, one of which is shown.

import { html } from '../vendor/lit-html-3.3.3.js';
import { t } from './i18n.js';

/** @typedef {import('./page-actions.js').PageActions<any>} Actions */

/**
 * The buttons of the sections and the one that was chosen, or the first.
 * @template {Actions} A
 * @param {A} actions @param {Record<string, (actions: A) => any>} sections by their names
 */
export function settingsSections(actions, sections) {
  const names = Object.keys(sections);
  const chosen = names.includes(actions.section) ? actions.section : names[0];
  return html`<div class="segments" role="group" aria-label=${t('tab.settings')}>
      ${names.map(
        (name) =>
          html`<button
            type="button"
            class="segment"
            aria-pressed=${String(name === chosen)}
            @click=${() => actions.openSettings(name)}
          >
            ${t(`settings.${name}`)}
          </button>`,
      )}
    </div>
    ${sections[chosen](actions)}`;
}
