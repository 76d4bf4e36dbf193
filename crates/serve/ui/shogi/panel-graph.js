// The graphs, the analysis of the game, its summary and its mistakes.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { download, stamp } from '../common/clipboard.js';
import { number, t } from '../common/i18n.js';
import { check, fnButton, select } from '../common/widgets.js';
import { BLACK, WHITE, sideName } from './position.js';
import { lossBetween } from './analysis.js';
import { graph } from './graph.js';
import { SCALES } from './graph-geometry.js';
import { scoreText } from './score-text.js';

/** @typedef {import('./actions.js').Actions} Actions */
/** @typedef {import('./tree.js').Node} Node */

/** First and last ply of the parts of a game. @type {[number, number][]} */
const PHASES = [
  [1, 40],
  [41, 80],
  [81, 999],
];

/** Counts of the summary, with what they count. */
const KINDS = [
  ['missed_mates', 'missed_mate'],
  ['overlooked_mates', 'overlooked_mate'],
  ['hanging_pieces', 'hanging_piece'],
];

/** @param {Actions} actions */
export function graphPanel(actions) {
  const { app } = actions;
  return html`${app.get('show.graphValue') ? graph(actions, 'value') : nothing}
    ${app.get('show.graphTime') ? graph(actions, 'time') : nothing}
    <p class="checks">
      ${check(actions, 'show.graphValue', t('fn.graphValue'))}${check(actions, 'show.graphTime', t('fn.graphTime'))}
    </p>
    ${select(
      actions,
      'show.graphScale',
      t('graph.scale'),
      SCALES.map((scale) => [scale, scale === 'win' ? t('graph.win') : `±${number(Number(scale))}`]),
    )}
    ${app.link.can('search') ? analysis(actions) : nothing}`;
}

/** @param {Actions} actions */
function analysis(actions) {
  const { analysis, app, engines } = actions;
  return html`<section>
    <h2>${t('analysis.title')}</h2>
    ${
      analysis.running
        ? html`<p class="buttons">
            <button type="button" class="button strong" @click=${() => analysis.stop()}>${t('analysis.stop')}</button>
            <progress max=${analysis.total} value=${analysis.done} aria-label=${t('analysis.progress')}></progress>
            <span>${analysis.done} / ${analysis.total}</span>
          </p>`
        : html`<details>
              <summary>${t('analysis.how')}</summary>
              ${
                engines.list.length > 1
                  ? select(
                      actions,
                      'analysis.engine',
                      t('settings.engine'),
                      engines.list.map((engine) => [engine.engine, engine.name]),
                    )
                  : nothing
              }
              ${select(actions, 'analysis.by', t('analysis.by'), [
                ['nodes', t('analysis.nodes')],
                ['time', t('analysis.time')],
              ])}
              ${app.get('analysis.by') === 'nodes' ? numberRow(actions, 'analysis.nodes', t('analysis.nodes'), 1000, 1e9) : numberRow(actions, 'analysis.timeMs', t('analysis.timeMs'), 50, 600_000)}
              ${numberRow(actions, 'analysis.lines', t('research.lines'), 1, 10)}
            </details>
            <p class="buttons">${fnButton(actions, 'analyze')}</p>`
    }
    ${summary(actions)}${mistakes(actions)}
  </section>`;
}

/** A number of a setting. @param {Actions} actions @param {string} setting @param {string} label @param {number} min @param {number} max */
export const numberRow = ({ app }, setting, label, min, max) =>
  html`<label class="select-row"
    ><span>${label}</span
    ><input
      type="number"
      min=${min}
      max=${max}
      .value=${String(app.get(setting))}
      @change=${(/** @type {Event} */ event) => {
        const value = Number(/** @type {HTMLInputElement} */ (event.target).value);
        app.settings.set(setting, Math.min(max, Math.max(min, Number.isFinite(value) ? value : min)));
      }}
  /></label>`;

