// What stands around the board: both players with their clocks, who is better, what the position is, and the buttons of the game.

import { html, nothing, svg } from '../vendor/lit-html-3.3.3.js';
import { language, number, t } from '../common/i18n.js';
import { icon } from '../common/icons.js';
import { fnButton } from '../common/widgets.js';
import { shown } from './clocks.js';
import { endText } from './endings.js';
import { scoreText, winRate } from './score-text.js';
import { BLACK, WHITE, sideName } from './position.js';

/** @typedef {import('./actions.js').Actions} Actions */

/** An opening or a castle in the language of the page. @param {{ja: string | null, en: string | null} | null | undefined} name */
export function named(name) {
  if (!name) return '';
  return (language() === 'en' ? (name.en ?? name.ja) : (name.ja ?? name.en)) ?? '';
}

/** @param {Actions} actions */
export function playersBar(actions) {
  const { app, players, engines } = actions;
  const now = performance.now();
  const player = (/** @type {number} */ which) => {
    const name = sideName(which);
    const engine = app.engineOf(which);
    const turn = !app.over && app.position.side === which;
    const who = app.tree.info[name] || (engine ? engines.nameOf(engine) : t('player.human'));
    const castle = app.get('show.castles') ? named(app.currentFacts?.castles?.[name]) : '';
    return html`<div class="player ${name} ${turn ? 'turn' : ''}">
      <span class="player-mark" aria-hidden="true">${which === BLACK ? '☗' : '☖'}</span>
      <span class="player-who"
        ><b>${who}</b
        ><small
          >${t(name)}${castle ? ` · ${castle}` : ''}${turn && players.thinking ? html` <i class="thinking">${t('player.thinking')}</i>` : nothing}</small
        ></span
      >
      ${app.get('show.clocks') ? html`<time class="clock">${shown(players.clocks, which, now)}</time>` : nothing}
    </div>`;
  };
  return html`<div class="players">${player(BLACK)}${player(WHITE)}</div>`;
}

/** The share of wins that the position's score promises black, as a bar. @param {Actions} actions */
export function scoreBar({ app }) {
  const { score, depth } = app.tree.current;
  if (!score) return html`<div class="score-bar empty" aria-hidden="true"></div>`;
  const share = winRate(score);
  const text = t('score.bar', { score: scoreText(score), share: number(share, { style: 'percent' }) });
  return html`<div class="score-bar" title=${depth ? `${text} (${t('research.depth')} ${depth})` : text}>
    <svg viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label=${text}>
      ${svg`<rect class="score-white" width="100" height="8"></rect><rect class="score-black" width=${share * 100} height="8"></rect><line class="score-middle" x1="50" x2="50" y1="0" y2="8"></line>`}
    </svg>
    <span class="score-number">${scoreText(score)}</span>
  </div>`;
}

/** What happened last, or who is to move. @param {Actions} actions */
export function stateLine(actions) {
  const { app } = actions;
  const preview = app.preview;
  return html`<div class="state-line">
    <span>${stateText(actions)}</span>
    ${
      preview
        ? html`<button type="button" class="button small" @click=${() => app.show(null)}>${t('preview.leave')}</button>
            <button type="button" class="button small" @click=${() => actions.addLine(preview.moves)}>
              ${t('preview.add')}
            </button>`
        : nothing
    }
  </div>`;
}

/** Also read to users of screen readers. @param {Actions} actions */
export function stateText({ app }) {
  const { current } = app.tree;
  const { side } = current.position;
  if (app.preview) return t('preview.text', { n: app.preview.moves.length });
  const end = app.over;
  const last = app.nameOf(current);
  if (end) return [last, endText(end, side)].filter(Boolean).join(' · ');
  const facts = app.currentFacts;
  const parts = [t('info.turn', { ply: current.position.ply, side: t(sideName(side)) })];
  if (last) parts.unshift(last);
  if (facts?.check) parts.push(t('info.check'));
  if (facts?.repetition) parts.push(t(`repetition.${facts.repetition.kind}`, { n: facts.repetition.times }));
  if (facts?.can_declare) parts.push(t('info.canDeclare'));
  return parts.join(' · ');
}

/** Opening, points, hands as text. @param {Actions} actions */
export function positionInfo({ app }) {
  const facts = app.currentFacts;
  const points = facts?.impasse;
  const rows = [
    app.get('show.opening') ? [t('info.opening'), named(facts?.opening) || '–'] : null,
    app.get('show.impasse')
      ? [
          t('info.impasse'),
          [BLACK, WHITE].map((side) => `${t(sideName(side))} ${points?.[sideName(side)] ?? '–'}`).join('  '),
        ]
      : null,
  ].filter((row) => row !== null);
  return rows.length === 0
    ? nothing
    : html`<dl class="facts">
        ${rows.map(
          (row) =>
            html`<div>
              <dt>${row[0]}</dt>
              <dd>${row[1]}</dd>
            </div>`,
        )}
      </dl>`;
}

/** Walking through the game, playing, the research. @param {Actions} actions */
export function controls(actions) {
  const { players } = actions;
  return html`<div class="toolbar" role="toolbar" aria-label=${t('toolbar.walk')}>
    ${fnButton(actions, 'first', { icon: icon('first') })}${fnButton(actions, 'back', { icon: icon('back') })}${fnButton(actions, 'forward', { icon: icon('forward') })}${fnButton(actions, 'last', { icon: icon('last') })}
    ${fnButton(actions, 'undo', { icon: icon('undo') })}
    ${
      players.started
        ? html`${fnButton(actions, 'start')}${fnButton(actions, 'takeBack')}${fnButton(actions, 'resign')}`
        : html`${fnButton(actions, 'newGame')}`
    }
    ${actions.busy ? fnButton(actions, 'stop') : nothing}
  </div>`;
}

/** The user's own buttons. @param {Actions} actions */
export const ownButtons = (actions) =>
  html`<div class="toolbar own" role="toolbar" aria-label=${t('toolbar.own')}>
    ${actions.app.get('buttons').map((/** @type {string} */ id) => (id ? fnButton(actions, id) : nothing))}
  </div>`;
