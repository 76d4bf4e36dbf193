// What the functions do: the hub between the table of functions, the models and the dialogs.

import { copyText, download, readText, stamp } from '../common/clipboard.js';
import { PageActions, pickFile } from '../common/page-actions.js';
import { isForTab, takeTabFiles } from '../common/tab-files.js';
import { t } from '../common/i18n.js';
import { flips, squareName, squareOf } from './rules.js';
import { bitboards, boardText, transcript } from './notation.js';
import { fromGame, fromLine, lineFields } from './game-json.js';
import { fromJson, toJson } from './tree-file.js';
import { GameTree } from './tree.js';
import { parseForced, pickByWeight } from './forced.js';
import { FUNCTIONS, KEY_SETS, MENUS } from './functions.js';
import { PROFILE_PREFIXES } from './defaults.js';
import { PALETTES } from './themes.js';

/** @typedef {import('./app.js').App} App */

/** @type {import('../common/page-actions.js').Table} */
const TABLE = {
  name: 'othello',
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
   * @param {import('./hints.js').Hints} models.hints
   * @param {import('./players.js').Players} models.players
   * @param {import('./analysis.js').Analysis} models.analysis
   * @param {import('./books.js').Books} models.books
   * @param {import('./practice.js').Practice} models.practice
   * @param {import('../common/jobs.js').Jobs} models.jobs
   * @param {import('../common/library.js').Library} models.library
   * @param {import('../common/runs.js').Runs} models.runs
   */
  constructor(app, { hints, players, analysis, books, practice, jobs, library, runs }) {
    super(app, TABLE);
    this.hints = hints;
    this.players = players;
    this.analysis = analysis;
    this.books = books;
    this.practice = practice;
    this.jobs = jobs;
    this.library = library;
    this.runs = runs;
    this.section = 'ai';
    /** @type {import('./board-view.js').BoardView | null} */
    this.boardView = null;
  }

  /** @param {string} _id @param {boolean} down */
  hold(_id, down) {
    this.hints.hold(down);
  }

  /** @param {boolean} black @param {boolean} white */
  newGame(black, white) {
    this.players.newGame(black, white);
    this.app.load(new GameTree());
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
    await this.analysis.start();
  }

  /** @param {number} step */
  level(step) {
    const { app } = this;
    app.settings.set('ai.level', Math.min(60, Math.max(1, app.get('ai.level') + step)));
    app.say(t('ai.levelIs', { n: app.get('ai.level') }));
  }

  saveBranch() {
    this.app.tree.promote();
    this.app.moved();
    this.app.say(t('tree.promoted'));
  }

  /** @param {number} step */
  sibling(step) {
    this.app.walk((tree) => {
      const siblings = tree.current.parent?.children ?? [];
      const next = siblings[siblings.indexOf(tree.current) + step];
      if (next) tree.current = next;
    });
  }

  async randomBoard() {
    const { app } = this;
    const range = app.get('random.range');
    try {
      const answer = await app.link.ask('random', {
        plies: app.get('random.plies'),
        ...(app.get('random.any') ? {} : { black_value: [-range, range] }),
      });
      this.showFrom(answer.moves);
    } catch (error) {
      app.sayError(error);
    }
  }

  /** Begins with a line of the user's list, chosen by weight. */
  startFromList() {
    const { openings } = parseForced(this.app.get('ai.forced'));
    const chosen = pickByWeight(openings, Math.random());
    if (!chosen) {
      this.app.say(t('listStart.empty'), 'error');
      this.openSettings('ai');
      return;
    }
    this.showFrom(chosen.moves);
  }

  /** Shows another game; who plays waits. @param {GameTree} tree */
  show(tree) {
    this.players.pause();
    this.app.load(tree);
  }

  /** Shows the position after moves that were made by chance. @param {string[]} moves */
  showFrom(moves) {
    const tree = fromLine(undefined, moves);
    tree.randomUntil = tree.position.ply;
    this.show(tree);
  }

  /** Keeps the engine's best line as a branch of the game. */
  addBestLine() {
    const [best] = this.hints.moves;
    if (!best) return;
    this.app.tree.add(best.pv.map(squareOf).filter((square) => square >= 0));
    this.app.moved();
    this.app.say(t('tree.added', { line: best.pv.join(' ') }));
  }

  /** @param {import('./transforms.js').Transform} name */
  transform(name) {
    this.app.hover = -1;
    this.app.load(this.app.tree.transformed(name));
  }

  get busy() {
    return this.hints.running || this.players.thinking || this.analysis.running;
  }

  stopAll() {
    this.analysis.stop();
    if (this.players.thinking) this.players.pause();
    this.hints.halt();
  }

  resumeAll() {
    this.hints.resume();
  }

  async clearCache() {
    try {
      await this.app.link.ask('engine.clear');
      this.app.say(t('ai.cleared'));
    } catch (error) {
      this.app.sayError(error);
    }
  }

  /** Takes the clipboard's text; a text box where the browser does not give it. */
  async paste() {
    const text = await readText();
    if (text) await this.importText(text);
    else this.open('import');
  }

  /** Reads any text; what is unclear is shown in the text box. @param {string} text */
  async importText(text) {
    const { app } = this;
    if (this.takeTree(text)) return;
    try {
      const answer = await app.link.ask('import', { text, line: lineFields(app.tree) });
      if (answer.items.length === 1 && answer.items[0].alternatives.length === 0) this.takeItem(answer.items[0]);
      else this.open('import', { text, answer });
    } catch (error) {
      app.sayError(error);
      this.open('import', { text });
    }
  }

  /** @param {string} text @returns {boolean} whether it is a tree of this page */
  takeTree(text) {
    if (!text.includes('"othello-tree"')) return false;
    try {
      this.show(fromJson(JSON.parse(text)));
      this.recognised('tree');
      return true;
    } catch (error) {
      this.app.sayError(error);
      return true;
    }
  }

  /** Shows what was read. @param {any} item @param {string} [board] another board that the text may mean */
  takeItem(item, board) {
    const tree = board
      ? fromLine(board, [])
      : item.game?.nodes?.length > 1
        ? fromGame(item.game)
        : fromLine(item.board, item.moves ?? []);
    tree.last();
    this.show(tree);
    this.recognised(item.kind);
    this.close();
  }

  /** Says what a text was taken for. @param {string} kind */
  recognised(kind) {
    this.app.say(t('import.recognised', { kind: t(`kind.${kind}`) }));
  }

  openFile() {
    pickFile('*', (file) => this.takeFiles([file]));
  }

  /** Takes files that were dropped or chosen: weights and books for the engine of a tab; of others the first one as text. @param {File[]} files */
  async takeFiles(files) {
    const [text] = files.filter((file) => !isForTab(this, file));
    await takeTabFiles(
      this,
      files.filter((file) => isForTab(this, file)),
    );
    if (text) await this.importText(await text.text());
  }

  /** @param {'transcript' | 'mainLine' | 'board' | 'mover' | 'blackWhite'} what */
  async copy(what) {
    const { app } = this;
    const texts = {
      transcript: () => transcript(app.tree.moves()),
      mainLine: () =>
        transcript(
          app.tree
            .line()
            .slice(1)
            .map((node) => node.move),
        ),
      board: () => boardText(app.position),
      mover: () => bitboards(app.position, 'mover'),
      blackWhite: () => bitboards(app.position, 'black'),
    };
    const text = texts[what]();
    if (await copyText(text))
      app.say(t('copied', { text: text.length > 60 ? `${text.slice(0, 57)}…` : text || t('copied.nothing') }));
    else this.open('text', { text });
  }

  async screenshot() {
    const { app, boardView } = this;
    if (boardView) await this.savePicture(boardView.board.element, Number(app.get('picture.size')));
  }

  openSave() {
    this.open('saveGame');
  }

  saveTree() {
    download(JSON.stringify(toJson(this.app.tree), null, 1), `${stamp()}.tree.json`, 'application/json');
  }

  /** @param {number} square */
  editBook(square) {
    const { app } = this;
    if (!this.books.current) {
      app.say(t('book.none'), 'error');
    } else if (square >= 0 && flips(app.position.cells, app.position.side, square).length > 0) {
      this.open('bookEdit', { square, name: squareName(square) });
    } else {
      this.open('bookEdit', { square: -1, name: t('book.thisPosition') });
    }
  }

  /** @param {string} kind */
  openJob(kind) {
    this.open('job', { kind });
  }
}
