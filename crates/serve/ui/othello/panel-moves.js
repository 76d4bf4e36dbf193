// The moves: candidates with their values and lines, and the game as a tree.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { number, signed, t } from '../common/i18n.js';
import { sideName, squareName, squareOf } from './rules.js';
import { GameTree } from './tree.js';

/** @typedef {import('./actions.js').Actions} Actions */
/** @typedef {import('./tree.js').Node} Node */

/** @param {Actions} actions */
export function movesPanel(actions) {
  return html`${candidates(actions)}${gameTree(actions)}${comment(actions)}`;
}

/** @param {Actions} actions */
function candidates(actions) {
  const { app, hints } = actions;
  if (!app.link.can('search')) return nothing;
  const shown = app.get('show.values') || hints.held;
  const moves = shown ? hints.moves.slice(0, app.get('hints.number')) : [];
  return html`<section>
    <h2>
      ${t('moves.candidates')}
      ${hints.running ? html`<small class="thinking">${t('moves.searching')}</small>` : nothing}
    </h2>
    ${
      !shown
        ? html`<p class="quiet">${t('moves.hidden')}</p>`
        : moves.length === 0
          ? html`<p class="quiet">${app.tree.over ? t('moves.over') : t('moves.none')}</p>`
          : html` <table class="table candidates">
              <thead>
                <tr>
                  <th>${t('moves.move')}</th>
                  <th class="n">${t('moves.value')}</th>
                  <th>${t('moves.depth')}</th>
                  <th>${t('moves.line')}</th>
                </tr>
              </thead>
              <tbody>
                ${moves.map((move) => {
                  const games = move.book?.games;
                  return html`<tr class=${move.v === moves[0].v ? 'best' : ''} data-move=${move.move}>
                    <td>
                      <button type="button" class="link" @click=${() => app.play(squareOf(move.move))}>
                        ${move.move}
                      </button>
                    </td>
                    <td class="n value-text">${signed(move.v)}</td>
                    <td>
                      ${move.book ? t('moves.book', { level: move.book.level >= 70 ? 'S' : move.book.level }) : move.exact ? t('moves.exact') : `${move.depth ?? ''}${move.prob && move.prob < 100 ? ` ${move.prob}%` : ''}`}
                    </td>
                    <td class="pv">
                      ${move.pv.join(' ')}${games ? html`<small>${t('book.games', { wins: number(games.wins), draws: number(games.draws), losses: number(games.losses) })}</small>` : nothing}
                    </td>
                  </tr>`;
                })}
              </tbody>
            </table>`
    }
  </section>`;
}

/** @param {Actions} actions */
function gameTree(actions) {
  const { app } = actions;
  const { tree } = app;
  return html`<section>
    <h2>${t('moves.game')}</h2>
    ${tree.root.children.length === 0 ? html`<p class="quiet">${t('moves.noMoves')}</p>` : html`<div class="tree">${branch(actions, tree.root, 0)}</div>`}
    <p class="buttons">
      ${
        tree.onMainLine()
          ? nothing
          : html` <button type="button" class="button" data-fn="saveBranch" @click=${() => actions.run('saveBranch')}>
                ${t('fn.saveBranch')}
              </button>
              <button type="button" class="button" data-fn="deleteBranch" @click=${() => actions.run('deleteBranch')}>
                ${t('fn.deleteBranch')}
              </button>`
      }
    </p>
  </section>`;
}

/**
 * The moves after a node: the main line in one flow, each branch indented below the move that it replaces.
 * @param {Actions} actions @param {Node} from @param {number} depth
 * @returns {any}
 */
function branch(actions, from, depth) {
  const rows = [];
  /** @type {any[]} */
  let flow = [];
  for (let node = from; node.children.length > 0; node = node.children[0]) {
    flow.push(moveButton(actions, node.children[0], node));
    if (node.children.length > 1) {
      rows.push(html`<p class="flow">${flow}</p>`);
      flow = [];
      for (const other of node.children.slice(1)) {
        rows.push(html`<div class="branch">${variation(actions, other, node, depth + 1)}</div>`);
      }
    }
  }
  if (flow.length > 0) rows.push(html`<p class="flow">${flow}</p>`);
  return rows;
}

/** @param {Actions} actions @param {Node} first @param {Node} parent @param {number} depth */
function variation(actions, first, parent, depth) {
  const rest = branch(actions, first, depth);
  return html`<p class="flow">${moveButton(actions, first, parent)}</p>
    ${rest}`;
}

/** @param {Actions} actions @param {Node} node @param {Node} parent */
function moveButton(actions, node, parent) {
  const { tree } = actions.app;
  const side = sideName(parent.position.side);
  const loss = actions.app.get('show.graph') ? GameTree.losses([parent, node])[1] : null;
  const grade = loss === null ? '' : loss >= 4 ? 'mistake' : loss >= 1 ? 'inaccuracy' : '';
  const current = node === tree.current;
  return html`<button
    type="button"
    class="move ${side} ${grade} ${current ? 'current' : ''}"
    aria-current=${current ? 'step' : nothing}
    title=${node.comment || nothing}
    @click=${() =>
      actions.app.walk((all) => {
        all.current = node;
      })}
  >
    <small>${node.position.ply}</small
    >${squareName(node.move)}${loss ? html`<small class="loss">−${Math.round(loss)}</small>` : nothing}${node.passed ? html`<small>${t('moves.pass')}</small>` : nothing}${node.comment ? '＊' : ''}
  </button>`;
}

/** @param {Actions} actions */
function comment({ app }) {
  const { current } = app.tree;
  return html`<section>
    <h2 id="comment-title">${t('moves.comment')}</h2>
    <textarea
      rows="2"
      maxlength="10000"
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
