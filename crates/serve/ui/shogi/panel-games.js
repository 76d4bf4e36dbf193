// The library of records of shogi.

import { t } from '../common/i18n.js';
import { libraryPanel } from '../common/library-panel.js';
import { fromGame } from './game-json.js';
import { sfenText } from './position.js';
import { named } from './panel-info.js';

/** @typedef {import('./actions.js').Actions} Actions */
/** @typedef {import('../common/library.js').Entry} Entry */

/** @param {Actions} actions */
export const gamesPanel = (actions) =>
  libraryPanel(actions, {
    here: () => sfenText(actions.app.position),
    result: (entry) => `${{ black: '○', white: '●' }[String(entry.winner)] ?? '−'} ${entry.plies ?? ''}`,
    memo: (entry) =>
      [entry.event, typeof entry.opening === 'string' ? entry.opening : named(entry.opening), endName(entry.end)]
        .filter(Boolean)
        .join(' · '),
    load: (entry) => load(actions, entry),
    openings: () => openings(actions),
  });

/** Names of openings and castles, asked for once. @type {{ja: string | null, en: string | null}[] | null} */
let known = null;

/** @param {Actions} actions */
function openings({ app }) {
  if (!known) {
    known = [];
    app.link.ask('openings').then(
      (answer) => {
        known = [...(answer.openings ?? []), ...(answer.castles ?? [])];
        app.changed('view');
      },
      () => {},
    );
  }
  return known.map(named).filter(Boolean);
}

/** @param {string | null | undefined} end */
function endName(end) {
  if (!end) return '';
  const text = t(`end.${end}`);
  return text === `end.${end}` ? end : text;
}

/** @param {Actions} actions @param {Entry} entry */
async function load(actions, entry) {
  const { app, library } = actions;
  try {
    const answer = await library.get(entry);
    actions.show(fromGame(answer.game));
    library.source = { tree: app.tree, folder: entry.folder, game: entry.game };
    app.say(t('games.loaded', { black: entry.black || '?', white: entry.white || '?' }));
  } catch (error) {
    app.sayError(error);
  }
}
