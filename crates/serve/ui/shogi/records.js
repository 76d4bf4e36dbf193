// Records in and out: what a text or a file was taken for, and what is asked for a text.

import { t } from '../common/i18n.js';
import { fromGame, fromLine, toGame } from './game-json.js';
import { sfenText } from './position.js';

/** @typedef {import('./actions.js').Actions} Actions */

/** Formats of whole games; the others are of the position. */
export const GAME_FORMATS = ['kif', 'ki2', 'csa', 'jkf', 'usi'];
export const POSITION_FORMATS = ['sfen', 'bod', 'svg'];

/** What a request for an import says of a file: its text where it is UTF-8, else its bytes. @param {Uint8Array} bytes @returns {{text: string} | {bytes: string}} */
export function fileFields(bytes) {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    let binary = '';
    for (const byte of bytes) binary += String.fromCharCode(byte);
    return { bytes: btoa(binary) };
  }
}

/** Asks what a text or a file is. @param {Actions} actions @param {{text: string} | {bytes: string}} what */
const ask = ({ app }, what) => app.link.ask('import', { ...what, line: app.tree.lineFields(), names: 'none' });

/** Reads something; what is unclear is shown in the text box. @param {Actions} actions @param {{text: string} | {bytes: string}} what */
export async function importAny(actions, what) {
  const text = 'text' in what ? what.text : '';
  try {
    const answer = await ask(actions, what);
    if (answer.items.length === 1) takeItem(actions, answer.items[0]);
    else actions.open('import', { text, answer });
  } catch (error) {
    actions.app.sayError(error);
    actions.open('import', { text });
  }
}

/** Reads files; the games of several are offered together. @param {Actions} actions @param {Blob[]} files */
export async function importFiles(actions, files) {
  const read = await Promise.all(files.map(async (file) => fileFields(new Uint8Array(await file.arrayBuffer()))));
  if (read.length === 1) {
    await importAny(actions, read[0]);
    return;
  }
  /** @type {{items: any[], failures: any[], total: number}} */
  const all = { items: [], failures: [], total: 0 };
  for (const what of read) {
    const answer = await ask(actions, what).catch((error) => ({
      items: [],
      failures: [{ line: null, error: error.message }],
      total: 0,
    }));
    all.items.push(...answer.items);
    all.failures.push(...answer.failures);
    all.total += answer.total ?? answer.items.length;
  }
  actions.open('import', { text: '', answer: all });
}

/** Shows what was read. @param {Actions} actions @param {any} item */
export function takeItem(actions, item) {
  const { app } = actions;
  const more = item.kind === 'moves' ? continuation(app.tree, item) : null;
  if (more) {
    app.walk((tree) => {
      tree.current = tree.add(more);
    });
  } else {
    const hasGame = item.game?.nodes?.length > 1 || item.game?.info;
    const tree = hasGame ? fromGame(item.game) : fromLine(item.sfen, item.moves ?? []);
    // A position is looked at where it stands, a game from its beginning.
    if (['moves', 'usi'].includes(item.kind)) tree.last();
    actions.show(tree);
  }
  app.say(t('import.recognised', { kind: t(`kind.${item.kind}`) }));
  actions.close();
}

/**
 * The moves of an item that go on from the current position, `null` where they begin elsewhere.
 * @param {import('./tree.js').GameTree} tree @param {{sfen: string, moves: string[]}} item @returns {string[] | null}
 */
export function continuation(tree, item) {
  const own = tree.moves();
  if (own.length > 0 && item.sfen === sfenText(tree.position)) return item.moves;
  const goesOn = item.sfen === sfenText(tree.root.position) && own.every((move, i) => item.moves?.[i] === move);
  return goesOn ? item.moves.slice(own.length) : null;
}

/** The fields of a request for a text. @param {Actions} actions @param {string} format */
export function exportFields({ app, research }, format) {
  const { tree } = app;
  if (GAME_FORMATS.includes(format)) return { format, game: toGame(tree) };
  if (format !== 'svg') return { format, ...tree.lineFields() };
  const best = research.at()[0]?.lines[0]?.move;
  return {
    format,
    ...tree.lineFields(),
    game: toGame(tree, tree.path()),
    arrows: best ? [best] : [],
    side: app.get('board.flip') ? 'white' : 'black',
    title: true,
    lang: app.style === 'ja' ? 'ja' : 'en',
  };
}
