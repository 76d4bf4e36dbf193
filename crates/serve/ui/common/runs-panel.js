// The dashboard of runs: a list, and all of one: workers, results, lengths, curves, failures.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { copyText } from './clipboard.js';
import { number, t } from './i18n.js';
import { curve, histogram, shares } from './charts.js';
import { duration } from './job-row.js';
import { size } from './file-browser.js';

/** @typedef {import('./page-actions.js').PageActions<any> & {runs: import('./runs.js').Runs, jobs: import('./jobs.js').Jobs}} Actions */
/** @typedef {import('./runs.js').Run} Run */

/** A text of the page for a word of a program, or the word itself. @param {string} prefix @param {string} word */
const wordOf = (prefix, word) => {
  const text = t(`${prefix}.${word}`);
  return text === `${prefix}.${word}` ? word.replaceAll('_', ' ') : text;
};

/** @param {Actions} actions */
export function runsPanel(actions) {
  const { runs } = actions;
  if (!runs.loaded) runs.reload();
  if (runs.chosen) return detail(actions);
  return html`<section>
      <h2>${t('runs.title')}</h2>
      ${
        runs.list.length === 0
          ? html`<p class="quiet">${t('runs.none')}</p>`
          : html`<div class="scroll">
              <table class="table runs">
                <thead>
                  <tr>
                    <th>${t('runs.program')}</th>
                    <th>${t('runs.state')}</th>
                    <th class="n">${t('runs.done')}</th>
                    <th class="n">${t('runs.rate')}</th>
                    <th class="n">${t('runs.eta')}</th>
                    <th class="n">${t('runs.failures')}</th>
                  </tr>
                </thead>
                <tbody>
                  ${runs.list.map((run) => row(actions, run))}
                </tbody>
              </table>
            </div>`
      }
      ${runs.more ? html`<p class="quiet">${t('runs.more')}</p>` : nothing}
    </section>
    ${books(runs)}${sources(runs)}`;
}

/** @param {Actions} actions @param {Run} run */
function row({ runs }, run) {
  return html`<tr class=${run.state}>
    <td>
      <button type="button" class="link" @click=${() => runs.choose(run.run)}>${run.program ?? run.name}</button>
      <small class="quiet">${run.host ?? ''} ${run.name}</small>
    </td>
    <td>${t(`runs.state.${run.state}`)}${run.stage ? html` <small class="quiet">${run.stage}</small>` : nothing}</td>
    <td class="n">${amount(run.done)}${run.total ? ` / ${amount(run.total)}` : ''} ${run.unit ?? ''}</td>
    <td class="n">${run.rate === null ? '' : rate(run.rate)}</td>
    <td class="n">${run.eta_s === null ? '' : duration(run.eta_s)}</td>
    <td class="n">${Number(run.failures) > 0 ? html`<b class="error-text">${amount(run.failures)}</b>` : ''}</td>
  </tr>`;
}

/** @param {string | null | undefined} value */
const amount = (value) => (value === null || value === undefined ? '' : number(Number(value)));
/** @param {number} value a second */
const rate = (value) =>
  value < 1
    ? t('runs.perHour', { n: number(value * 3600, { maximumFractionDigits: 1 }) })
    : t('jobs.rate', { n: number(value, { maximumFractionDigits: 1 }) });

