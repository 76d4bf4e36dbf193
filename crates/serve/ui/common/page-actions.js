// What the functions of every page stand on: the table of functions with its keys, the dialog, the tabs, settings as a file.

import { copyPicture, download, stamp } from './clipboard.js';
import { pngBlob } from './picture.js';
import { merged } from './shortcuts.js';
import { t } from './i18n.js';

/** @typedef {import('./dialogs.js').Content} Content */

/**
 * @typedef {object} Fn
 * @property {string} id its text is `fn.ID`
 * @property {string} menu
 * @property {string[]} keys
 * @property {string[]} [manual] keys of the other set, where they differ
 * @property {(actions: any) => any} run
 * @property {(actions: any) => boolean} [on] for a switch: whether it is on
 * @property {(actions: any) => boolean} [can] whether it can be used now
 * @property {string} [cap] what the back end must be able to do
 * @property {boolean} [hold] works while its key is held
 */

/**
 * What a page is made of.
 * @typedef {object} Table
 * @property {string} name of the page, in its files
 * @property {Fn[]} functions
 * @property {string[]} menus
 * @property {string[]} keySets names of the sets of default keys
 * @property {Record<string, string[]>} profiles which settings a profile holds: those that begin so
 * @property {string[]} palettes
 * @property {() => Promise<Record<string, (actions: any, data: any) => Content>>} loadDialogs
 */

export const THEMES = ['auto', 'light', 'dark', 'contrast'];

/** @template {import('./page-app.js').PageApp<any>} A */
export class PageActions {
  /** @param {A} app @param {Table} table */
  constructor(app, table) {
    this.app = app;
    this.table = table;
    /** The open dialog. @type {{name: string, data: any} | null} */
    this.dialog = null;
    /** The part of the settings that is shown. */
    this.section = '';
    this.byId = new Map(table.functions.map((fn) => [fn.id, fn]));
    /** The keys as they were asked for last. @type {{set: string, changes: object, keys: import('./shortcuts.js').Table} | null} */
    this.known = null;
  }

  /** @param {string} id */
  functionById(id) {
    return this.byId.get(id);
  }

  /** Whether the back end can do what a function needs. @param {Fn} fn */
  offered(fn) {
    return !fn.cap || this.app.link.can(fn.cap);
  }

  /** @param {Fn} fn */
  usable(fn) {
    return this.offered(fn) && (fn.can ? fn.can(this) : true);
  }

  /** The default keys of a set. @param {string} set @returns {import('./shortcuts.js').Table} */
  defaultKeys(set) {
    return Object.fromEntries(
      this.table.functions.map((fn) => [fn.id, set === 'manual' ? (fn.manual ?? fn.keys) : fn.keys]),
    );
  }

  /** The keys of all functions; made anew only when the settings have others. */
  get keys() {
    const set = this.app.get('keys.set');
    const changes = this.app.get('keys.changes');
    const { known } = this;
    if (known !== null && known.set === set && known.changes === changes) return known.keys;
    const keys = merged(this.defaultKeys(set), changes);
    this.known = { set, changes, keys };
    return keys;
  }

  /** Calls a function by its id. @param {string} id @returns {boolean} whether there is such a function and it can be used */
  run(id) {
    const fn = this.functionById(id);
    if (!fn || !this.usable(fn)) return false;
    fn.run(this);
    this.app.changed('view');
    return true;
  }

  /** What is shown only while a key is held. @param {string} _id @param {boolean} _down */
  hold(_id, _down) {}

  /** A key went down: a function that works while it is held begins. @param {string} id */
  runByKey(id) {
    if (this.functionById(id)?.hold) {
      this.hold(id, true);
      return true;
    }
    return this.run(id);
  }

  /** @param {string} id */
  releaseKey(id) {
    if (this.functionById(id)?.hold) this.hold(id, false);
  }

  /** @param {string} name @param {any} [data] */
  open(name, data = {}) {
    this.dialog = { name, data };
    this.app.changed('view');
  }

  close() {
    this.dialog = null;
    this.app.changed('view');
  }

  /** @param {string} name */
  openTab(name) {
    this.app.settings.set('tab', name);
    this.app.changed('view');
  }

  /** @param {string} section */
  openSettings(section) {
    this.section = section;
    this.openTab('settings');
  }

  nextTheme() {
    this.app.settings.set('theme', THEMES[(THEMES.indexOf(this.app.get('theme')) + 1) % THEMES.length]);
  }

  nextPalette() {
    const { palettes } = this.table;
    this.app.settings.set('palette', palettes[(palettes.indexOf(this.app.get('palette')) + 1) % palettes.length]);
  }

  /** Copies and saves a drawing as PNG. @param {SVGSVGElement} element @param {number} width in pixels */
  async savePicture(element, width) {
    try {
      const png = await pngBlob(element, width);
      const copied = await copyPicture(png);
      download(png, `${stamp()}.png`);
      this.app.say(t(copied ? 'picture.copied' : 'picture.saved'));
    } catch (error) {
      this.app.sayError(error);
    }
  }

  exportSettings() {
    const format = `${this.table.name}-settings`;
    const content = { format, version: 1, settings: this.app.settings.changes };
    download(JSON.stringify(content, null, 1), `${format}.json`, 'application/json');
  }

  importSettings() {
    pickFile('.json,application/json', async (file) => {
      try {
        const content = JSON.parse(await file.text());
        if (content.format !== `${this.table.name}-settings`) throw new Error(t('settings.notSettings'));
        this.app.settings.replace(content.settings);
        this.app.say(t('settings.imported'));
      } catch (error) {
        this.app.sayError(error);
      }
    });
  }

  /** Functions that can be shown as buttons. */
  get buttonFunctions() {
    return this.table.functions.filter((fn) => this.offered(fn));
  }
}

/** Asks for a file of this computer. @param {string} accept @param {(file: File) => void} take */
export function pickFile(accept, take) {
  const input = document.createElement('input');
  input.type = 'file';
  input.accept = accept;
  input.onchange = () => {
    const file = input.files?.[0];
    if (file) take(file);
  };
  input.click();
}
