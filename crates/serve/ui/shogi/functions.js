// Every function of the page: its menu, its keys, what it does. Menus, shortcuts, the list of shortcuts and the shortcut
// buttons are all made from this table.

/** @typedef {import('./actions.js').Actions} Actions */
/** @typedef {import('../common/page-actions.js').Fn} Fn */
/** @typedef {import('./tree.js').GameTree} GameTree */

export const MENUS = ['game', 'operate', 'research', 'display', 'input', 'output', 'book', 'help'];

/** Names of the sets of default keys. */
export const KEY_SETS = ['standard'];

/** A switch of a setting. @param {string} menu @param {string} id @param {string} setting @param {string[]} [keys] @param {string} [cap] @returns {Fn} */
const toggle = (menu, id, setting, keys = [], cap) => ({
  id,
  menu,
  keys,
  cap,
  run: ({ app }) => app.settings.toggle(setting),
  on: ({ app }) => Boolean(app.get(setting)),
});

/** A dialog. @param {string} id @param {string} menu @param {string} dialog @param {string[]} [keys] @param {string} [cap] @returns {Fn} */
const opens = (id, menu, dialog, keys = [], cap) => ({ id, menu, keys, cap, run: (a) => a.open(dialog) });

/** A walk through the game. @param {string} id @param {string[]} keys @param {(tree: GameTree) => any} go @param {(actions: Actions) => boolean} can @returns {Fn} */
const walks = (id, keys, go, can) => ({ id, menu: 'operate', keys, run: ({ app }) => app.walk(go), can });

/** @type {(actions: Actions) => boolean} */
const hasNext = ({ app }) => app.tree.current.children.length > 0;
/** @type {(actions: Actions) => boolean} */
const hasPrevious = ({ app }) => Boolean(app.tree.current.parent);
/** @type {(actions: Actions) => boolean} */
const hasMoves = ({ app }) => app.tree.root.children.length > 0;
/** @type {(actions: Actions) => boolean} */
const hasBook = ({ books }) => books.list.length > 0;
/** @type {(actions: Actions) => boolean} */
const hasSiblings = ({ app }) => (app.tree.current.parent?.children.length ?? 0) > 1;

