// What the functions do: the hub between the table of functions, the models and the dialogs.

import { copyText, readText } from '../common/clipboard.js';
import { PageActions, pickFile } from '../common/page-actions.js';
import { t } from '../common/i18n.js';
import { PROFILE_PREFIXES } from './defaults.js';
import { FUNCTIONS, KEY_SETS, MENUS } from './functions.js';
import { fromLine } from './game-json.js';
import { isForTab, tabEnds, takeTabFiles } from '../common/tab-files.js';
import { exportFields, importAny, importFiles, takeItem } from './records.js';
import { PALETTES } from './themes.js';
import { SETS } from './pieces.js';
import { isSquare } from './board-geometry.js';
import { GameTree } from './tree.js';
import { sfenText } from './position.js';
import { spotOf } from './board-view.js';
import { parseMove } from './rules.js';

/** @typedef {import('./app.js').App} App */

/** @type {import('../common/page-actions.js').Table} */
const TABLE = {
  name: 'shogi',
  functions: FUNCTIONS,
  menus: MENUS,
  keySets: KEY_SETS,
  profiles: PROFILE_PREFIXES,
  palettes: PALETTES,
  loadDialogs: async () => (await import('./dialog-table.js')).DIALOGS,
};

/** @extends {PageActions<App>} */
export class Actions extends PageActions {
  /**
   * @param {App} app
   * @param {object} models
   * @param {import('./engines.js').Engines} models.engines
   * @param {import('./research.js').Research} models.research
   * @param {import('./players.js').Players} models.players
   * @param {import('./analysis.js').Analysis} models.analysis
   * @param {import('./books.js').Books} models.books
   * @param {import('./book-lists.js').BookLists} models.lists
   * @param {import('../common/jobs.js').Jobs} models.jobs
   * @param {import('../common/library.js').Library} models.library
   * @param {import('../common/runs.js').Runs} models.runs
   */
  constructor(app, { engines, research, players, analysis, books, lists, jobs, library, runs }) {
    super(app, TABLE);
    this.engines = engines;
    this.research = research;
    this.players = players;
    this.analysis = analysis;
    this.books = books;
    this.lists = lists;
    this.jobs = jobs;
    this.library = library;
    this.runs = runs;
    this.section = 'display';
    /** The part of the book panel that is open: `moves`, `tree`, `search` or `path`. */
    this.bookPart = 'moves';
    /** @type {import('./board-view.js').BoardView | null} */
    this.boardView = null;
  }

  /** @param {string} id @param {boolean} down */
  hold(id, down) {
    if (id !== 'holdArrows' || this.app.heldArrows === down) return;
    this.app.heldArrows = down;
    this.app.changed('view');
  }

  clearGame() {
    this.players.pause();
    this.app.load(new GameTree());
  }

  previousGame() {
    this.players.pause();
    this.app.goBack();
  }

  startPause() {
    if (this.players.started) this.players.pause();
    else this.players.start();
  }

  async analyze() {
    if (this.analysis.running) {
      this.analysis.stop();
      return;
    }
    this.players.pause();
    this.openTab('graph');
    await this.analysis.start();
  }

  get busy() {
    return this.research.on || this.players.thinking || this.analysis.running || this.research.mateStream !== null;
  }

  stopAll() {
    this.analysis.stop();
    this.research.mateStream?.stop();
    if (this.players.thinking) this.players.pause();
    if (this.research.on) this.research.toggle();
  }

  /** @param {number} step */
  lines(step) {
    const { app } = this;
    app.settings.set('research.lines', Math.min(20, Math.max(1, app.get('research.lines') + step)));
    app.say(t('research.linesAre', { n: app.get('research.lines') }));
  }

  nextSet() {
    this.app.settings.set('board.set', SETS[(SETS.indexOf(this.app.get('board.set')) + 1) % SETS.length]);
  }

  saveBranch() {
    this.app.tree.promote();
    this.app.moved();
    this.app.say(t('tree.promoted'));
  }

  /** @param {number} step */
  shiftBranch(step) {
    this.app.tree.shift(this.app.tree.current, step);
    this.app.moved();
  }

  removeMove() {
    this.app.walk((tree) => tree.undo());
    this.app.say(t('tree.removed'));
  }

  deleteAfter() {
    const { tree } = this.app;
    for (const child of [...tree.current.children]) tree.remove(child);
    this.app.moved();
    this.app.say(t('tree.removed'));
  }

