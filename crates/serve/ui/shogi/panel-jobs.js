// The jobs of the back end with their progress, and what can be started.

import { html } from '../vendor/lit-html-3.3.3.js';
import { t } from '../common/i18n.js';
import { jobButtons } from '../common/job-form.js';
import { jobRow } from '../common/job-row.js';

/** @typedef {import('./actions.js').Actions} Actions */

/** @param {Actions} actions */
export function jobsPanel(actions) {
  const { jobs } = actions;
  return html`<section>
      <h2>${t('jobs.list')}</h2>
      ${jobs.list.length === 0 ? html`<p class="quiet">${t('jobs.none')}</p>` : jobs.list.map((job) => jobRow(actions, job, job.kind))}
    </section>
    ${jobButtons(actions)}`;
}