/** @type {Fn[]} */
export const FUNCTIONS = [
  opens('newGame', 'game', 'newGame', ['Ctrl+N', 'N']),
  { id: 'clearGame', menu: 'game', keys: [], run: (a) => a.clearGame() },
  {
    id: 'start',
    menu: 'game',
    keys: ['Space'],
    run: (a) => a.startPause(),
    on: (a) => a.players.started,
    can: (a) => !a.app.over,
  },
  { id: 'resign', menu: 'game', keys: [], run: (a) => a.players.resign(), can: (a) => a.players.started },
  { id: 'takeBack', menu: 'game', keys: ['Ctrl+Backspace'], run: (a) => a.players.takeBack(), can: hasPrevious },
  {
    id: 'engineMove',
    menu: 'game',
    keys: ['G'],
    cap: 'search',
    run: (a) => a.players.engineMove(),
    can: (a) => !a.app.ruledEnd(),
  },
  opens('endGame', 'game', 'endGame'),
  {
    id: 'previousGame',
    menu: 'game',
    keys: ['Ctrl+Shift+Z'],
    run: (a) => a.previousGame(),
    can: (a) => a.app.before.length > 0,
  },
  opens('gameInfo', 'game', 'gameInfo', ['I']),

  walks('forward', ['Right'], (tree) => tree.forward(), hasNext),
  walks('back', ['Left'], (tree) => tree.back(), hasPrevious),
  walks('forwardTen', ['PageDown'], (tree) => tree.goToPly(tree.ply() + 10), hasNext),
  walks('backTen', ['PageUp'], (tree) => tree.goToPly(tree.ply() - 10), hasPrevious),
  walks('first', ['Home'], (tree) => tree.first(), hasPrevious),
  walks('last', ['End'], (tree) => tree.last(), hasNext),
  walks('toBranch', ['Shift+Left'], (tree) => tree.toBranch(), hasPrevious),
  { id: 'previousBranch', menu: 'operate', keys: ['Up'], run: (a) => a.sibling(-1), can: hasSiblings },
  { id: 'nextBranch', menu: 'operate', keys: ['Down'], run: (a) => a.sibling(1), can: hasSiblings },
  {
    id: 'saveBranch',
    menu: 'operate',
    keys: ['Ctrl+L', 'L'],
    run: (a) => a.saveBranch(),
    can: (a) => !a.app.tree.onMainLine(),
  },
  {
    id: 'branchUp',
    menu: 'operate',
    keys: ['Ctrl+Up'],
    run: (a) => a.shiftBranch(-1),
    can: hasSiblings,
  },
  {
    id: 'branchDown',
    menu: 'operate',
    keys: ['Ctrl+Down'],
    run: (a) => a.shiftBranch(1),
    can: hasSiblings,
  },
  { id: 'undo', menu: 'operate', keys: ['Backspace', 'Delete'], run: (a) => a.removeMove(), can: hasPrevious },
  {
    id: 'deleteAfter',
    menu: 'operate',
    keys: ['Shift+Delete'],
    run: (a) => a.deleteAfter(),
    can: hasNext,
  },
  {
    id: 'restore',
    menu: 'operate',
    keys: ['Ctrl+Z'],
    run: (a) => a.app.walk((/** @type {GameTree} */ tree) => tree.restore()),
    can: (a) => a.app.tree.removed.length > 0,
  },
  {
    id: 'addBestLine',
    menu: 'operate',
    keys: ['B'],
    cap: 'search',
    run: (a) => a.addBestLine(),
    can: (a) => a.research.at().length > 0,
  },

  {
    id: 'research',
    menu: 'research',
    keys: ['R'],
    cap: 'search',
    run: (a) => a.research.toggle(),
    on: (a) => a.research.on,
  },
  { id: 'moreLines', menu: 'research', keys: ['Plus'], cap: 'search', run: (a) => a.lines(1) },
  { id: 'fewerLines', menu: 'research', keys: ['-'], cap: 'search', run: (a) => a.lines(-1) },
  {
    id: 'mateSearch',
    menu: 'research',
    keys: ['M'],
    cap: 'search',
    run: (a) => a.research.searchMate(),
    on: (a) => a.research.mateStream !== null,
  },
  { id: 'analyze', menu: 'research', keys: ['A'], cap: 'search', run: (a) => a.analyze(), can: hasMoves },
  { id: 'stop', menu: 'research', keys: ['Q'], cap: 'search', run: (a) => a.stopAll(), can: (a) => a.busy },
  {
    id: 'engineOptions',
    menu: 'research',
    keys: [],
    cap: 'search',
    run: (a) => a.open('engine', { engine: a.engines.chosen[0] }),
    can: (a) => a.engines.list.length > 0,
  },
  {
    id: 'registerLine',
    menu: 'research',
    keys: [],
    cap: 'books',
    run: (a) => a.openRegister(),
    can: (a) => Boolean(a.books.current?.can_edit) && a.research.at().length > 0,
  },

  toggle('display', 'flip', 'board.flip', ['F']),
  toggle('display', 'showArrows', 'show.arrows', ['V'], 'search'),
  {
    id: 'holdArrows',
    menu: 'display',
    keys: ['H'],
    hold: true,
    run: (a) => a.hold('holdArrows', !a.app.heldArrows),
    on: (a) => a.app.heldArrows,
  },
  toggle('display', 'showScores', 'show.scores', [], 'search'),
  toggle('display', 'showBookArrows', 'show.bookArrows', ['Shift+V'], 'books'),
  toggle('display', 'showLegal', 'show.legal'),
  toggle('display', 'showLast', 'show.last'),
  toggle('display', 'showOpening', 'show.opening'),
  toggle('display', 'showCastles', 'show.castles'),
  toggle('display', 'showImpasse', 'show.impasse'),
  toggle('display', 'showClocks', 'show.clocks'),
  toggle('display', 'showTimes', 'show.times'),
  toggle('display', 'showMoveScores', 'show.moveScores'),
  toggle('display', 'graphValue', 'show.graphValue'),
  toggle('display', 'graphTime', 'show.graphTime'),
  toggle('display', 'showLog', 'show.log'),
  { id: 'nextSet', menu: 'display', keys: [], run: (a) => a.nextSet() },
  { id: 'nextPalette', menu: 'display', keys: [], run: (a) => a.nextPalette() },
  { id: 'nextTheme', menu: 'display', keys: [], run: (a) => a.nextTheme() },

  { id: 'paste', menu: 'input', keys: ['Ctrl+V'], cap: 'shogi', run: (a) => a.paste() },
  opens('textBox', 'input', 'import', ['T'], 'shogi'),
  { id: 'openFile', menu: 'input', keys: ['Ctrl+O'], cap: 'shogi', run: (a) => a.openFile() },
  opens('editBoard', 'input', 'editor', ['Ctrl+E'], 'shogi'),
  { id: 'gameLibrary', menu: 'input', keys: [], cap: 'library', run: (a) => a.openTab('games') },
  opens('serverFiles', 'input', 'files', [], 'files'),
  opens('tabFiles', 'input', 'tabFiles', [], 'tab_files'),

  ...['kif', 'ki2', 'csa', 'usi', 'sfen', 'bod'].map(
    (format) =>
      /** @type {Fn} */ ({
        id: `copy.${format}`,
        menu: 'output',
        keys: { kif: ['Ctrl+C'], sfen: ['Ctrl+Shift+C'] }[format] ?? [],
        cap: 'shogi',
        run: (a) => a.copy(format),
      }),
  ),
  opens('exportGame', 'output', 'export', ['Ctrl+Shift+E'], 'shogi'),
  { id: 'screenshot', menu: 'output', keys: ['Ctrl+S'], run: (a) => a.screenshot() },
  opens('boardImage', 'output', 'image'),
  { id: 'saveGame', menu: 'output', keys: [], cap: 'library', run: (a) => a.openSave() },

  { id: 'bookPanel', menu: 'book', keys: [], cap: 'books', run: (a) => a.openTab('book') },
  {
    id: 'bookOpen',
    menu: 'book',
    keys: [],
    cap: 'books',
    run: (a) => a.open(a.app.link.files ? 'tabFiles' : 'bookOpen'),
  },
  { id: 'bookAdd', menu: 'book', keys: [], cap: 'books', run: (a) => a.editBook(''), can: hasBook },
  {
    id: 'bookSearch',
    menu: 'book',
    keys: ['Ctrl+F'],
    cap: 'books',
    run: (a) => a.openBookPart('search'),
    can: hasBook,
  },
  { id: 'bookTree', menu: 'book', keys: [], cap: 'books', run: (a) => a.openBookPart('tree'), can: hasBook },
  {
    id: 'bookUndo',
    menu: 'book',
    keys: ['Ctrl+Shift+U'],
    cap: 'books',
    run: (a) => a.books.change('undo'),
    can: (a) => a.books.canUndo,
  },
  {
    id: 'bookRedo',
    menu: 'book',
    keys: ['Ctrl+Shift+Y'],
    cap: 'books',
    run: (a) => a.books.change('redo'),
    can: (a) => a.books.canRedo,
  },
  {
    id: 'bookSave',
    menu: 'book',
    keys: ['Ctrl+Shift+S'],
    cap: 'books',
    run: (a) => a.books.change('save'),
    can: (a) => a.books.canUndo,
  },

  opens('usage', 'help', 'help', ['F1']),
  { id: 'shortcuts', menu: 'help', keys: ['?'], run: (a) => a.openSettings('keys') },
  { id: 'profiles', menu: 'help', keys: [], run: (a) => a.openSettings('profiles') },
  opens('licences', 'help', 'licences'),
  { id: 'exportSettings', menu: 'help', keys: [], run: (a) => a.exportSettings() },
  { id: 'importSettings', menu: 'help', keys: [], run: (a) => a.importSettings() },
];
