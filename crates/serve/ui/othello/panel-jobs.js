// The jobs of the back end with their progress, and the log of the searches.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { copyText } from '../common/clipboard.js';
import { number, t } from '../common/i18n.js';
import { FUNCTIONS } from './functions.js';

/** @typedef {import('./actions.js').Actions} Actions */
/** @typedef {import('./jobs.js').Job} Job */

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
            ${jobs.list.length === 0 ? html`<p class="quiet">${t('jobs.none')}</p>` : jobs.list.map((job) => row(actions, job))}
          </section>`
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

/** @param {Actions} actions @param {Job} job */
function row({ app, jobs }, job) {
  const active = ['queued', 'running', 'pausing'].includes(job.state);
  const total = job.total === null || job.total === undefined ? null : Number(job.total);
  return html`<article class="job ${job.state}">
    <h3>${t(`fn.job.${job.kind}`)} <small>${t(`jobs.state.${job.state}`)}</small></h3>
    ${active || job.state === 'paused' ? html`<progress max=${total ?? 1} value=${total === null ? nothing : Number(job.done)} aria-label=${t('jobs.progress')}></progress>` : nothing}
    <p>
      ${job.stage} ${number(Number(job.done ?? 0))}${total === null ? nothing : ` / ${number(total)}`} ${job.unit ?? ''}
      ${active && job.rate ? ` ${t('jobs.rate', { n: number(job.rate, { maximumFractionDigits: 1 }) })}` : nothing}${active && job.eta_s ? ` ${t('jobs.eta', { time: duration(job.eta_s) })}` : nothing}
    </p>
    ${job.text ? html`<p class=${job.state === 'failed' ? 'error-text' : ''}>${job.text}</p>` : nothing}
    ${job.output ? html`<p class="mono">${job.output.path}</p>` : nothing} ${job.result ? counts(job.result) : nothing}
    <p class="buttons">
      ${job.state === 'running' ? html`<button type="button" class="button small" @click=${() => jobs.command(job.job, 'pause')}>${t('jobs.pause')}</button>` : nothing}
      ${['paused', 'stopped', 'failed'].includes(job.state) ? html`<button type="button" class="button small" @click=${() => jobs.command(job.job, 'resume')}>${t('jobs.resume')}</button>` : nothing}
      ${active || job.state === 'paused' ? html`<button type="button" class="button small" @click=${() => jobs.command(job.job, 'stop')}>${t('jobs.stop')}</button>` : nothing}
      <button
        type="button"
        class="button small"
        @click=${async () => {
          if (await copyText(job.command)) app.say(t('copied', { text: job.command }));
        }}
      >
        ${t('jobs.copyCommand')}
      </button>
    </p>
    <p><code>${job.command}</code></p>
  </article>`;
}

/** Named counts; or counts of positions by level on the left and by ply on the right. @param {any} result */
function counts(result) {
  if (Array.isArray(result.counts)) {
    return html`<table class="table">
      <tbody>
        ${result.counts.map(
          (/** @type {any} */ one) =>
            html`<tr>
              <td>${one.name}</td>
              <td class="n">${number(Number(one.n))}</td>
            </tr>`,
        )}
      </tbody>
    </table>`;
  }
  const table = (/** @type {any[]} */ rows, /** @type {string} */ key, /** @type {string} */ title) =>
    html`<table class="table">
      <thead>
        <tr>
          <th>${title}</th>
          <th class="n">${t('book.positions')}</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (one) =>
            html`<tr>
              <td>${one[key]}</td>
              <td class="n">${number(Number(one.n))}</td>
            </tr>`,
        )}
      </tbody>
    </table>`;
  return html`<div class="two-tables">
    ${Array.isArray(result.levels) ? table(result.levels, 'level', t('info.level')) : nothing}${Array.isArray(result.plies) ? table(result.plies, 'ply', t('jobs.ply')) : nothing}
  </div>`;
}

/** @param {number} seconds */
function duration(seconds) {
  const whole = Math.round(seconds);
  if (whole < 60) return t('time.s', { s: whole });
  if (whole < 3600) return t('time.m', { m: Math.floor(whole / 60), s: whole % 60 });
  return t('time.h', { h: Math.floor(whole / 3600), m: Math.floor((whole % 3600) / 60) });
}
