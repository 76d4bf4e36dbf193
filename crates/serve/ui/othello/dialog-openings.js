// The named openings: searched by name or moves, and set up by a click.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { t } from '../common/i18n.js';
import { openingName } from './board-view.js';
import { fromLine } from './game-json.js';

/** @typedef {import('./actions.js').Actions} Actions */

const SHOWN = 100;

/** @param {Actions} actions @param {{openings?: any[], search?: string}} data @returns {import('../common/dialogs.js').Content} */
export function openingsDialog(actions, data) {
  const { app } = actions;
  if (!data.openings) {
    data.openings = [];
    app.link.ask('openings').then(
      (answer) => {
        data.openings = answer.openings;
        app.changed('view');
      },
      (error) => app.sayError(error),
    );
  }
  const wanted = (data.search ?? '').trim().toLowerCase();
  const found = data.openings.filter(
    (opening) =>
      !wanted ||
      opening.moves.join('').startsWith(wanted.replace(/\s/g, '')) ||
      [opening.en, opening.ja].some((name) => name?.toLowerCase().includes(wanted)),
  );
  const take = (/** @type {string[]} */ moves) => {
    actions.show(fromLine(undefined, moves));
    actions.close();
  };
  return {
    title: t('fn.openings'),
    body: html`<label class="field"
        ><span>${t('openings.search')}</span
        ><input
          type="search"
          autofocus
          .value=${data.search ?? ''}
          @input=${(/** @type {Event} */ event) => {
            data.search = /** @type {HTMLInputElement} */ (event.target).value;
            app.changed('view');
          }}
      /></label>
      <ul class="files">
        ${found.slice(0, SHOWN).map((opening) => html`<li><button type="button" class="link" @click=${() => take(opening.moves)}>${openingName(opening)}</button> <code>${opening.moves.join('')}</code></li>`)}
        ${found.length === 0 ? html`<li class="quiet">${t('openings.none')}</li>` : nothing}
      </ul>
      ${found.length > SHOWN ? html`<p class="quiet">${t('openings.more', { n: found.length - SHOWN })}</p>` : nothing}`,
  };
}
