// The lines of an engine: each move of a line shows the position behind it, and lines become variations or book moves.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { number, t } from '../common/i18n.js';
import { compact, scoreText } from './score-text.js';

/** @typedef {import('./actions.js').Actions} Actions */

/** How many moves of a line are named. */
const LONGEST = 16;

/** @param {Actions} actions @param {import('./research.js').Thought} thought */
export function thoughtTable(actions, thought) {
  const { app, engines } = actions;
  const facts = [
    t('info.nodes', { n: compact(thought.nodes), nps: compact(thought.nps) }),
    thought.hashfull === null || thought.hashfull === undefined
      ? ''
      : t('research.hash', { n: number(thought.hashfull / 1000, { style: 'percent' }) }),
    t('research.seconds', { n: number(thought.ms / 1000, { maximumFractionDigits: 1 }) }),
  ];
  return html`<section class="thought">
    <h3>
      ${engines.nameOf(thought.engine)}
      <small class="quiet">${facts.filter(Boolean).join(' · ')}</small>
      ${actions.research.streams.has(thought.engine) ? html`<small class="thinking">${t('moves.searching')}</small>` : nothing}
    </h3>
    <div class="scroll">
      <table class="table candidates">
        <thead>
          <tr>
            <th class="n">#</th>
            <th class="n">${t('book.score')}</th>
            <th class="n">${t('research.depth')}</th>
            <th>${t('moves.line')}</th>
            <td></td>
          </tr>
        </thead>
        <tbody>
          ${thought.lines.map((line) => row(actions, thought, line))}
        </tbody>
      </table>
    </div>
    ${thought.lines.length === 0 && !thought.final ? html`<p class="quiet">${t('research.waiting')}</p>` : nothing}
    ${app.preview ? nothing : html`<p class="quiet">${t('research.pvHint')}</p>`}
  </section>`;
}

/** @param {Actions} actions @param {import('./research.js').Thought} thought @param {import('./research.js').Line} line */
function row(actions, thought, line) {
  const { app, books } = actions;
  const names = app.namesFrom(line.pv.length > 0 ? line.pv : [line.move]);
  const [first, ...rest] = names;
  return html`<tr class=${line.line === 1 ? 'best' : ''} data-move=${line.move}>
    <td class="n">${line.line}</td>
    <td class="n value-text">
      ${scoreText(line.score)}${line.bound ? html`<small title=${t(`bound.${line.bound}`)}>${line.bound === 'lower' ? '↑' : '↓'}</small>` : nothing}
    </td>
    <td class="n">
      ${line.depth ?? ''}${line.sel_depth ? html`<small class="quiet">/${line.sel_depth}</small>` : nothing}
    </td>
    <td class="pv">
      <button type="button" class="link" @click=${() => app.play(line.move)}>${first ?? line.move}</button>
      ${rest.slice(0, LONGEST).map((name, i) => moveOf(actions, line.pv.slice(0, i + 2), name))}
      ${rest.length > LONGEST ? html`<button type="button" class="pv-move" @click=${() => app.show(line.pv)}>…</button>` : nothing}
      ${line.end ? html`<small>${t(`line.${line.end}`)}</small>` : nothing}
    </td>
    <td>
      <span class="row-buttons">
        <button
          type="button"
          class="button small"
          title=${t('preview.add')}
          aria-label=${`${t('preview.add')}: ${first ?? line.move}`}
          @click=${() => actions.addLine(line.pv)}
        >
          ＋
        </button>
        ${
          books.current?.can_edit
            ? html`<button
                type="button"
                class="button small"
                title=${t('fn.registerLine')}
                aria-label=${`${t('fn.registerLine')}: ${first ?? line.move}`}
                @click=${() => actions.open('bookRegister', { engine: thought.engine, line: line.line })}
              >
                ⊕
              </button>`
            : nothing
        }
      </span>
    </td>
  </tr>`;
}

/** A move of a line: under the pointer it is shown on the board, and stays there when it is clicked. @param {Actions} actions @param {string[]} moves @param {string} name */
const moveOf = ({ app }, moves, name) =>
  html`<button
    type="button"
    class="pv-move"
    @pointerenter=${(/** @type {PointerEvent} */ event) => event.pointerType === 'mouse' && !kept && app.show(moves)}
    @pointerleave=${(/** @type {PointerEvent} */ event) => event.pointerType === 'mouse' && !kept && app.show(null)}
    @click=${() => keep(app, moves)}
  >
    ${name}
  </button> `;

/** Whether the line on the board stays there when the pointer leaves. */
let kept = false;

/** @param {import('./app.js').App} app @param {string[]} moves */
function keep(app, moves) {
  kept = true;
  app.show(moves);
  const end = (/** @type {string} */ change) => {
    if (change !== 'game' && app.preview) return;
    kept = false;
    app.listeners.delete(end);
  };
  app.onChange(end);
}
