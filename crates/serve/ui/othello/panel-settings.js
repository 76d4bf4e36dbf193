// The settings, in parts: play, display, keys, profiles.

import { html, live, nothing } from '../vendor/lit-html-3.3.3.js';
import { languages, t } from '../common/i18n.js';
import { THEMES } from '../common/page-actions.js';
import { addLanguageFile, exportLanguage } from '../common/settings-language.js';
import { parseForced } from './forced.js';
import { PALETTES } from './themes.js';
import { bandText, bandsOf, strengthOf } from './levels.js';
import { check, fnButton, select, slider } from '../common/widgets.js';
import { keySettings } from '../common/settings-keys.js';
import { profileSettings } from '../common/settings-profiles.js';
import { settingsSections } from '../common/settings-sections.js';

/** @typedef {import('./actions.js').Actions} Actions */

/** Engines that the back end has, asked for when the settings open. @type {any[]} */
let engines = [];
/** @param {any[]} list */
export const setEngines = (list) => {
  engines = list;
};

/** @param {Actions} actions */
export const settingsPanel = (actions) =>
  settingsSections(actions, { ai, display, keys: keySettings, profiles: profileSettings });

/** @param {Actions} actions */
function ai(actions) {
  const { app } = actions;
  if (!app.link.can('search')) return html`${check(actions, 'ai.pausePass', t('fn.pausePass'))}${clock(actions)}`;
  const bands = bandsOf(app.get('ai.level'));
  const forced = parseForced(app.get('ai.forced'));
  const own = engines.find((engine) => engine.engine === 'own');
  const inf = (/** @type {number} */ n) => (n === 0 ? t('settings.same') : String(n));
  const levelText = (/** @type {number} */ n) => [n, strengthOf(n)].filter(Boolean).join(' · ');
  return html`<section>
      <h2>${t('settings.level')}</h2>
      ${slider(actions, 'ai.level', t('ai.level'), 1, 60, levelText)}
      ${
        bands.length > 0
          ? html`<ul class="bands">
              ${bands.map((band) => html`<li>${t('settings.band', { from: Math.max(0, 60 - band.most_empties), to: 60 - band.least_empties })}: ${bandText(band)}</li>`)}
            </ul>`
          : nothing
      }
      ${slider(actions, 'hints.level', t('settings.hintLevel'), 0, 60, inf)}
      ${slider(actions, 'analysis.level', t('settings.analysisLevel'), 0, 60, inf)}
      ${
        engines.length > 1
          ? select(
              actions,
              'ai.engine',
              t('settings.engine'),
              engines.map((engine) => [engine.engine, engine.name]),
            )
          : nothing
      }
    </section>
    ${
      app.link.can('networks') && own
        ? html`<section class="weights">
            <h2>${t('settings.weights')}</h2>
            <p>${own.weights === 'built in' ? t('engine.builtIn') : own.weights}</p>
            <p class="buttons">${fnButton(actions, 'tabFiles')}</p>
          </section>`
        : nothing
    }
    <section>
      <h2>${t('settings.sides')}</h2>
      ${check(actions, 'ai.black', t('fn.aiBlack'))}${check(actions, 'ai.white', t('fn.aiWhite'))}${check(actions, 'ai.pausePass', t('fn.pausePass'))}
    </section>
    ${
      app.link.can('books')
        ? html`<section>
            <h2>${t('settings.book')}</h2>
            ${check(actions, 'ai.book', t('fn.useBook'))}${slider(actions, 'ai.variation', t('settings.variation'), 0, 10)}
          </section>`
        : nothing
    }
    ${lossCurve(actions)}
    <section>
      <h2>${t('settings.forced')}</h2>
      ${check(actions, 'ai.forcedOn', t('fn.forcedOpenings'))}
      <textarea
        rows="4"
        class="mono"
        aria-label=${t('settings.forced')}
        placeholder="f5d6c3d3c4 2"
        .value=${live(app.get('ai.forced'))}
        @change=${(/** @type {Event} */ event) => app.settings.set('ai.forced', /** @type {HTMLTextAreaElement} */ (event.target).value)}
      ></textarea>
      <p class=${forced.errors.length > 0 ? 'error-text' : 'quiet'}>
        ${forced.errors.length > 0 ? t('settings.forcedWrong', { lines: forced.errors.join(', ') }) : t('settings.forcedHelp', { n: forced.openings.length })}
      </p>
    </section>
    ${
      own
        ? html`<section>
            <h2>${t('settings.machine')}</h2>
            <label class="slider-row"
              ><span>${t('settings.threads')}</span
              ><input
                type="range"
                min="1"
                max=${Math.max(own.threads, navigator.hardwareConcurrency || 1)}
                .value=${live(String(own.threads))}
                @change=${(/** @type {Event} */ event) => engineSet(actions, { threads: Number(/** @type {HTMLInputElement} */ (event.target).value) })}
              /><output>${own.threads}</output></label
            >
            <label class="slider-row"
              ><span>${t('settings.hash')}</span
              ><input
                type="range"
                min="4"
                max="13"
                .value=${live(String(Math.round(Math.log2(own.hash_mib))))}
                @change=${(/** @type {Event} */ event) => engineSet(actions, { hash_mib: 2 ** Number(/** @type {HTMLInputElement} */ (event.target).value) })}
              /><output>${own.hash_mib} MiB</output></label
            >
            <p class="buttons">
              <button type="button" class="button" @click=${() => actions.clearCache()}>${t('fn.clearCache')}</button>
            </p>
          </section>`
        : nothing
    }
    ${clock(actions)}`;
}

