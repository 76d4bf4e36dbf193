// The moves of the game: the line through the current position with times and scores, variations, comments.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { number, t } from '../common/i18n.js';
import { fnButton } from '../common/widgets.js';
import { clockText } from './clocks.js';
import { endText } from './endings.js';
import { scoreText } from './score-text.js';
import { sideName } from './position.js';

/** @typedef {import('./actions.js').Actions} Actions */
/** @typedef {import('./tree.js').Node} Node */

/** @param {Actions} actions */
export function movesPanel(actions) {
  return html`${record(actions)}${variations(actions)}${comment(actions)}`;
}

/** @param {Actions} actions */
function record(actions) {
  const { app } = actions;
  const line = app.tree.line();
  const end = line[line.length - 1];
  const { info } = app.tree;
  const heading = [info.date, info.event].filter(Boolean).join(' · ');
  return html`<section>
    <h2>${t('moves.game')} ${heading ? html`<small class="quiet">${heading}</small>` : nothing}</h2>
    <ol class="record" tabindex="-1">
      ${line.map((node, ply) => moveRow(actions, node, ply))}
      ${
        app.endOf(end)
          ? html`<li class="record-end">${endText(app.endOf(end), end.position.side)}</li>`
          : line.length === 1
            ? html`<li class="record-end quiet">${t('moves.noMoves')}</li>`
            : nothing
      }
    </ol>
    <p class="buttons">
      ${app.tree.onMainLine() ? nothing : fnButton(actions, 'saveBranch')}
      ${app.tree.current.parent ? fnButton(actions, 'undo') : nothing}
      ${app.tree.removed.length > 0 ? fnButton(actions, 'restore') : nothing}
    </p>
  </section>`;
}

/** @param {Actions} actions @param {Node} node @param {number} ply */
function moveRow(actions, node, ply) {
  const { app } = actions;
  const current = node === app.tree.current;
  const siblings = node.parent ? node.parent.children.length : 1;
  const judge = node.found?.judge ?? '';
  const side = node.parent ? sideName(node.parent.position.side) : '';
  return html`<li>
    <button
      type="button"
      class="record-move ${side} ${judge} ${current ? 'current' : ''}"
      aria-current=${current ? 'step' : nothing}
      title=${node.comment || nothing}
      @click=${() => app.goTo(node)}
    >
      <small class="record-ply">${ply}</small
      ><span class="record-name">${node.parent ? app.nameOf(node) : t('moves.start')}</span>${
        siblings > 1
          ? html`<small class="record-branch" title=${t('moves.branches', { n: siblings })}>⎇${siblings}</small>`
          : nothing
      }${node.comment ? html`<small aria-label=${t('moves.hasComment')}>＊</small>` : nothing}
      ${judge ? html`<small class="record-judge">${t(`judge.${judge}`)}</small>` : nothing}
      ${app.get('show.times') && node.time ? html`<small class="record-time">${clockText(node.time)}</small>` : nothing}
      ${app.get('show.moveScores') && node.score ? html`<small class="record-score">${scoreText(node.score)}</small>` : nothing}
    </button>
  </li>`;
}

/** The moves that go on from here, and those beside the current one. @param {Actions} actions */
function variations(actions) {
  const { app } = actions;
  const { current } = app.tree;
  const beside = current.parent && current.parent.children.length > 1 ? current.parent.children : [];
  const ahead = current.children.length > 1 ? current.children : [];
  if (beside.length === 0 && ahead.length === 0) return nothing;
  const list = (/** @type {Node[]} */ nodes, /** @type {string} */ title) =>
    nodes.length === 0
      ? nothing
      : html`<h3>${title}</h3>
          <p class="flow">
            ${nodes.map(
              (node, i) =>
                html`<button
                  type="button"
                  class="move ${node === current ? 'current' : ''}"
                  aria-current=${node === current ? 'true' : nothing}
                  @click=${() => app.goTo(node)}
                >
                  <small>${number(i + 1)}</small
                  >${app.nameOf(node)}${node.score ? html` <small>${scoreText(node.score)}</small>` : nothing}
                </button>`,
            )}
          </p>`;
  return html`<section class="variations">
    ${list(beside, t('moves.beside'))}${list(ahead, t('moves.ahead'))}
    <p class="buttons">${fnButton(actions, 'branchUp')}${fnButton(actions, 'branchDown')}</p>
  </section>`;
}

/** @param {Actions} actions */
function comment({ app }) {
  const { current } = app.tree;
  return html`<section>
    <h2 id="comment-title">${t('moves.comment')}</h2>
    <textarea
      rows="3"
      maxlength="20000"
      aria-labelledby="comment-title"
      .value=${current.comment}
      @change=${(/** @type {Event} */ event) => {
        current.comment = /** @type {HTMLTextAreaElement} */ (event.target).value;
        app.keep();
        app.changed('view');
      }}
    ></textarea>
  </section>`;
}

/** Shows the current move where the list has scrolled away from it. */
export function scrollToCurrent() {
  const list = document.querySelector('.record');
  const row = /** @type {HTMLElement | null} */ (list?.querySelector('.current'));
  if (!list || !row) return;
  const [outer, inner] = [list.getBoundingClientRect(), row.getBoundingClientRect()];
  if (inner.top < outer.top) list.scrollTop -= outer.top - inner.top + 24;
  else if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom + 24;
}