/** @param {import('./runs.js').Runs} runs */
const books = (runs) =>
  runs.books.length === 0
    ? nothing
    : html`<section>
        <h2>${t('runs.books')}</h2>
        <table class="table">
          <thead>
            <tr>
              <th>${t('book.name')}</th>
              <th class="n">${t('runs.round')}</th>
              <th class="n">${t('runs.searched')}</th>
              <th class="n">${t('runs.size')}</th>
              <th>${t('runs.changed')}</th>
            </tr>
          </thead>
          <tbody>
            ${runs.books.map(
              (book) =>
                html`<tr>
                  <td>${book.book}</td>
                  <td class="n">${amount(book.round)}</td>
                  <td class="n">${amount(book.searched)}</td>
                  <td class="n">${book.size ? size(Number(book.size)) : ''}</td>
                  <td>${book.changed ? new Date(book.changed).toLocaleString() : ''}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </section>`;

/** @param {import('./runs.js').Runs} runs */
const sources = (runs) =>
  runs.sources.length === 0
    ? nothing
    : html`<section>
        <h2>${t('runs.sources')}</h2>
        <ul>
          ${runs.sources.map(
            (source) =>
              html`<li>
                <b>${source.name}</b> <span class="quiet">${t('runs.lines', { n: amount(source.lines) })}</span>
                ${source.reading === null ? nothing : html`<progress max="1" value=${source.reading} aria-label=${source.name}></progress>`}
                ${Number(source.damaged) > 0 ? html`<span class="error-text">${t('runs.damaged', { n: amount(source.damaged) })}</span>` : nothing}
                ${source.text ? html`<span class="error-text">${source.text}</span>` : nothing}
              </li>`,
          )}
        </ul>
      </section>`;

/** @param {Actions} actions */
function detail(actions) {
  const { app, runs, jobs } = actions;
  const run = runs.detail ?? runs.list.find((one) => one.run === runs.chosen);
  const back = html`<p class="buttons">
    <button type="button" class="button" @click=${() => runs.choose('')}>◀ ${t('runs.all')}</button>
    ${run?.job === null || run?.job === undefined ? nothing : jobButtons(jobs, run)}
    ${
      run?.command
        ? html`<button
            type="button"
            class="button"
            @click=${async () => {
              if (await copyText(run.command)) app.say(t('copied', { text: run.command }));
            }}
          >
            ${t('jobs.copyCommand')}
          </button>`
        : nothing
    }
  </p>`;
  if (!run) return back;
  const total = run.total ? Number(run.total) : null;
  return html`${back}
    <section>
      <h2>${run.program ?? run.name} <small>${t(`runs.state.${run.state}`)}</small></h2>
      ${total === null ? nothing : html`<progress max=${total} value=${Number(run.done ?? 0)} aria-label=${t('jobs.progress')}></progress>`}
      <dl class="facts">
        ${facts(run).map(
          ([name, value]) =>
            html`<div>
              <dt>${name}</dt>
              <dd>${value}</dd>
            </div>`,
        )}
      </dl>
      ${run.text ? html`<p class=${run.state === 'failed' ? 'error-text' : ''}>${run.text}</p>` : nothing}
      ${run.command ? html`<p><code>${run.command}</code></p>` : nothing}
    </section>
    ${figures(run)}
    ${(run.results ?? []).map((/** @type {any} */ one) => shares(wordOf('runs.result', one.name), one.counts ?? [], (name) => wordOf('runs.word', name)))}
    ${(run.series ?? []).map((/** @type {any} */ one) => curve(wordOf('runs.series', one.name), one.points ?? [], { error: one.error, ...(one.x === 'time' ? { x: duration } : {}) }))}
    ${(run.histograms ?? []).map((/** @type {any} */ one) => histogram(wordOf('runs.histogram', one.name), one))}
    ${workers(run)}${failures(run)}`;
}

/** @param {import('./jobs.js').Jobs} jobs @param {Run} run */
function jobButtons(jobs, run) {
  const job = /** @type {number} */ (run.job);
  const button = (/** @type {'pause' | 'resume' | 'stop'} */ what) =>
    html`<button type="button" class="button" @click=${() => jobs.command(job, what)}>${t(`jobs.${what}`)}</button>`;
  return html`${run.state === 'running' ? button('pause') : nothing}
  ${['paused', 'stopped', 'failed'].includes(run.state) ? button('resume') : nothing}
  ${['running', 'pausing', 'paused'].includes(run.state) ? button('stop') : nothing}`;
}

/** @param {any} run @returns {[string, any][]} */
function facts(run) {
  /** @type {[string, any][]} */
  const all = [
    [t('runs.done'), `${amount(run.done)}${run.total ? ` / ${amount(run.total)}` : ''} ${run.unit ?? ''}`],
    [t('runs.rate'), run.rate === null || run.rate === undefined ? '' : rate(run.rate)],
    [t('runs.elapsed'), run.elapsed_s ? duration(run.elapsed_s) : ''],
    [t('runs.eta'), run.eta_s ? duration(run.eta_s) : ''],
    [t('runs.failures'), Number(run.failures) > 0 ? amount(run.failures) : ''],
    [t('runs.host'), [run.host, run.pid].filter(Boolean).join(' · ')],
    [t('runs.output'), run.output ?? ''],
    [t('runs.saved'), run.saved ? `${amount(run.saved.count)} · ${new Date(run.saved.at).toLocaleTimeString()}` : ''],
  ];
  return all.filter(([, value]) => value);
}

/** @param {any} run */
const figures = (run) =>
  (run.figures ?? []).length === 0
    ? nothing
    : html`<dl class="figures">
        ${run.figures.map(
          (/** @type {any} */ one) =>
            html`<div>
              <dt>${wordOf('runs.series', one.name)}</dt>
              <dd>${number(Number(one.value), { maximumSignificantDigits: 5 })}</dd>
            </div>`,
        )}
      </dl>`;

/** @param {any} run */
const workers = (run) =>
  (run.workers ?? []).length === 0
    ? nothing
    : html`<section>
        <h2>${t('runs.workers')}</h2>
        <div class="scroll">
          <table class="table">
            <thead>
              <tr>
                <th class="n">#</th>
                <th>${t('runs.engine')}</th>
                <th>${t('runs.state')}</th>
                <th class="n">${t('runs.done')}</th>
                <th class="n">nps</th>
                <th class="n">${t('runs.failures')}</th>
              </tr>
            </thead>
            <tbody>
              ${run.workers.map(
                (/** @type {any} */ one) =>
                  html`<tr>
                    <td class="n">${one.worker}</td>
                    <td>${one.engine ?? ''}</td>
                    <td>${wordOf('runs.worker', one.state ?? '')}</td>
                    <td class="n">${amount(one.done)}</td>
                    <td class="n">
                      ${one.rate ? number(one.rate, { notation: 'compact' }) : one.speed ? rate(one.speed) : ''}
                    </td>
                    <td class="n">${Number(one.failures) > 0 ? amount(one.failures) : ''}</td>
                  </tr>`,
              )}
            </tbody>
          </table>
        </div>
        ${run.more_workers ? html`<p class="quiet">${t('runs.moreWorkers')}</p>` : nothing}
      </section>`;

/** @param {any} run */
const failures = (run) =>
  (run.failures_last ?? []).length === 0
    ? nothing
    : html`<section>
        <h2>${t('runs.failures')}</h2>
        <ul class="failures">
          ${[...run.failures_last]
            .reverse()
            .map(
              (/** @type {any} */ one) =>
                html`<li>
                  <time>${new Date(one.at).toLocaleTimeString()}</time> ${one.engine ?? ''}
                  ${one.worker === null || one.worker === undefined ? '' : `#${one.worker}`} ${one.text}
                </li>`,
            )}
        </ul>
      </section>`;
