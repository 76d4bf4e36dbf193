// Research: the engines, what they think of the position, moves to be looked at alone, and mate by checks.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { number, t } from '../common/i18n.js';
import { check, fnButton, slider } from '../common/widgets.js';
import { moveText } from './rules.js';
import { thoughtTable } from './thought-table.js';
import { compact, scoreText } from './score-text.js';

/** @typedef {import('./actions.js').Actions} Actions */

/** @param {Actions} actions */
export function enginePanel(actions) {
  const { app, research } = actions;
  const thoughts = research.at();
  return html`${engines(actions)}
    <section>
      <p class="buttons">
        ${fnButton(actions, 'research')}${fnButton(actions, 'engineMove')}${fnButton(actions, 'mateSearch')}${fnButton(actions, 'addBestLine')}${fnButton(actions, 'registerLine')}
      </p>
      ${slider(actions, 'research.lines', t('research.lines'), 1, 20)} ${searchMoves(actions)}
    </section>
    ${mate(actions)} ${bookLines(actions)}
    ${
      thoughts.length === 0
        ? html`<p class="quiet">
            ${app.ruledEnd() ? t('moves.over') : t(research.on ? 'research.waiting' : 'research.none')}
          </p>`
        : thoughts.map((thought) => thoughtTable(actions, thought))
    }
    <p class="checks">
      ${check(actions, 'show.arrows', t('fn.showArrows'))}${check(actions, 'show.scores', t('fn.showScores'))}
    </p>
    ${slider(actions, 'show.arrowNumber', t('research.arrows'), 1, 10)} ${log(actions)}`;
}

/** @param {Actions} actions */
function engines(actions) {
  const { app, engines } = actions;
  const { chosen } = engines;
  return html`<section>
    <h2>${t('research.engines')}</h2>
    <ul class="engines">
      ${engines.list.map(
        (engine) =>
          html`<li>
            <label class="check-row"
              ><input
                type="checkbox"
                .checked=${chosen.includes(engine.engine)}
                @change=${() => engines.toggle(engine.engine)}
              /><span>${engine.name}</span></label
            >
            <small class="quiet">${stateName(engine.state)} ${engine.note ?? ''} ${networkName(engine)}</small>
            <button
              type="button"
              class="button small"
              @click=${() => actions.open('engine', { engine: engine.engine })}
            >
              ${t('research.options')}
            </button>
          </li>`,
      )}
    </ul>
    ${app.link.can('networks') ? html`<p class="buttons">${fnButton(actions, 'tabFiles')}</p>` : nothing}
  </section>`;
}

/** With what file an engine plays, where the page chooses one. @param {import('./engines.js').Engine} engine */
function networkName({ network }) {
  if (network === undefined) return '';
  return network ? t('engine.network', { file: network.file, name: network.name }) : t('engine.builtIn');
}

/** @param {string} state of an engine */
function stateName(state) {
  const text = t(`engine.${state}`);
  return text === `engine.${state}` ? state : text;
}

/** Moves that alone are looked at. @param {Actions} actions */
function searchMoves(actions) {
  const { app, research, boardView } = actions;
  const chosen = research.searchMoves;
  const moves = boardView?.legalMoves.map(moveText) ?? [];
  return html`<details>
    <summary>
      ${t('research.only')}${chosen.length > 0 ? html` <b>${chosen.map((move) => app.nameHere(move)).join(' ')}</b>` : nothing}
    </summary>
    <p class="flow">
      ${moves.map(
        (move) =>
          html`<button
            type="button"
            class="move ${chosen.includes(move) ? 'current' : ''}"
            aria-pressed=${String(chosen.includes(move))}
            @click=${() => research.toggleMove(move)}
          >
            ${app.nameHere(move)}
          </button>`,
      )}
    </p>
    <p class="buttons">
      <button type="button" class="button small" ?disabled=${chosen.length === 0} @click=${() => research.clearMoves()}>
        ${t('research.all')}
      </button>
    </p>
  </details>`;
}

/** @param {Actions} actions */
function mate({ app, research }) {
  const { mate: found } = research;
  if (!found || found.node !== app.tree.current.id) return nothing;
  const names = app.namesFrom(found.pv);
  return html`<section class="mate ${found.state}" role="status">
    <h3>${t('mate.title')} <small>${t(`mate.${found.state}`, { n: found.plies ?? '' })}</small></h3>
    <p class="quiet">
      ${t('info.nodes', { n: compact(found.nodes), nps: compact(found.ms > 0 ? (Number(found.nodes) * 1000) / found.ms : 0) })}
    </p>
    ${
      names.length > 0
        ? html`<p class="pv">
              ${names.map((name, i) => html`<button type="button" class="link" @click=${() => app.show(found.pv.slice(0, i + 1))}>${name}</button> `)}
            </p>
            <p class="buttons">
              <button
                type="button"
                class="button small"
                @click=${() => {
                  app.tree.add(found.pv);
                  app.moved();
                }}
              >
                ${t('preview.add')}
              </button>
            </p>`
        : nothing
    }
  </section>`;
}

/** Moves of the books above those that were searched. @param {Actions} actions */
function bookLines(actions) {
  const { app, books, research } = actions;
  const told = research.at().flatMap((thought) => thought.book ?? []);
  const here = books.here.flatMap(({ info, entry }) =>
    (entry?.moves ?? []).slice(0, 5).map((move) => ({ ...move, name: info.name })),
  );
  const lines =
    here.length > 0 ? here : told.map((move) => ({ ...move, score: move.score?.cp ?? null, name: move.book ?? '' }));
  if (lines.length === 0) return nothing;
  return html`<section>
    <h3>${t('research.book')}</h3>
    <div class="scroll">
      <table class="table">
        <tbody>
          ${lines.slice(0, 12).map(
            (line) =>
              html`<tr>
                <td>
                  <button type="button" class="link" @click=${() => app.play(line.move)}>
                    ${app.nameHere(line.move)}
                  </button>
                </td>
                <td class="n">${line.score === null ? '' : scoreText({ cp: line.score })}</td>
                <td class="n">${line.depth ?? ''}</td>
                <td class="quiet">${line.name}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}

/** @param {Actions} actions */
const log = ({ app }) =>
  app.get('show.log') && app.log.length > 0
    ? html`<details>
        <summary>${t('log.title')} <small>${number(app.log.length)}</small></summary>
        <pre class="log" tabindex="0">${app.log.slice(-80).join('\n')}</pre>
      </details>`
    : nothing;