  /** @param {number} step */
  sibling(step) {
    this.app.walk((tree) => {
      const siblings = tree.current.parent?.children ?? [];
      const next = siblings[siblings.indexOf(tree.current) + step];
      if (next) tree.current = next;
    });
  }

  /** Keeps the engine's best line as a variation of the game. */
  addBestLine() {
    const line = this.research.at()[0]?.lines[0];
    if (line) this.addLine(line.pv);
  }

  /** @param {string[]} moves */
  addLine(moves) {
    const { app } = this;
    app.tree.add(moves);
    app.moved();
    app.say(t('tree.added', { line: app.namesFrom(moves).join(' ') }));
  }

  /** Shows another game; who plays waits. @param {GameTree} tree */
  show(tree) {
    this.players.pause();
    this.app.load(tree);
  }

  /** Goes to a position of a list: on the line where the game has it, else as a game of its own. @param {string} sfen @param {string[]} [line] the way to it */
  showPosition(sfen, line) {
    if (line) {
      this.app.walk((tree) => {
        tree.current = tree.root;
        line.every((move) => tree.play(move));
      });
      return;
    }
    const key = sfen.split(' ').slice(0, 3).join(' ');
    /** @type {import('./tree.js').Node | null} */
    let found = null;
    this.app.tree.each((node) => {
      if (!found && sfenText(node.position).startsWith(`${key} `)) found = node;
    });
    if (found) this.app.goTo(found);
    else this.show(fromLine(sfen, []));
  }

  /** Takes the clipboard's text; a text box where the browser does not give it. */
  async paste() {
    const text = await readText();
    if (text) await this.importText(text);
    else this.open('import');
  }

  /** Reads any text; what is unclear is shown in the text box. @param {string} text */
  importText(text) {
    return importAny(this, { text });
  }

  /** @param {Blob[]} files */
  importFiles(files) {
    return importFiles(this, files);
  }

  /** Takes files that were dropped or chosen: networks and books for the engine of a tab, records of games. @param {File[]} files */
  async takeFiles(files) {
    const records = files.filter((file) => !isForTab(this, file));
    await takeTabFiles(
      this,
      files.filter((file) => isForTab(this, file)),
    );
    if (records.length > 0) await this.importFiles(records);
  }

  /** Shows what was read. @param {any} item */
  takeItem(item) {
    takeItem(this, item);
  }

  openFile() {
    const ends = ['.kif,.kifu,.ki2,.ki2u,.csa,.jkf,.json,.usi,.sfen,.bod,.txt', ...tabEnds(this)];
    pickFile(ends.join(','), (file) => this.takeFiles([file]));
  }

  /** @param {string} format */
  async copy(format) {
    const answer = await this.app.ask('export', exportFields(this, format));
    if (!answer) return;
    const text = String(answer.text);
    if (await copyText(text)) this.app.say(t('copied', { text: text.length > 60 ? `${text.slice(0, 57)}…` : text }));
    else this.open('text', { text });
  }

  screenshot() {
    return this.picture((board) => this.savePicture(board, Number(this.app.get('picture.size'))));
  }

  /** Makes something of the drawing of the board with the names of the players. @param {(board: SVGSVGElement) => any} make */
  async picture(make) {
    const board = this.boardView?.board.element;
    if (!board) return;
    const { black, white } = this.app.tree.info;
    board.classList.toggle('with-names', this.app.get('picture.names') && Boolean(black || white));
    try {
      await make(board);
    } finally {
      board.classList.remove('with-names');
    }
  }

  openSave() {
    this.open('saveGame');
  }

  /** The book's value of a move, or a new move. @param {string} move in USI, empty for one that is to be chosen */
  editBook(move) {
    if (!this.books.current) this.app.say(t('book.none'), 'error');
    else this.open('bookEdit', { move });
  }

  /** A right click on the board: the book's move that ends or begins there, else the position. @param {number} spot */
  contextMenu(spot) {
    const side = this.app.position.side;
    const found = this.books.entry?.moves.find(({ move }) => {
      const parts = parseMove(move);
      return parts && ((isSquare(spot) && parts.to === spot) || spotOf(parts, side) === spot);
    });
    if (this.books.list.length > 0) this.editBook(found?.move ?? '');
  }

  openRegister() {
    this.open('bookRegister', { line: 0, engine: this.research.at()[0]?.engine ?? '' });
  }

  /** @param {string} part */
  openBookPart(part) {
    this.bookPart = part;
    this.openTab('book');
  }
}
