// Dialogs of a game: a new one, how it ended, who plays, saving.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { language, t } from '../common/i18n.js';
import { plainSelect } from '../common/widgets.js';
import { toGame } from './game-json.js';
import { HANDICAPS, copyOf, sfenText } from './position.js';
import { GameTree } from './tree.js';

/** @typedef {import('./actions.js').Actions} Actions */
/** @typedef {import('../common/dialogs.js').Content} Content */

/** Words of records for ends that people choose. */
const ENDS = [
  'TORYO',
  'CHUDAN',
  'SENNICHITE',
  'JISHOGI',
  'KACHI',
  'TSUMI',
  'TIME_UP',
  'ILLEGAL_MOVE',
  'FUZUMI',
  'MATTA',
];

/** Names of handicaps in the language of the page. @param {string} name as records have it */
export const handicapName = (name) =>
  language() === 'ja' ? name : t(`handicap.${HANDICAPS.findIndex(([ja]) => ja === name)}`);

/** @param {Actions} actions @param {any} data @returns {Content} */
export function newGameDialog(actions, data) {
  const { app, engines, players } = actions;
  const search = app.link.can('search');
  data.start ??= '平手';
  data.black ??= app.get('play.black');
  data.white ??= search ? app.get('play.white') || (app.get('play.black') ? '' : (engines.list[0]?.engine ?? '')) : '';
  /** @type {[string, string][]} */
  const who = [
    ['', t('player.human')],
    ...engines.list.map((one) => /** @type {[string, string]} */ ([one.engine, one.name])),
  ];
  const set = (/** @type {string} */ name) => (/** @type {string} */ value) => {
    data[name] = value;
    app.changed('view');
  };
  const figure = (/** @type {string} */ setting, /** @type {string} */ label, /** @type {number} */ max) =>
    html`<label class="field"
      ><span>${label}</span><input name=${setting} type="number" min="0" max=${max} .value=${String(app.get(setting))}
    /></label>`;
  return {
    title: t('fn.newGame'),
    body: html`<form
      @submit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        const form = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
        for (const setting of ['play.mainMin', 'play.byoyomiS', 'play.incrementS', 'play.skill'])
          if (form.has(setting)) app.settings.set(setting, Math.max(0, Number(form.get(setting)) || 0));
        begin(actions, data);
      }}
    >
      ${
        search
          ? html`<label class="select-row"
                ><span>${t('black')}</span>${plainSelect(data.black, who, set('black'))}</label
              >
              <label class="select-row"><span>${t('white')}</span>${plainSelect(data.white, who, set('white'))}</label>
              <p class="buttons">
                <button
                  type="button"
                  class="button small"
                  @click=${() => {
                    [data.black, data.white] = [data.white, data.black];
                    app.changed('view');
                  }}
                >
                  ${t('play.swap')}
                </button>
              </p>`
          : nothing
      }
      <label class="select-row"
        ><span>${t('play.start')}</span>${plainSelect(
          data.start,
          [
            ...HANDICAPS.map(([name]) => /** @type {[string, string]} */ ([name, handicapName(name)])),
            ['here', t('play.fromHere')],
          ],
          set('start'),
        )}</label
      >
      <fieldset>
        <legend>${t('settings.clock')}</legend>
        <div class="inline">
          ${figure('play.mainMin', t('play.main'), 600)}${figure('play.byoyomiS', t('play.byoyomi'), 3600)}${figure('play.incrementS', t('play.increment'), 3600)}
        </div>
      </fieldset>
      ${data.black || data.white ? figure('play.skill', t('play.skill'), 20) : nothing}
      <p class="buttons">
        <button class="button strong" autofocus>${t('start.button')}</button
        ><button type="button" class="button" @click=${() => actions.close()}>${t('dialog.cancel')}</button>
      </p>
    </form>`,
  };

  /** @param {Actions} actions @param {any} data */
  function begin({ close }, data) {
    players.stop();
    app.settings.set('play.black', data.black);
    app.settings.set('play.white', data.white);
    const handicap = HANDICAPS.find(([name]) => name === data.start);
    const tree = handicap ? GameTree.at(handicap[1]) : new GameTree(copyOf(app.position));
    if (tree) {
      if (handicap) tree.info.handicap = handicap[0];
      tree.info.black = data.black ? engines.nameOf(data.black) : '';
      tree.info.white = data.white ? engines.nameOf(data.white) : '';
      tree.info.date = today();
      app.load(tree);
    }
    if (data.white === '' && data.black !== '') app.settings.set('board.flip', true);
    else if (data.black === '' && data.white !== '') app.settings.set('board.flip', false);
    players.begin({
      main: app.get('play.mainMin') * 60_000,
      byoyomi: app.get('play.byoyomiS') * 1000,
      increment: app.get('play.incrementS') * 1000,
    });
    close.call(actions);
  }
}

