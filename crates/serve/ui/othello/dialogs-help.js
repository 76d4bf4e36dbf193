// How the page is used, and the licences of what is in it.

import { html } from '../vendor/lit-html-3.3.3.js';
import { t } from '../common/i18n.js';
import { usageDialog } from '../common/dialog-shared.js';

/** @typedef {import('./actions.js').Actions} Actions */

/** @param {Actions} actions */
export const helpDialog = (actions) => usageDialog(actions, ['play', 'walk', 'values', 'paste', 'book', 'jobs']);

/** @param {Actions} actions @returns {import('../common/dialogs.js').Content} */
export function licencesDialog(actions) {
  return {
    title: t('fn.licences'),
    body: html`<div class="prose">
      <p>${t('licence.own')}</p>
      <p>${t('licence.lit')}</p>
      <p><a href="/vendor/LICENSE-lit" target="_blank" rel="noopener">LICENSE-lit</a></p>
      <p class="quiet">${t('licence.build', { build: actions.app.link.hello?.build ?? '' })}</p>
    </div>`,
  };
}
