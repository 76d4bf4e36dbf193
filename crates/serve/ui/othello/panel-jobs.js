// The jobs of the back end with their progress, and the log of the searches.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { t } from '../common/i18n.js';
import { jobButtons } from '../common/job-form.js';
import { jobRow } from '../common/job-row.js';
import { FUNCTIONS } from './functions.js';

/** @typedef {import('./actions.js').Actions} Actions */

/** @param {Actions} actions */
export function jobsPanel(actions) {
  const { app, jobs } = actions;
  const kinds = FUNCTIONS.filter((fn) => fn.id.startsWith('job.') && actions.offered(fn));
  return html`${
    app.link.can('jobs')
      ? html`<section>
            <h2>${t('jobs.start')}</h2>
            <p class="buttons">
              ${kinds.map(
                (fn) =>
                  html` <button
                    type="button"
                    class="button"
                    data-fn=${fn.id}
                    ?disabled=${!actions.usable(fn)}
                    @click=${() => actions.run(fn.id)}
                  >
                    ${t(`fn.${fn.id}`)}
                  </button>`,
              )}
            </p>
          </section>
          <section>
            <h2>${t('jobs.list')}</h2>
            ${jobs.list.length === 0 ? html`<p class="quiet">${t('jobs.none')}</p>` : jobs.list.map((job) => jobRow(actions, job, jobName(job.kind)))}
          </section>
          ${jobButtons(actions)}`
      : nothing
  }
  ${
    app.get('show.log')
      ? html`<section>
          <h2>${t('log.title')}</h2>
          <pre class="log" tabindex="0">${app.log.length > 0 ? app.log.slice(-80).join('\n') : t('log.empty')}</pre>
        </section>`
      : nothing
  }`;
}

/** The name of a kind; that of a program is its own. @param {string} kind */
const jobName = (kind) => (kind.includes('.') ? kind : t(`fn.job.${kind}`));
