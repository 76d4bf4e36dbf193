// The bar beside the board: both players with their discs and clocks, what the position is, and the buttons of the game.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { number, signed, t } from '../common/i18n.js';
import { BLACK, WHITE, count, finalScore, opponent, sideName } from './rules.js';
import { shown } from './clocks.js';
import { openingName } from './board-view.js';
import { icon } from '../common/icons.js';
import { fnButton } from '../common/widgets.js';
import { bandText, bandsOf } from './levels.js';

/** @typedef {import('./actions.js').Actions} Actions */

/** @param {Actions} actions */
export function playersBar(actions) {
  const { app, players } = actions;
  const { tree } = app;
  const discs = count(app.position.cells);
  const limit = app.get('clock.limit');
  const now = performance.now();
  const side = (/** @type {number} */ which) => {
    const name = sideName(which);
    const engine = app.get(`ai.${name}`);
    const turn = !tree.over && app.position.side === which;
    const who = tree.info[name] || (engine ? t('player.engine', { n: app.get('ai.level') }) : t('player.human'));
    return html`<div class="player ${name} ${turn ? 'turn' : ''}">
      <span class="player-disc ${name}" aria-hidden="true"></span>
      <span class="player-count" aria-label=${`${t(name)} ${discs[name]}`}>${discs[name]}</span>
      <span class="player-who"
        ><b>${t(name)}</b
        ><small
          >${who}${turn && players.thinking ? html` <i class="thinking">${t('player.thinking')}</i>` : nothing}</small
        ></span
      >
      ${app.get('show.clocks') ? html`<time class="clock">${shown(players.clocks, which, limit, now)}</time>` : nothing}
    </div>`;
  };
  return html`<div class="players">${side(BLACK)}${side(WHITE)}</div>`;
}

/** The result, a pass to confirm, a start button, or the last move. @param {Actions} actions */
export function stateLine(actions) {
  const { app, players } = actions;
  const text = stateText(actions);
  return html`<div class="state-line">
    ${
      app.waitingPass
        ? html`<button type="button" class="button strong" data-fn="pass" @click=${() => actions.run('pass')}>
            ${t('pass.button')}
          </button>`
        : players.waiting
          ? html`<button type="button" class="button strong" data-fn="start" @click=${() => actions.run('start')}>
              ${t('start.button')}
            </button>`
          : nothing
    }
    <span>${text}</span>
  </div>`;
}

/** What happened last, in words; also read to users of screen readers. @param {Actions} actions */
export function stateText({ app, boardView }, hovered = true) {
  const { tree } = app;
  const { current } = tree;
  const { side, ply } = current.position;
  if (tree.over) {
    const score = finalScore(current.position.cells);
    return score === 0
      ? t('result.draw')
      : t('result.win', { side: t(score > 0 ? 'black' : 'white'), n: Math.abs(score) });
  }
  if (app.waitingPass) return t('pass.must', { side: t(sideName(opponent(side))) });
  const hover = hovered ? boardView?.hoverText() : '';
  if (hover) return hover;
  const passed = current.passed ? t('pass.done', { side: t(sideName(opponent(side))) }) : '';
  return `${t('info.turn', { ply: ply + 1, side: t(sideName(side)) })} ${passed}`;
}

/** Opening, level, best line. @param {Actions} actions */
export function positionInfo(actions) {
  const { app, hints } = actions;
  const facts = app.currentFacts;
  const opening = app.get('show.opening') ? openingName(facts?.opening) : '';
  const best = hints.moves[0];
  const length = app.get('show.bestLineLength');
  const { empty } = count(app.position.cells);
  const band = bandsOf(app.get('ai.level')).find((one) => empty <= one.most_empties && empty >= one.least_empties);
  const search = app.link.can('search');
  // Rows stay where they are while values come and go, so that nothing jumps below them.
  const rows = [
    app.get('show.opening') ? [t('info.opening'), opening || '–'] : null,
    search ? [t('info.level'), `${app.get('ai.level')}${band ? ` (${bandText(band)})` : ''}`] : null,
    search
      ? [
          t('info.speed'),
          hints.state && best
            ? t('info.nodes', {
                n: number(Number(hints.state.nodes), { notation: 'compact' }),
                nps: number(Number(hints.state.nps), { notation: 'compact' }),
              })
            : '–',
        ]
      : null,
    forcedState(actions),
    search && app.get('show.bestLine')
      ? [t('info.bestLine'), best ? `${signed(best.v)}  ${best.pv.slice(0, length).join(' ')}` : '–']
      : null,
  ].filter((row) => row !== null);
  return html`<dl class="facts">
    ${rows.map(
      (row) =>
        html`<div>
          <dt>${row[0]}</dt>
          <dd>${row[1]}</dd>
        </div>`,
    )}
  </dl>`;
}

/** Whether the engine still follows the openings it has to play. @param {Actions} actions */
function forcedState({ app, players }) {
  if (!app.get('ai.forcedOn') || !(app.get('ai.black') || app.get('ai.white'))) return null;
  const state = app.tree.over ? 'over' : players.lastFrom === 'forced' ? 'on' : players.lastFrom ? 'left' : 'ready';
  return [t('info.forced'), t(`forced.${state}`)];
}

/** Walking through the game. @param {Actions} actions */
export function controls(actions) {
  return html`<div class="toolbar" role="toolbar" aria-label=${t('toolbar.walk')}>
    ${fnButton(actions, 'first', { icon: icon('first') })}${fnButton(actions, 'back', { icon: icon('back') })}${fnButton(actions, 'forward', { icon: icon('forward') })}${fnButton(actions, 'last', { icon: icon('last') })}
    ${fnButton(actions, 'undo', { icon: icon('undo') })}
    <button
      type="button"
      class="button"
      data-fn="start"
      aria-pressed=${String(actions.players.started)}
      @click=${() => actions.run('start')}
    >
      ${t(actions.players.started ? 'pause.button' : 'start.button')}
    </button>
    ${actions.busy ? fnButton(actions, 'stop') : nothing}
  </div>`;
}

/** The user's own buttons. @param {Actions} actions */
export const ownButtons = (actions) =>
  html`<div class="toolbar own" role="toolbar" aria-label=${t('toolbar.own')}>
    ${actions.app.get('buttons').map((/** @type {string} */ id) => (id ? fnButton(actions, id) : nothing))}
  </div>`;
