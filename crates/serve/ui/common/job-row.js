// A job of the back end with its progress and what it counted.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { copyText } from './clipboard.js';
import { number, t } from './i18n.js';

/** @typedef {import('./page-actions.js').PageActions<any> & {jobs: import('./jobs.js').Jobs}} Actions */
/** @typedef {import('./jobs.js').Job} Job */

/** @param {Actions} actions @param {Job} job @param {string} name what the job is called */
export function jobRow({ app, jobs }, job, name) {
  const active = ['queued', 'running', 'pausing'].includes(job.state);
  const total = job.total === null || job.total === undefined ? null : Number(job.total);
  return html`<article class="job ${job.state}">
    <h3>${name} <small>${t(`jobs.state.${job.state}`)}</small></h3>
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

/** A time in words. @param {number} seconds */
export function duration(seconds) {
  const whole = Math.round(seconds);
  if (whole < 60) return t('time.s', { s: whole });
  if (whole < 3600) return t('time.m', { m: Math.floor(whole / 60), s: whole % 60 });
  return t('time.h', { h: Math.floor(whole / 3600), m: Math.floor((whole % 3600) / 60) });
}