/** @param {Actions} actions */
function summary({ analysis, app }) {
  const { moves } = analysis;
  if (moves.length === 0) return html`<p class="quiet">${t('analysis.none')}</p>`;
  const told = analysis.summary;
  const row = (/** @type {string} */ name, /** @type {any} */ black, /** @type {any} */ white) =>
    html`<tr>
      <th scope="row">${name}</th>
      <td class="n">${black}</td>
      <td class="n">${white}</td>
    </tr>`;
  const count = (/** @type {number} */ side, /** @type {string} */ judge) =>
    moves.filter((node) => node.found.judge === judge && node.found.side === sideName(side)).length;
  const mean = (/** @type {number} */ side, /** @type {[number, number]} */ phase) => {
    const part = lossBetween(moves, side, phase);
    return part.moves > 0 ? number(part.mean, { maximumFractionDigits: 0 }) : '–';
  };
  const accuracy = (/** @type {any} */ value) =>
    typeof value === 'number' ? `${number(value, { maximumFractionDigits: 1 })}%` : '–';
  const phases = (told?.black?.phases ?? [])
    .map((/** @type {any} */ phase, /** @type {number} */ i) => ({ ...phase, white: told.white?.phases?.[i] }))
    .filter((/** @type {any} */ phase) => phase.moves !== 0 || phase.white?.moves !== 0);
  return html`<div class="summary">
    <table class="table">
      <thead>
        <tr>
          <td></td>
          <th class="n">${t('black')}</th>
          <th class="n">${t('white')}</th>
        </tr>
      </thead>
      <tbody>
        ${told ? row(t('analysis.accuracy'), accuracy(told.black?.accuracy), accuracy(told.white?.accuracy)) : nothing}
        ${phases.map((/** @type {any} */ phase) => row(phaseName(phase), accuracy(phase.accuracy), accuracy(phase.white?.accuracy)))}
        ${PHASES.filter(([first]) => moves.some((node) => node.found.ply >= first)).map((phase) =>
          row(
            t('analysis.meanLoss', { from: phase[0], to: phase[1] > 900 ? '' : phase[1] }),
            mean(BLACK, phase),
            mean(WHITE, phase),
          ),
        )}
        ${told && typeof told.black?.best === 'number' ? row(t('analysis.best'), number(told.black.best), number(told.white?.best ?? 0)) : nothing}
        ${['inaccuracy', 'mistake', 'blunder'].map((judge) => row(t(`judge.${judge}`), count(BLACK, judge), count(WHITE, judge)))}
        ${told ? KINDS.filter(([field]) => told.black?.[field] || told.white?.[field]).map(([field, kind]) => row(t(`mistake.${kind}`), number(told.black?.[field] ?? 0), number(told.white?.[field] ?? 0))) : nothing}
      </tbody>
    </table>
    <p class="buttons">
      ${told?.game ? html`<button type="button" class="button" @click=${() => analysis.takeGame()}>${t('analysis.takeGame')}</button>` : nothing}
      ${
        analysis.report
          ? html`<button
              type="button"
              class="button"
              @click=${() => download(analysis.report?.html ?? '', `${stamp()}.html`, 'text/html')}
            >
              ${t('analysis.report')}
            </button>`
          : nothing
      }
    </p>
  </div>`;
}

/** The name of a phase of the back end. @param {any} phase */
function phaseName(phase) {
  const key = `phase.${phase.phase ?? phase.name}`;
  const name = t(key) === key ? String(phase.phase ?? phase.name ?? '') : t(key);
  return t('analysis.phaseAccuracy', { phase: name });
}

/** @param {Actions} actions */
function mistakes({ app, analysis }) {
  const rows = analysis.moves
    .filter((node) => node.found.judge)
    .sort((a, b) => (b.found.loss_percent ?? b.found.loss ?? 0) - (a.found.loss_percent ?? a.found.loss ?? 0));
  if (rows.length === 0) return nothing;
  return html`<h3>${t('analysis.mistakes')}</h3>
    <div class="scroll">
      <table class="table mistakes">
        <thead>
          <tr>
            <th class="n">#</th>
            <th>${t('moves.move')}</th>
            <th>${t('analysis.judge')}</th>
            <th class="n">${t('analysis.score')}</th>
            <th>${t('analysis.better')}</th>
          </tr>
        </thead>
        <tbody>
          ${rows.slice(0, 60).map((node) => mistake(app, node))}
        </tbody>
      </table>
    </div>`;
}

/** @param {import('./app.js').App} app @param {Node} node */
function mistake(app, node) {
  const { found } = node;
  const before = /** @type {Node} */ (node.parent);
  const better = app.namesFrom([found.best ?? ''], before)[0] ?? '';
  return html`<tr class=${found.judge}>
    <td class="n">${found.ply}</td>
    <td><button type="button" class="link" @click=${() => app.goTo(node)}>${app.nameOf(node)}</button></td>
    <td>
      ${t(`judge.${found.judge}`)}
      <small class="quiet">${(found.kinds ?? []).map((/** @type {string} */ kind) => kindText(kind)).join(', ')}</small>
    </td>
    <td class="n">${scoreText(found.best_score)} → ${scoreText(found.score)}</td>
    <td>
      ${
        better
          ? html`<button
              type="button"
              class="link"
              @click=${() => {
                app.goTo(before);
                app.show(found.pv?.length > 0 && found.pv[0] === found.best ? found.pv : [found.best]);
              }}
            >
              ${better}
            </button>`
          : nothing
      }
    </td>
  </tr>`;
}

/** Why a move is a mistake. @param {string} kind */
function kindText(kind) {
  const text = t(`mistake.${kind}`);
  return text === `mistake.${kind}` ? kind.replaceAll('_', ' ') : text;
}
