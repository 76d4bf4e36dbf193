// What the tables of functions of both pages have in common.

/** @typedef {import('./page-actions.js').Fn} Fn */

/** Keys of the other set, where they differ. @typedef {{manual?: string[]}} OtherKeys */

/** A switch of a setting. @param {string} menu @param {string} id @param {string} setting @param {string[]} [keys] @param {string} [cap] @param {OtherKeys} [other] @returns {Fn} */
export const toggle = (menu, id, setting, keys = [], cap, other) => ({
  id,
  menu,
  keys,
  cap,
  ...other,
  run: ({ app }) => app.settings.toggle(setting),
  on: ({ app }) => Boolean(app.get(setting)),
});

/** A dialog. @param {string} id @param {string} menu @param {string} dialog @param {string[]} [keys] @param {string} [cap] @returns {Fn} */
export const opens = (id, menu, dialog, keys = [], cap) => ({ id, menu, keys, cap, run: (a) => a.open(dialog) });

/**
 * A walk through the game.
 * @param {string} id @param {string[]} keys @param {(tree: any) => any} go @param {(actions: any) => boolean} can
 * @param {OtherKeys} [other] @returns {Fn}
 */
export const walks = (id, keys, go, can, other) => ({
  id,
  menu: 'operate',
  keys,
  ...other,
  run: ({ app }) => app.walk(go),
  can,
});

/** @type {(actions: any) => boolean} */
export const hasNext = ({ app }) => app.tree.current.children.length > 0;
/** @type {(actions: any) => boolean} */
export const hasPrevious = ({ app }) => Boolean(app.tree.current.parent);
/** @type {(actions: any) => boolean} */
export const hasSiblings = ({ app }) => (app.tree.current.parent?.children.length ?? 0) > 1;
/** @type {(actions: any) => boolean} */
export const hasMoves = ({ app }) => app.tree.root.children.length > 0;
/** @type {(actions: any) => boolean} */
export const isOffMainLine = ({ app }) => !app.tree.onMainLine();
/** @type {(actions: any) => boolean} */
export const hasBook = ({ books }) => books.list.length > 0;

/** @type {Fn} */
export const bookOpen = {
  id: 'bookOpen',
  menu: 'book',
  keys: [],
  cap: 'books',
  run: (a) => a.open(a.app.link.files ? 'tabFiles' : 'bookOpen'),
};

/** A change of a book. @param {string} id @param {string} change @param {string[]} keys @param {(actions: any) => boolean} can @returns {Fn} */
const bookChange = (id, change, keys, can) => ({
  id,
  menu: 'book',
  keys,
  cap: 'books',
  run: (a) => a.books.change(change),
  can,
});

/** @type {(actions: any) => boolean} */
const hasEdits = ({ books }) => books.canUndo;

/** Changes of a book: undone, done again, saved. @param {string[]} undo keys @param {string[]} redo keys @returns {Fn[]} */
export const bookChanges = (undo, redo) => [
  bookChange('bookUndo', 'undo', undo, hasEdits),
  bookChange('bookRedo', 'redo', redo, ({ books }) => books.canRedo),
  bookChange('bookSave', 'save', ['Ctrl+Shift+S'], hasEdits),
];
