// Networks, weights and books of a tab: dropped or chosen, kept by the browser, used, forgotten. There are none where a server answers.

import { download } from './clipboard.js';
import { t } from './i18n.js';

/**
 * @typedef {import('./page-actions.js').PageActions<any> & {books: {list: any[], open: (root: string, path: string) => Promise<boolean>,
 *   close: (book: string) => Promise<any>, atStart: (book: any) => boolean, toggleAtStart: (book: any) => void}}} Actions
 */

/** The root of the files of a tab in messages. */
export const TAB = 'tab';

/** The setting with the name of the network or weights that the engine plays with. */
export const NETWORK = 'engine.network';

/** Ends of the names of such files, by game. @type {Record<string, string[]>} */
const ENDS = {
  shogi: ['.nnue', '.params', '.bin', '.db', '.ybb', '.sbk'],
  othello: ['.yev', '.dat', '.egev2', '.egbk', '.egbk2', '.egbk3'],
};

/** Ends of further names that can be chosen: most such files are records, as which they are read when they are dropped. @type {Record<string, string[]>} */
const CHOSEN_ENDS = { othello: ['.txt'] };

/** The ends of the names of files that can be chosen for the engine; none where a server answers. @param {Actions} actions */
export const chosenEnds = (actions) => {
  const ends = tabEnds(actions);
  return ends.length ? [...ends, ...(CHOSEN_ENDS[actions.table.name] ?? [])] : ends;
};

/** The ends of the names of files that a page takes for its engine; none where a server answers. @param {Actions} actions */
export const tabEnds = ({ app, table }) => (app.link.can('tab_files') ? (ENDS[table.name] ?? []) : []);

/** Whether a file is one for the engine of the tab. @param {Actions} actions @param {File} file */
export function isForTab(actions, file) {
  const name = file.name.toLowerCase();
  return tabEnds(actions).some((end) => name.endsWith(end));
}

/** The opened book of a file. @param {Actions} actions @param {string} name */
export const bookOf = ({ books }, name) => books.list.find(({ file }) => file.root === TAB && file.path === name);

/**
 * Takes a file for the engine: a network to play with, or a book, and keeps it. What is none of them gets a message, and nothing changes.
 * @param {Actions} actions @param {File} file @returns {Promise<boolean>}
 */
export async function takeTabFile(actions, file) {
  const { app } = actions;
  const files = app.link.files;
  const { name } = file;
  if (!files) return false;
  const open = bookOf(actions, name);
  if (open?.edits > 0) {
    app.say(t('tabFiles.edited', { name }), 'error');
    return false;
  }
  const before = await files.get(name);
  let isTaken = false;
  try {
    await files.give(name, file);
    const { kind } = await app.link.ask('file.kind', { path: name });
    if (kind === 'network') {
      await load(actions, name);
      isTaken = true;
    } else {
      if (open) await actions.books.close(open.book);
      isTaken = await actions.books.open(TAB, name);
    }
    if (isTaken) await keep(actions, file, kind);
  } catch (error) {
    app.sayError(error);
  }
  if (isTaken) return true;
  if (before) await files.give(name, before).catch(() => {});
  else await forget(actions, name);
  return false;
}

/** Keeps a file that is used, and uses it at the next visit. @param {Actions} actions @param {File} file @param {string} kind */
async function keep(actions, file, kind) {
  const { app, books } = actions;
  const { name } = file;
  const isKept = await app.link.files?.keep(name, file);
  if (kind === 'network') {
    app.settings.set(NETWORK, name);
    app.say(t('tabFiles.plays', { name }));
  } else {
    const book = bookOf(actions, name);
    if (book && !books.atStart(book)) books.toggleAtStart(book);
    actions.openTab('book');
  }
  if (!isKept) app.say(t('tabFiles.notKept', { name }), 'error');
}

/** Takes several files one after the other. @param {Actions} actions @param {File[]} list */
export async function takeTabFiles(actions, list) {
  for (const file of list) await takeTabFile(actions, file);
}

/** Has the engine play with a kept file; without a name, with what is built in. @param {Actions} actions @param {string | null} name */
export async function playWith(actions, name) {
  const { app } = actions;
  try {
    await load(actions, name);
    app.settings.set(NETWORK, name ?? '');
    app.say(name ? t('tabFiles.plays', { name }) : t('tabFiles.playsBuiltIn'));
  } catch (error) {
    app.sayError(error);
  }
}

/** Has the engine take a file; rejects with what is wrong. Searches with the one before make way. @param {Actions} actions @param {string | null} name */
async function load({ app }, name) {
  app.searching('network', true);
  try {
    await app.link.ask('engine.load', { path: name });
  } finally {
    app.searching('network', false);
  }
}

/** Has the engine play with the file of the last visit. @param {Actions} actions */
export async function loadNetwork(actions) {
  const { app } = actions;
  const name = app.link.can('networks') ? app.get(NETWORK) : '';
  if (!name) return;
  try {
    await app.link.ask('engine.load', { path: name });
  } catch (error) {
    app.settings.set(NETWORK, '');
    app.sayError(error);
  }
}

/** Removes a file from the browser and from the engine. @param {Actions} actions @param {string} name */
async function forget(actions, name) {
  const { link } = actions.app;
  await link.files?.remove(name);
  // The engine need not have it.
  await link.ask('file.forget', { path: name }).catch(() => {});
}

/** Removes a file for good, after who uses it. @param {Actions} actions @param {string} name */
export async function forgetForGood(actions, name) {
  const { app, books } = actions;
  if (app.get(NETWORK) === name) await playWith(actions, null);
  const book = bookOf(actions, name);
  if (book) {
    if (books.atStart(book)) books.toggleAtStart(book);
    await books.close(book.book);
  }
  const isOther = (/** @type {any} */ file) => file.root !== TAB || file.path !== name;
  app.settings.set('book.startup', app.get('book.startup').filter(isOther));
  await forget(actions, name);
}

/** Saves a kept file as a file of this computer. @param {Actions} actions @param {string} name */
export async function downloadTabFile({ app }, name) {
  const blob = await app.link.files?.get(name);
  if (blob) download(blob, name, 'application/octet-stream');
}

/** Uses a kept file: as a network, or as a book. @param {Actions} actions @param {string} name */
export async function useTabFile(actions, name) {
  const { app, books } = actions;
  const files = app.link.files;
  try {
    const blob = await files?.get(name);
    if (blob) await files?.give(name, blob);
    const { kind } = await app.link.ask('file.kind', { path: name });
    if (kind === 'network') await playWith(actions, name);
    else if (await books.open(TAB, name)) {
      const book = bookOf(actions, name);
      if (book && !books.atStart(book)) books.toggleAtStart(book);
    }
  } catch (error) {
    app.sayError(error);
  }
}
