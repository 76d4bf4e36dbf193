// The tabs beside the board.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { t } from '../common/i18n.js';
import { movesPanel } from './panel-moves.js';
import { graphPanel } from './panel-graph.js';
import { bookPanel } from './panel-book.js';
import { gamesPanel } from './panel-games.js';
import { jobsPanel } from './panel-jobs.js';
import { settingsPanel } from './panel-settings.js';

/** @typedef {import('./actions.js').Actions} Actions */

/** @type {Record<string, {panel: (actions: Actions) => any, cap?: string}>} */
const TABS = {
  moves: { panel: movesPanel },
  graph: { panel: graphPanel },
  book: { panel: bookPanel, cap: 'books' },
  games: { panel: gamesPanel, cap: 'library' },
  jobs: { panel: jobsPanel },
  settings: { panel: settingsPanel },
};

/** @param {Actions} actions */
export function tabs(actions) {
  const { app, jobs } = actions;
  const names = Object.keys(TABS).filter(
    (name) => !TABS[name].cap || app.link.can(/** @type {string} */ (TABS[name].cap)),
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
            @click=${() => actions.openTab(name)}
          >
            ${t(name === 'jobs' && !app.link.can('jobs') ? 'tab.log' : `tab.${name}`)}${name === 'jobs' && jobs.running.length > 0 ? html`<span class="badge">${jobs.running.length}</span>` : nothing}
          </button>`,
      )}
    </div>
    <div class="panel panel-${chosen}" id="panel" role="tabpanel" aria-labelledby=${`tab-${chosen}`} tabindex="0">
      ${TABS[chosen].panel(actions)}
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