/** @param {Actions} actions @param {object} fields */
async function engineSet({ app }, fields) {
  try {
    // All tabs are told what the engine is now.
    await app.link.ask('engine.set', fields);
  } catch (error) {
    app.sayError(error);
  }
}

/** @param {Actions} actions */
const clock = (actions) =>
  html`<section>
    <h2>${t('settings.clock')}</h2>
    ${slider(actions, 'clock.limit', t('settings.clockLimit'), 0, 60, (n) => (n === 0 ? t('settings.noLimit') : t('time.minutes', { n })))}
    <p class="buttons">
      <button type="button" class="button" @click=${() => actions.run('clockReset')}>${t('fn.clockReset')}</button>
    </p>
  </section>`;

/** How often the engine plays a worse move, in 15 parts of the game. @param {Actions} actions */
function lossCurve({ app }) {
  const losses = app.get('ai.losses');
  const curve = losses.length === 15;
  const set = (/** @type {any[]} */ next) => app.settings.set('ai.losses', next);
  const row = (/** @type {any} */ loss, /** @type {number} */ i, /** @type {string} */ name) =>
    html`<tr>
      <th scope="row">${name}</th>
      <td>
        <select
          aria-label=${`${name} ${t('settings.lossMost')}`}
          @change=${(/** @type {Event} */ event) => set(losses.map((/** @type {any} */ other, /** @type {number} */ j) => (j === i ? { ...other, most: Number(/** @type {HTMLSelectElement} */ (event.target).value) } : other)))}
        >
          ${[0, 1, 2, 4, 8, 16, 32, 64].map((most) => html`<option value=${most} ?selected=${most === loss.most}>${most}</option>`)}
        </select>
      </td>
      <td>
        <input
          type="number"
          min="0"
          max="100"
          aria-label=${`${name} ${t('settings.lossPercent')}`}
          .value=${live(String(loss.percent))}
          @change=${(/** @type {Event} */ event) => set(losses.map((/** @type {any} */ other, /** @type {number} */ j) => (j === i ? { ...other, percent: Math.min(100, Math.max(0, Number(/** @type {HTMLInputElement} */ (event.target).value))) } : other)))}
        />
        %
      </td>
    </tr>`;
  return html`<section>
    <h2>${t('settings.losses')}</h2>
    <label class="check-row"
      ><input
        type="checkbox"
        .checked=${live(losses.length > 0)}
        @change=${() => set(losses.length > 0 ? [] : [{ most: 4, percent: 20 }])}
      /><span>${t('settings.lossesOn')}</span></label
    >
    ${
      losses.length > 0
        ? html`<label class="check-row"
              ><input
                type="checkbox"
                .checked=${live(curve)}
                @change=${() => set(curve ? [losses[0]] : Array.from({ length: 15 }, () => ({ ...losses[0] })))}
              /><span>${t('settings.lossCurve')}</span></label
            >
            <table class="table narrow">
              <thead>
                <tr>
                  <th>${t('settings.lossPart')}</th>
                  <th>${t('settings.lossMost')}</th>
                  <th>${t('settings.lossPercent')}</th>
                </tr>
              </thead>
              <tbody>
                ${losses.map((/** @type {any} */ loss, /** @type {number} */ i) => row(loss, i, curve ? `${i * 4 + 1}–${i * 4 + 4}` : t('settings.wholeGame')))}
              </tbody>
            </table>`
        : nothing
    }
  </section>`;
}

