// The settings, in parts: board and page, engines and play, keys, profiles.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { languages, t } from '../common/i18n.js';
import { THEMES } from '../common/page-actions.js';
import { addLanguageFile, exportLanguage } from '../common/settings-language.js';
import { keySettings } from '../common/settings-keys.js';
import { profileSettings } from '../common/settings-profiles.js';
import { settingsSections } from '../common/settings-sections.js';
import { check, select, slider } from '../common/widgets.js';
import { STYLES } from './notation.js';
import { numberRow } from './panel-graph.js';
import { SETS } from './pieces.js';
import { PALETTES } from './themes.js';

/** @typedef {import('./actions.js').Actions} Actions */

/** @param {Actions} actions */
export const settingsPanel = (actions) =>
  settingsSections(actions, { display, play, keys: keySettings, profiles: profileSettings });

/** A choice among names whose texts begin with a prefix. @param {Actions} actions @param {string} setting @param {string} label @param {string[]} names @param {string} prefix */
const named = (actions, setting, label, names, prefix) =>
  select(
    actions,
    setting,
    label,
    names.map((name) => [name, t(`${prefix}.${name || 'auto'}`)]),
  );

/** @param {Actions} actions */
function display(actions) {
  const { app } = actions;
  return html`<section>
      <h2>${t('settings.look')}</h2>
      ${select(actions, 'lang', t('settings.language'), /** @type {[string, string][]} */ ([['', t('theme.auto')], ...languages(app.get('languages'))]))}
      ${named(actions, 'theme', t('settings.theme'), THEMES, 'theme')}
      ${named(actions, 'palette', t('settings.palette'), PALETTES, 'palette')}
      ${slider(actions, 'boardShare', t('settings.boardShare'), 30, 70, (n) => `${n}%`)}
      <p class="buttons">
        <button type="button" class="button" @click=${() => exportLanguage()}>${t('settings.exportLanguage')}</button>
        <button type="button" class="button" @click=${() => addLanguageFile(actions)}>
          ${t('settings.addLanguage')}
        </button>
      </p>
    </section>
    <section>
      <h2>${t('settings.board')}</h2>
      ${named(actions, 'board.set', t('settings.set'), SETS, 'set')}
      ${named(actions, 'board.coordinates', t('settings.coordinates'), ['auto', 'ja', 'en', 'none'], 'coordinates')}
      ${named(actions, 'board.layout', t('settings.layout'), ['auto', 'sides', 'rows'], 'layout')}
      ${named(actions, 'board.names', t('settings.names'), ['', ...STYLES], 'names')}
      ${check(actions, 'board.flip', t('fn.flip'))}${check(actions, 'show.legal', t('fn.showLegal'))}${check(actions, 'show.last', t('fn.showLast'))}
      ${
        app.link.can('search')
          ? html`${check(actions, 'show.arrows', t('fn.showArrows'))}${check(actions, 'show.scores', t('fn.showScores'))}`
          : nothing
      }
      ${app.link.can('books') ? check(actions, 'show.bookArrows', t('fn.showBookArrows')) : nothing}
    </section>
    <section>
      <h2>${t('settings.panes')}</h2>
      ${check(actions, 'show.opening', t('fn.showOpening'))}${check(actions, 'show.castles', t('fn.showCastles'))}${check(actions, 'show.impasse', t('fn.showImpasse'))}${check(actions, 'show.clocks', t('fn.showClocks'))}
      ${check(actions, 'show.times', t('fn.showTimes'))}${check(actions, 'show.moveScores', t('fn.showMoveScores'))}${check(actions, 'show.log', t('fn.showLog'))}
      ${select(
        actions,
        'picture.size',
        t('image.size'),
        [512, 1024, 2048, 4096].map((n) => [String(n), `${n} px`]),
      )}
    </section>`;
}

/** @param {Actions} actions */
function play(actions) {
  const { app, engines } = actions;
  if (!app.link.can('search')) return html`<p class="quiet">${t('settings.noSearch')}</p>`;
  /** @type {[string, string][]} */
  const players = [
    ['', t('player.human')],
    ...engines.list.map((one) => /** @type {[string, string]} */ ([one.engine, one.name])),
  ];
  return html`<section>
      <h2>${t('settings.sides')}</h2>
      ${select(actions, 'play.black', t('black'), players)}${select(actions, 'play.white', t('white'), players)}
      ${slider(actions, 'play.skill', t('play.skill'), 0, 20)}${check(actions, 'play.useBook', t('play.useBook'))}
    </section>
    <section>
      <h2>${t('settings.clock')}</h2>
      ${numberRow(actions, 'play.mainMin', t('play.main'), 0, 600)}
      ${numberRow(actions, 'play.byoyomiS', t('play.byoyomi'), 0, 3600)}
      ${numberRow(actions, 'play.incrementS', t('play.increment'), 0, 3600)}
    </section>
    <section>
      <h2>${t('tab.engine')}</h2>
      ${slider(actions, 'research.lines', t('research.lines'), 1, 20)}
      ${numberRow(actions, 'research.mateMs', t('research.mateMs'), 100, 3_600_000)}
      ${engines.list.map(
        (engine) =>
          html`<p class="buttons">
            <span>${engine.name}</span>
            <button
              type="button"
              class="button small"
              @click=${() => actions.open('engine', { engine: engine.engine })}
            >
              ${t('research.options')}
            </button>
          </p>`,
      )}
    </section>`;
}