/** @param {Actions} actions @returns {Content} */
export function endGameDialog(actions) {
  const { app, players } = actions;
  return {
    title: t('fn.endGame'),
    body: html`<p class="quiet">${t('end.what')}</p>
      <p class="buttons">
        ${ENDS.map(
          (word) =>
            html`<button
              type="button"
              class="button"
              @click=${() => {
                actions.close();
                players.finish(app.tree.current, word);
              }}
            >
              ${t(`end.${word}`)}
            </button>`,
        )}
        ${
          app.tree.current.end
            ? html`<button
                type="button"
                class="button"
                @click=${() => {
                  app.tree.current.end = '';
                  actions.close();
                  app.moved();
                }}
              >
                ${t('end.none')}
              </button>`
            : nothing
        }
      </p>`,
  };
}

function today() {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}

const FIELDS = /** @type {const} */ (['black', 'white', 'date', 'event', 'place', 'time_control']);

/** Names, date, event … @param {import('./tree.js').GameInfo} info */
const infoFields = (info) =>
  html`${FIELDS.map(
      (name) =>
        html`<label class="field"
          ><span>${t(name === 'black' || name === 'white' ? name : `game.${name}`)}</span
          ><input name=${name} maxlength="400" .value=${info[name]} ?autofocus=${name === 'black'}
        /></label>`,
    )}
    <label class="field"
      ><span>${t('game.comment')}</span
      ><textarea name="comment" rows="3" maxlength="20000" .value=${info.comment}></textarea>
    </label>
    ${
      info.more.length > 0
        ? html`<dl class="facts">
            ${info.more.map(
              ([name, value]) =>
                html`<div>
                  <dt>${name}</dt>
                  <dd>${value}</dd>
                </div>`,
            )}
          </dl>`
        : nothing
    }`;

/** @param {HTMLFormElement} form @param {import('./tree.js').GameInfo} info */
function takeInfo(form, info) {
  const data = new FormData(form);
  for (const key of [...FIELDS, /** @type {const} */ ('comment')]) info[key] = String(data.get(key) ?? '');
}

/** @param {Actions} actions @returns {Content} */
export function gameInfoDialog(actions) {
  const { app } = actions;
  return {
    title: t('fn.gameInfo'),
    body: html`<form
      @submit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        takeInfo(/** @type {HTMLFormElement} */ (event.currentTarget), app.tree.info);
        app.keep();
        actions.close();
      }}
    >
      ${infoFields(app.tree.info)}
      <p class="quiet mono">${sfenText(app.tree.root.position)}</p>
      <p class="buttons"><button class="button strong">${t('dialog.ok')}</button></p>
    </form>`,
  };
}

/** @param {Actions} actions @returns {Content} */
export function saveDialog(actions) {
  const { app, library } = actions;
  const save = async (/** @type {HTMLFormElement} */ form, /** @type {'line' | 'here' | 'all' | 'replace'} */ what) => {
    takeInfo(form, app.tree.info);
    app.keep();
    const nodes = { line: app.tree.mainLine(), here: app.tree.path(), all: undefined, replace: undefined }[what];
    try {
      const game = toGame(app.tree, nodes);
      await (what === 'replace' ? library.replace(game, app.tree) : library.put(game, app.tree));
      app.say(t('games.saved'));
      actions.close();
      library.list();
    } catch (error) {
      app.sayError(error);
    }
  };
  const button = (/** @type {'line' | 'here' | 'replace'} */ what, /** @type {string} */ name) =>
    html`<button
      type="button"
      class="button"
      @click=${(/** @type {Event} */ event) => save(/** @type {any} */ (event.target).form, what)}
    >
      ${t(name)}
    </button>`;
  return {
    title: t('fn.saveGame'),
    body: html`<form
      @submit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        save(/** @type {HTMLFormElement} */ (event.currentTarget), 'all');
      }}
    >
      ${infoFields(app.tree.info)}
      <p class="quiet">${t('games.saveFolder', { folder: library.folder || t('games.root') })}</p>
      <p class="buttons">
        <button class="button strong">${t('games.saveAll')}</button>
        ${library.sourceOf(app.tree) ? button('replace', 'games.replace') : nothing} ${button('line', 'games.saveMain')}
        ${button('here', 'games.saveHere')}
      </p>
    </form>`,
  };
}
