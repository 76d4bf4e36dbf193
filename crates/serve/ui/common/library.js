// The library of games: pages of a folder, a choice of several games, and what can be done with them.

import { t } from './i18n.js';

/** @typedef {import('./page-app.js').PageApp<any>} App */

/** @typedef {{game: string, folder: string, date: string, black: string, white: string, event: string, [field: string]: any}} Entry */

/** The folder of what was thrown away. */
export const TRASH = '.trash';

export class Library {
  /** @param {App} app @param {string} place the name of the field of a search that holds a position */
  constructor(app, place) {
    this.app = app;
    this.place = place;
    this.folder = '';
    /** @type {string[]} */
    this.folders = [];
    /** @type {Entry[]} */
    this.games = [];
    this.page = 0;
    this.pages = 1;
    this.total = 0;
    this.search = {
      text: '',
      player: '',
      years: /** @type {[number, number] | null} */ (null),
      opening: '',
      /** A position as the messages have it. */
      here: /** @type {string | null} */ (null),
    };
    /** Chosen games by their key. @type {Set<string>} */
    this.chosen = new Set();
    this.anchor = -1;
    /** Games that were cut or copied, to be pasted into another folder. @type {{op: 'library.move' | 'library.copy', games: Entry[]} | null} */
    this.cut = null;
    /** True in a file of several games. */
    this.readOnly = false;
    /** Files that cannot be read, the first of them. @type {{name: string, error: string}[]} */
    this.damaged = [];
    this.damagedTotal = 0;
    this.trash = false;
    /** How far the index for searches is. @type {{done: number, total: number} | null} */
    this.indexing = null;
    /** The game that the tree was loaded from or saved as. @type {{tree: object, folder: string, game: string} | null} */
    this.source = null;
    this.loaded = false;
    // Not before somebody has looked at the library.
    app.link.on('library_changed', () => this.loaded && this.list({ page: this.page }));
    app.link.on('library_progress', (event) => {
      this.indexing = event.total ? { done: event.done, total: event.total } : null;
      this.app.changed('view');
    });
  }

  /** @param {Entry} entry */
  static key(entry) {
    return `${entry.folder}/${entry.game}`;
  }

  get searching() {
    const { text, player, years, opening, here } = this.search;
    return Boolean(text || player || years || opening || here);
  }

  /** @returns {Promise<void>} */
  async list({ folder = this.folder, page = 0 } = {}) {
    if (!this.app.link.can('library')) return;
    this.loaded = true;
    const { text, player, years, opening, here } = this.search;
    const search = {
      ...(text ? { text } : {}),
      ...(player ? { player } : {}),
      ...(years ? { years } : {}),
      ...(opening ? { opening } : {}),
      ...(here ? { [this.place]: here } : {}),
    };
    try {
      const answer = await this.app.link.ask('library.list', { folder, page, ...(this.searching ? { search } : {}) });
      // The last page may be gone.
      if (page > 0 && page >= answer.pages) return this.list({ folder, page: answer.pages - 1 });
      if (folder !== this.folder) this.chosen.clear();
      Object.assign(this, {
        folder,
        folders: answer.folders ?? [],
        games: answer.games ?? [],
        page: answer.page ?? 0,
        pages: answer.pages ?? 1,
        total: answer.total ?? 0,
        readOnly: answer.read_only ?? false,
        damaged: answer.damaged ?? [],
        damagedTotal: answer.damaged_total ?? 0,
        trash: answer.trash ?? false,
        indexing: answer.indexing ?? null,
      });
    } catch (error) {
      this.app.sayError(error);
    }
    this.app.changed('view');
  }

  /** Chooses as lists do: one, with Ctrl one more or less, with Shift up to here. @param {number} index @param {{ctrlKey: boolean, metaKey: boolean, shiftKey: boolean}} keys */
  choose(index, keys) {
    const key = Library.key(this.games[index]);
    if (keys.shiftKey && this.anchor >= 0) {
      const [from, to] = [Math.min(this.anchor, index), Math.max(this.anchor, index)];
      this.chosen = new Set(this.games.slice(from, to + 1).map(Library.key));
    } else if (keys.ctrlKey || keys.metaKey) {
      if (!this.chosen.delete(key)) this.chosen.add(key);
      this.anchor = index;
    } else {
      this.chosen = new Set([key]);
      this.anchor = index;
    }
    this.app.changed('view');
  }

  get chosenGames() {
    return this.games.filter((entry) => this.chosen.has(Library.key(entry)));
  }

  /** @param {Entry} entry */
  get(entry) {
    return this.app.link.ask('library.get', { folder: entry.folder, game: entry.game });
  }

  /** The game that a tree was loaded from. @param {object} tree */
  sourceOf(tree) {
    if (this.source?.tree !== tree) return null;
    return { folder: this.source.folder, game: this.source.game };
  }

  /**
   * Saves a game in the folder that is shown. What only its file knows comes along if the tree was loaded from the library.
   * @param {object} record @param {object | null} [tree]
   */
  async put(record, tree = null) {
    const from = tree && this.sourceOf(tree);
    const folder = this.readOnly || this.inTrash ? '' : this.folder;
    const saved = await this.app.link.ask('library.put', { folder, record, ...(from ? { from } : {}) });
    if (tree) this.source = { tree, folder: saved.folder, game: saved.game };
    return saved;
  }

  /** Saves a game over the one that it was loaded from, whose name may be another one then. @param {object} record @param {object} tree */
  async replace(record, tree) {
    const saved = await this.app.link.ask('library.put', { ...this.sourceOf(tree), record });
    this.source = { tree, folder: saved.folder, game: saved.game };
    return saved;
  }

  get inTrash() {
    return this.folder.split('/')[0] === TRASH;
  }

  /** @param {'library.move' | 'library.copy'} op */
  cutChosen(op = 'library.move') {
    this.cut = { op, games: this.chosenGames };
    this.app.changed('view');
  }

  async pasteCut() {
    const { cut } = this;
    if (!cut) return;
    this.cut = null;
    await this.tellAll(cut.op, cut.games, { to: this.folder });
  }

  async trashChosen() {
    const games = this.chosenGames;
    this.chosen.clear();
    if (await this.tellAll('library.trash', games)) this.app.say(t('games.trashed', { n: games.length }));
  }

  /** Does something with games of any folders. @param {string} op @param {Entry[]} games @param {object} [fields] */
  async tellAll(op, games, fields = {}) {
    for (const folder of new Set(games.map((entry) => entry.folder))) {
      const names = games.filter((entry) => entry.folder === folder).map((entry) => entry.game);
      if (!(await this.tell(op, { folder, games: names, ...fields }))) return false;
    }
    return true;
  }

  /** @param {string} name */
  newFolder(name) {
    return this.tell('library.folder', { folder: this.folder ? `${this.folder}/${name}` : name });
  }

  /** @param {string} root @param {string} path */
  async importFile(root, path) {
    const done = await this.tell('library.import', { folder: this.folder, root, path });
    if (!done) return;
    const archives = done.archives.length;
    this.app.say(
      done.failed > 0
        ? t('games.importedSome', {
            n: done.games,
            archives,
            failed: done.failed,
            error: done.failures[0]?.error ?? '',
          })
        : t('games.imported', { n: done.games, archives }),
    );
  }

  /** Asks for a change; all pages are told of it. @param {string} op @param {object} fields */
  async tell(op, fields) {
    try {
      return await this.app.link.ask(op, fields);
    } catch (error) {
      this.app.sayError(error);
      return null;
    }
  }
}
