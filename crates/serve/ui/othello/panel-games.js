// The library of games of othello.

import { t } from '../common/i18n.js';
import { libraryPanel } from '../common/library-panel.js';
import { boardText } from './notation.js';
import { fromGame } from './game-json.js';

/** @typedef {import('./actions.js').Actions} Actions */
/** @typedef {import('../common/library.js').Entry} Entry */

/** @param {Actions} actions */
export const gamesPanel = (actions) =>
  libraryPanel(actions, {
    here: () => boardText(actions.app.position),
    result: (entry) => ((entry.black_discs ?? -1) >= 0 ? `${entry.black_discs} - ${entry.white_discs}` : ''),
    memo: (entry) => [entry.event, entry.memo].filter(Boolean).join(' · '),
    load: (entry) => load(actions, entry),
  });

/** @param {Actions} actions @param {Entry} entry */
async function load(actions, entry) {
  const { app, library } = actions;
  try {
    const answer = await library.get(entry);
    const tree = fromGame(answer.game);
    actions.players.pause();
    app.load(tree);
    library.source = { tree: app.tree, folder: entry.folder, game: entry.game };
    app.say(t('games.loaded', { black: entry.black || '?', white: entry.white || '?' }));
  } catch (error) {
    app.sayError(error);
  }
}