/** @param {Actions} actions */
function display(actions) {
  const { app } = actions;
  return html`<section>
      <h2>${t('settings.look')}</h2>
      ${select(actions, 'lang', t('settings.language'), /** @type {[string, string][]} */ ([['', t('theme.auto')], ...languages(app.get('languages'))]))}
      ${select(
        actions,
        'theme',
        t('settings.theme'),
        THEMES.map((name) => [name, t(`theme.${name}`)]),
      )}
      ${select(
        actions,
        'palette',
        t('settings.palette'),
        PALETTES.map((name) => [name, t(`palette.${name}`)]),
      )}
      ${slider(actions, 'boardShare', t('settings.boardShare'), 30, 70, (n) => `${n}%`)}
      <p class="buttons">
        <button type="button" class="button" @click=${() => exportLanguage()}>${t('settings.exportLanguage')}</button>
        <button type="button" class="button" @click=${() => addLanguageFile(actions)}>
          ${t('settings.addLanguage')}
        </button>
      </p>
    </section>
    <section>
      <h2>${t('settings.cells')}</h2>
      ${check(actions, 'show.legal', t('fn.showLegal'))}${check(actions, 'show.openingHover', t('fn.showOpeningHover'))}
      ${app.link.can('search') ? check(actions, 'show.focus', t('fn.showFocus')) : nothing}
      ${check(actions, 'show.next', t('fn.showNext'))}${check(actions, 'show.nextSquare', t('fn.nextSquare'))}${check(actions, 'show.coordinates', t('fn.showCoordinates'))}
    </section>
    ${
      app.link.can('search')
        ? html`<section>
            <h2>${t('settings.values')}</h2>
            ${check(actions, 'show.values', t('fn.showValues'))}
            ${slider(actions, 'hints.number', t('settings.hintNumber'), 1, 60, (n) => (n >= 35 ? t('settings.all') : String(n)))}
            ${check(actions, 'hints.onAi', t('fn.hintsOnAi'))}${check(actions, 'hints.simple', t('fn.simpleValues'))}
            ${select(actions, 'hints.colours', t('settings.colours'), [
              ['kind', t('colours.kind')],
              ['best', t('colours.best')],
            ])}
            ${check(actions, 'show.bestLine', t('fn.showBestLine'))}${slider(actions, 'show.bestLineLength', t('settings.bestLineLength'), 1, 20)}
          </section>`
        : nothing
    }
    ${
      app.link.can('books')
        ? html`<section>
            <h2>${t('settings.bookCells')}</h2>
            ${check(actions, 'show.bookAccuracy', t('fn.showBookAccuracy'))}${check(actions, 'show.umigame', t('fn.showUmigame'))}
            ${slider(actions, 'umigame.depth', t('settings.umigameDepth'), 1, 60)}
          </section>`
        : nothing
    }
    <section>
      <h2>${t('settings.discs')}</h2>
      ${check(actions, 'show.last', t('fn.showLast'))}${check(actions, 'show.flipped', t('fn.showFlipped'))}${check(actions, 'show.wouldFlip', t('fn.showWouldFlip'))}
      ${check(actions, 'show.goodFlips', t('fn.showGoodFlips'))}${check(actions, 'show.stable', t('fn.showStable'))}${check(actions, 'show.order', t('fn.showOrder'))}${check(actions, 'show.orderTranscript', t('fn.orderTranscript'))}
    </section>
    <section>
      <h2>${t('settings.panes')}</h2>
      ${check(actions, 'show.opening', t('fn.showOpening'))}${check(actions, 'show.clocks', t('fn.showClocks'))}${check(actions, 'show.graph', t('fn.showGraph'))}
      ${check(actions, 'show.graphRandom', t('fn.graphRandom'))}${check(actions, 'show.endError', t('fn.showEndError'))}${check(actions, 'show.log', t('fn.showLog'))}${check(actions, 'show.laser', t('fn.laser'))}
      ${select(
        actions,
        'picture.size',
        t('image.size'),
        [512, 1024, 2048, 4096].map((n) => [String(n), `${n} px`]),
      )}
    </section>`;
}
