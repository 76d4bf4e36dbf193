// Every function of the page: its menu, its keys, what it does. Menus, shortcuts, the list of shortcuts and the shortcut
// buttons are all made from this table.

import { TRANSFORMS } from './transforms.js';

/** @typedef {import('./actions.js').Actions} Actions */
/** @typedef {import('./app.js').App} App */

/** @typedef {import('../common/page-actions.js').Fn} Fn */

export const MENUS = ['game', 'ai', 'display', 'operate', 'input', 'output', 'book', 'help'];

/** A switch of a setting. @param {string} menu @param {string} id @param {string} setting @param {string[]} [keys] @param {string} [cap] @param {string[]} [manual] @returns {Fn} */
const toggle = (menu, id, setting, keys = [], cap, manual) => ({
  id,
  menu,
  keys,
  cap,
  manual,
  run: ({ app }) => app.settings.toggle(setting),
  on: ({ app }) => Boolean(app.get(setting)),
});

/** A dialog. @param {string} id @param {string} menu @param {string} dialog @param {string[]} [keys] @param {string} [cap] @returns {Fn} */
const opens = (id, menu, dialog, keys = [], cap) => ({
  id,
  menu,
  keys,
  cap,
  run: (actions) => actions.open(dialog),
});

/**
 * A walk through the game.
 * @param {string} id @param {string[]} keys @param {(tree: import('./tree.js').GameTree) => any} go
 * @param {(actions: Actions) => boolean} can @param {string[]} [manual] @returns {Fn}
 */
const walks = (id, keys, go, can, manual) => ({
  id,
  menu: 'operate',
  keys,
  manual,
  run: ({ app }) => app.walk(go),
  can,
});

/** @type {(actions: Actions) => boolean} */
const hasNext = ({ app }) => app.tree.current.children.length > 0;
/** @type {(actions: Actions) => boolean} */
const hasPrevious = ({ app }) => Boolean(app.tree.current.parent);
/** @type {(actions: Actions) => boolean} */
const hasMoves = ({ app }) => app.tree.line().length > 1;
/** @type {(actions: Actions) => boolean} */
const hasBook = ({ books }) => books.list.length > 0;

