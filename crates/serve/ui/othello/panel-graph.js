// The graphs, the analysis of the game and its summary.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { number, t } from '../common/i18n.js';
import { BLACK, WHITE, sideName, squareName } from './rules.js';
import { GameTree } from './tree.js';
import { graph } from './graph.js';
import { lossesByPhase } from './analysis.js';
import { check, fnButton } from '../common/widgets.js';

/** @typedef {import('./actions.js').Actions} Actions */

/** First and last ply of the parts of a game. @type {[number, number][]} */
const PHASES = [
  [1, 20],
  [21, 40],
  [41, 60],
];

/** @param {Actions} actions */
export function graphPanel(actions) {
  const { app, analysis } = actions;
  return html` ${app.get('show.graphValue') ? graph(actions, 'value') : nothing}
    ${app.get('show.graphLoss') ? graph(actions, 'loss') : nothing}
    ${app.get('show.graphTime') ? graph(actions, 'time') : nothing}
    <p class="checks">
      ${check(actions, 'show.graph', t('fn.showGraph'))}${check(actions, 'show.graphValue', t('fn.graphValue'))}${check(actions, 'show.graphLoss', t('fn.graphLoss'))}${check(actions, 'show.graphTime', t('fn.graphTime'))}
      ${app.link.can('search') ? check(actions, 'show.graphBands', t('fn.graphBands')) : nothing}
    </p>
    ${
      app.link.can('search')
        ? html`<p class="buttons">
            ${
              analysis.running
                ? html`<button type="button" class="button strong" @click=${() => analysis.stop()}>
                      ${t('analysis.stop')}
                    </button>
                    <progress
                      max=${analysis.total}
                      value=${analysis.done}
                      aria-label=${t('analysis.progress')}
                    ></progress>
                    <span>${analysis.done} / ${analysis.total}</span>`
                : fnButton(actions, 'analyze')
            }
          </p>`
        : nothing
    }
    ${app.get('show.graph') ? summary(actions) : nothing}`;
}

/** @param {Actions} actions */
function summary({ app, analysis }) {
  const line = app.tree.line();
  const losses = GameTree.losses(line);
  const phases = lossesByPhase(line, losses, PHASES);
  if (!phases.some((phase) => phase.known)) return html`<p class="quiet">${t('analysis.none')}</p>`;
  const total = lossesByPhase(line, losses, [[1, 60]])[0];
  const end = app.get('show.endError')
    ? lossesByPhase(line, losses, [
        [40, 60],
        [41, 60],
      ])
    : [];
  const counts = (/** @type {number} */ side, /** @type {number} */ least, /** @type {number} */ most) =>
    losses.filter((loss, i) => loss !== null && loss >= least && loss <= most && line[i - 1].position.side === side)
      .length;
  const row = (/** @type {string} */ name, /** @type {number} */ black, /** @type {number} */ white) =>
    html`<tr>
      <th scope="row">${name}</th>
      <td class="n">${number(black)}</td>
      <td class="n">${number(white)}</td>
    </tr>`;
  const worst = losses
    .map((loss, i) => ({ loss: loss ?? 0, node: line[i], before: line[i - 1] }))
    .filter((move) => move.loss > 0)
    .sort((a, b) => b.loss - a.loss)
    .slice(0, 5);
  return html`<section class="summary">
    <h2>${t('analysis.summary')}</h2>
    <table class="table">
      <thead>
        <tr>
          <th>${t('analysis.lost')}</th>
          <th class="n">${t('black')}</th>
          <th class="n">${t('white')}</th>
        </tr>
      </thead>
      <tbody>
        ${phases.map((phase) => row(t('analysis.phase', { from: phase.from, to: phase.to }), phase.black, phase.white))}
        ${end.map((phase) => row(t('analysis.end', { from: phase.from, to: phase.to }), phase.black, phase.white))}
        ${row(t('analysis.total'), total.black, total.white)}
        ${row(t('analysis.inaccuracies'), counts(BLACK, 1, 3), counts(WHITE, 1, 3))}
        ${row(t('analysis.mistakes'), counts(BLACK, 4, 128), counts(WHITE, 4, 128))}
      </tbody>
    </table>
    ${
      worst.length > 0
        ? html`<h3>${t('analysis.worst')}</h3>
            <ul class="worst">
              ${worst.map(({ loss, node, before }) => {
                const better = analysis.found.get(node.id)?.alternative;
                return html`<li>
                  <button
                    type="button"
                    class="link"
                    @click=${() =>
                      app.walk((tree) => {
                        tree.current = before;
                      })}
                  >
                    ${node.position.ply}. ${squareName(node.move)}
                  </button>
                  ${t(sideName(before.position.side))}
                  −${number(loss)}${better ? html` <span class="quiet">${t('analysis.better', { move: better.move })}</span>` : nothing}
                </li>`;
              })}
            </ul>`
        : nothing
    }
  </section>`;
}
