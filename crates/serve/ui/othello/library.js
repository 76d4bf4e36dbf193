// The library of games: pages of a folder, a choice of several games, and what can be done with them.

import { t } from '../common/i18n.js';

/** @typedef {import('./app.js').App} App */

/** @typedef {{game: string, folder: string, date: string, black: string, white: string, memo: string, black_discs: number | null, white_discs: number | null}} Entry */

export class Library {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
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
      board: /** @type {string | null} */ (null),
    };
    /** Chosen games by their key. @type {Set<string>} */
    this.chosen = new Set();
    this.anchor = -1;
    /** Games that were cut, to be pasted into another folder. @type {{folder: string, games: string[]} | null} */
    this.cut = null;
    this.loaded = false;
    app.link.on('library_changed', () => this.list());
  }

  /** @param {Entry} entry */
  static key(entry) {
    return `${entry.folder}/${entry.game}`;
  }

  get searching() {
    const { text, player, years, opening, board } = this.search;
    return Boolean(text || player || years || opening || board);
  }

  async list({ folder = this.folder, page = 0 } = {}) {
    if (!this.app.link.can('library')) return;
    this.loaded = true;
    const { text, player, years, opening, board } = this.search;
    const search = {
      ...(text ? { text } : {}),
      ...(player ? { player } : {}),
      ...(years ? { years } : {}),
      ...(opening ? { opening } : {}),
      ...(board ? { board } : {}),
    };
    try {
      const answer = await this.app.link.ask('library.list', { folder, page, ...(this.searching ? { search } : {}) });
      if (folder !== this.folder) this.chosen.clear();
      Object.assign(this, {
        folder,
        folders: answer.folders ?? [],
        games: answer.games ?? [],
        page: answer.page ?? 0,
        pages: answer.pages ?? 1,
        total: answer.total ?? 0,
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

  /** @param {object} record @param {string | null} [game] */
  put(record, game = null) {
    return this.app.link.ask('library.put', { folder: this.folder, game, record });
  }

  cutChosen() {
    this.cut = { folder: this.folder, games: this.chosenGames.map((entry) => entry.game) };
    this.app.changed('view');
  }

  async pasteCut() {
    const { cut } = this;
    if (!cut || cut.folder === this.folder) return;
    this.cut = null;
    await this.tell('library.move', { folder: cut.folder, games: cut.games, to: this.folder });
  }

  async trashChosen() {
    const games = this.chosenGames;
    for (const folder of new Set(games.map((entry) => entry.folder))) {
      await this.tell('library.trash', {
        folder,
        games: games.filter((entry) => entry.folder === folder).map((entry) => entry.game),
      });
    }
    this.chosen.clear();
    this.app.say(t('games.trashed', { n: games.length }));
  }

  /** @param {string} name */
  newFolder(name) {
    return this.tell('library.folder', { folder: this.folder ? `${this.folder}/${name}` : name });
  }

  /** @param {string} root @param {string} path */
  importFile(root, path) {
    return this.tell('library.import', { folder: this.folder, root, path });
  }

  /** @param {string} op @param {object} fields */
  async tell(op, fields) {
    try {
      await this.app.link.ask(op, fields);
    } catch (error) {
      this.app.sayError(error);
    }
    await this.list({ page: this.page });
  }
}