/** @type {Fn[]} */
export const FUNCTIONS = [
  { id: 'newHumans', menu: 'game', keys: ['Ctrl+N', 'N'], run: (a) => a.newGame(false, false) },
  { id: 'newHumanBlack', menu: 'game', keys: [], cap: 'search', run: (a) => a.newGame(false, true) },
  { id: 'newHumanWhite', menu: 'game', keys: [], cap: 'search', run: (a) => a.newGame(true, false) },
  { id: 'newSelfPlay', menu: 'game', keys: [], cap: 'search', run: (a) => a.newGame(true, true) },
  { id: 'start', menu: 'game', keys: ['Space'], run: (a) => a.startPause(), on: (a) => a.players.started },
  { id: 'pass', menu: 'game', keys: [], run: (a) => a.app.confirmPass(), can: (a) => Boolean(a.app.waitingPass) },
  {
    id: 'analyze',
    menu: 'game',
    keys: ['A'],
    manual: ['Shift+A'],
    cap: 'search',
    run: (a) => a.analyze(),
    can: hasMoves,
  },
  opens('gameInfo', 'game', 'gameInfo', ['I']),

  toggle('ai', 'aiBlack', 'ai.black', ['B'], 'search'),
  toggle('ai', 'aiWhite', 'ai.white', ['W'], 'search'),
  toggle('ai', 'useBook', 'ai.book', [], 'books'),
  toggle('ai', 'pausePass', 'ai.pausePass'),
  toggle('ai', 'forcedOpenings', 'ai.forcedOn', [], 'search'),
  {
    id: 'levelUp',
    menu: 'ai',
    keys: ['Plus'],
    cap: 'search',
    run: (a) => a.level(1),
    can: (a) => a.app.get('ai.level') < 60,
  },
  {
    id: 'levelDown',
    menu: 'ai',
    keys: ['-'],
    cap: 'search',
    run: (a) => a.level(-1),
    can: (a) => a.app.get('ai.level') > 1,
  },
  { id: 'aiSettings', menu: 'ai', keys: [], run: (a) => a.openSettings('ai') },
  { id: 'shortcuts', menu: 'ai', keys: ['?'], run: (a) => a.openSettings('keys') },
  { id: 'profiles', menu: 'ai', keys: [], run: (a) => a.openSettings('profiles') },

  toggle('display', 'showLegal', 'show.legal'),
  toggle('display', 'showValues', 'show.values', ['V'], 'search'),
  {
    id: 'holdValues',
    menu: 'display',
    keys: ['H'],
    cap: 'search',
    hold: true,
    run: (a) => a.hints.hold(!a.hints.held),
    on: (a) => a.hints.held,
  },
  toggle('display', 'hintsOnAi', 'hints.onAi', [], 'search'),
  toggle('display', 'simpleValues', 'hints.simple', [], 'search'),
  {
    id: 'valueColours',
    menu: 'display',
    keys: [],
    cap: 'search',
    run: (a) => a.app.settings.set('hints.colours', a.app.get('hints.colours') === 'kind' ? 'best' : 'kind'),
    on: (a) => a.app.get('hints.colours') === 'kind',
  },
  toggle('display', 'showUmigame', 'show.umigame', ['U'], 'books'),
  toggle('display', 'showBookAccuracy', 'show.bookAccuracy', [], 'books'),
  toggle('display', 'showOpeningHover', 'show.openingHover'),
  toggle('display', 'showNext', 'show.next'),
  toggle('display', 'nextSquare', 'show.nextSquare'),
  toggle('display', 'showLast', 'show.last'),
  toggle('display', 'showFlipped', 'show.flipped'),
  toggle('display', 'showWouldFlip', 'show.wouldFlip'),
  toggle('display', 'showGoodFlips', 'show.goodFlips'),
  toggle('display', 'showStable', 'show.stable'),
  toggle('display', 'showOrder', 'show.order'),
  toggle('display', 'orderTranscript', 'show.orderTranscript'),
  toggle('display', 'showFocus', 'show.focus', [], 'search'),
  toggle('display', 'showCoordinates', 'show.coordinates'),
  toggle('display', 'showOpening', 'show.opening'),
  toggle('display', 'showClocks', 'show.clocks'),
  toggle('display', 'showBestLine', 'show.bestLine', [], 'search'),
  toggle('display', 'showGraph', 'show.graph'),
  toggle('display', 'graphValue', 'show.graphValue', ['D'], undefined, ['Shift+D']),
  toggle('display', 'graphLoss', 'show.graphLoss', ['S']),
  toggle('display', 'graphTime', 'show.graphTime'),
  toggle('display', 'graphRandom', 'show.graphRandom'),
  toggle('display', 'graphBands', 'show.graphBands', [], 'search'),
  toggle('display', 'showEndError', 'show.endError'),
  toggle('display', 'laser', 'show.laser', ['P']),
  toggle('display', 'showLog', 'show.log'),
  { id: 'nextTheme', menu: 'display', keys: [], run: (a) => a.nextTheme() },
  { id: 'nextPalette', menu: 'display', keys: [], run: (a) => a.nextPalette() },

  {
    id: 'aiMove',
    menu: 'operate',
    keys: ['G'],
    cap: 'search',
    run: (a) => a.players.aiMove(),
    can: (a) => !a.app.tree.over,
  },
  walks('forward', ['Right'], (tree) => tree.forward(), hasNext, ['Right', 'D']),
  walks('back', ['Left'], (tree) => tree.back(), hasPrevious, ['Left', 'A']),
  walks('undo', ['Backspace'], (tree) => tree.undo(), hasPrevious),
  walks('first', ['Home'], (tree) => tree.first(), hasPrevious),
  walks('last', ['End'], (tree) => tree.last(), hasNext),
  walks(
    'randomStart',
    ['Shift+Home'],
    (/** @type {import('./tree.js').GameTree} */ tree) => tree.goToPly(tree.randomUntil),
    (a) => a.app.tree.randomUntil > 0,
  ),
  {
    id: 'saveBranch',
    menu: 'operate',
    keys: ['L', 'Ctrl+L'],
    run: (a) => a.saveBranch(),
    can: (a) => !a.app.tree.onMainLine(),
  },
  {
    id: 'deleteBranch',
    menu: 'operate',
    keys: ['Delete'],
    run: (a) => a.app.walk((/** @type {import("./tree.js").GameTree} */ tree) => tree.remove(tree.current)),
    can: (a) => !a.app.tree.onMainLine(),
  },
  {
    id: 'previousBranch',
    menu: 'operate',
    keys: ['Up'],
    run: (a) => a.sibling(-1),
    can: (a) => (a.app.tree.current.parent?.children.length ?? 0) > 1,
  },
  {
    id: 'nextBranch',
    menu: 'operate',
    keys: ['Down'],
    run: (a) => a.sibling(1),
    can: (a) => (a.app.tree.current.parent?.children.length ?? 0) > 1,
  },
  {
    id: 'addBestLine',
    menu: 'operate',
    keys: [],
    cap: 'search',
    run: (a) => a.addBestLine(),
    can: (a) => a.hints.moves.length > 0,
  },
  { id: 'randomBoard', menu: 'operate', keys: ['R'], cap: 'search', run: (a) => a.randomBoard() },
  opens('randomOptions', 'operate', 'random', [], 'search'),
  opens('openings', 'operate', 'openings', ['O'], 'othello'),
  { id: 'listStart', menu: 'operate', keys: ['X'], run: (a) => a.startFromList() },
  ...TRANSFORMS.map(
    (name) => /** @type {Fn} */ ({ id: name, menu: 'operate', keys: [], run: (a) => a.transform(name) }),
  ),
  { id: 'stop', menu: 'operate', keys: ['Q'], cap: 'search', run: (a) => a.stopAll(), can: (a) => a.busy },
  {
    id: 'resume',
    menu: 'operate',
    keys: ['Shift+Q'],
    cap: 'search',
    run: (a) => a.resumeAll(),
    can: (a) => a.hints.halted,
  },
  { id: 'clearCache', menu: 'operate', keys: [], cap: 'search', run: (a) => a.clearCache() },
  { id: 'clockReset', menu: 'operate', keys: [], run: (a) => a.players.resetClocks() },

  { id: 'paste', menu: 'input', keys: ['Ctrl+V'], cap: 'othello', run: (a) => a.paste() },
  opens('textBox', 'input', 'import', ['T'], 'othello'),
  { id: 'openFile', menu: 'input', keys: ['Ctrl+O'], run: (a) => a.openFile() },
  opens('tabFiles', 'input', 'tabFiles', [], 'tab_files'),
  opens('editBoard', 'input', 'editor', ['Ctrl+E']),
  opens('bitboardInput', 'input', 'bitboards'),
  { id: 'gameLibrary', menu: 'input', keys: [], cap: 'library', run: (a) => a.openTab('games') },

  { id: 'copyTranscript', menu: 'output', keys: ['Ctrl+C'], run: (a) => a.copy('transcript') },
  { id: 'copyMainLine', menu: 'output', keys: [], run: (a) => a.copy('mainLine'), can: hasMoves },
  { id: 'copyBoard', menu: 'output', keys: ['Ctrl+Shift+C'], run: (a) => a.copy('board') },
  { id: 'copyMover', menu: 'output', keys: [], run: (a) => a.copy('mover') },
  { id: 'copyBlackWhite', menu: 'output', keys: [], run: (a) => a.copy('blackWhite') },
  { id: 'screenshot', menu: 'output', keys: ['Ctrl+S'], run: (a) => a.screenshot() },
  opens('boardImage', 'output', 'image'),
  { id: 'saveGame', menu: 'output', keys: [], cap: 'library', run: (a) => a.openSave() },
  opens('exportGame', 'output', 'export', [], 'othello'),
  { id: 'saveTree', menu: 'output', keys: [], run: (a) => a.saveTree() },

  { id: 'bookFiles', menu: 'book', keys: [], cap: 'books', run: (a) => a.openTab('book') },
  {
    id: 'bookOpen',
    menu: 'book',
    keys: [],
    cap: 'books',
    run: (a) => a.open(a.app.link.files ? 'tabFiles' : 'bookOpen'),
  },
  { id: 'bookEdit', menu: 'book', keys: ['E'], cap: 'books', run: (a) => a.editBook(a.app.hover), can: hasBook },
  {
    id: 'bookUndo',
    menu: 'book',
    keys: ['Ctrl+Z'],
    cap: 'books',
    run: (a) => a.books.change('undo'),
    can: (a) => a.books.canUndo,
  },
  {
    id: 'bookRedo',
    menu: 'book',
    keys: ['Ctrl+Y', 'Ctrl+Shift+Z'],
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
  { id: 'bookStoreLine', menu: 'book', keys: [], cap: 'books', run: (a) => a.books.storeLine(), can: hasBook },
  {
    id: 'practice',
    menu: 'book',
    keys: [],
    cap: 'books',
    run: (a) => a.practice.toggle(),
    on: (a) => a.practice.on,
    can: hasBook,
  },
  ...[
    'learn',
    'learnGames',
    'fix',
    'fixEdax',
    'reduce',
    'leaves',
    'lines',
    'import',
    'export',
    'merge',
    'check',
    'info',
  ].map(
    (kind) =>
      /** @type {Fn} */ ({
        id: `job.${kind}`,
        menu: 'book',
        keys: [],
        cap: 'jobs',
        run: (a) => a.openJob(kind),
        can: hasBook,
      }),
  ),

  opens('usage', 'help', 'help', ['F1']),
  opens('licences', 'help', 'licences'),
  { id: 'exportSettings', menu: 'help', keys: [], run: (a) => a.exportSettings() },
  { id: 'importSettings', menu: 'help', keys: [], run: (a) => a.importSettings() },
];

/** Names of the sets of default keys: those of Egaroucid's manual 7.1, and those of Egaroucid 7.9. */
export const KEY_SETS = ['manual', 'current'];
