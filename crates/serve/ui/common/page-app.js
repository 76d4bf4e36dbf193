// What the state of every page has: the link, the settings, who listens to changes, and short messages.

import { Link } from './link.js';
import { Settings } from './settings.js';
import { t } from './i18n.js';

/** @typedef {{id: string, text: string, kind: 'info' | 'error'}} Toast */

/** @template {string} Change */
export class PageApp {
  /** @param {import('./settings.js').Values} defaults @param {string[]} own names of the settings of a tab alone */
  constructor(defaults, own) {
    this.link = new Link();
    this.settings = new Settings(defaults, own);
    /** @type {Toast[]} */
    this.toasts = [];
    /** @type {Set<(change: Change | 'settings' | 'view') => void>} */
    this.listeners = new Set();
    /** Calls that wait for the next drawing. @type {(() => void)[]} */
    this.waiting = [];
    this.settings.onChange(() => this.changed('settings'));
    // Of no request: such as why there is no engine.
    this.link.on('error', ({ text }) => this.say(text ?? '', 'error'));
  }

  /** Draws, and then calls: for moving the focus to what the drawing brings. @param {() => void} call */
  afterDrawing(call) {
    this.waiting.push(call);
    this.changed('view');
  }

  /** @param {(change: Change | 'settings' | 'view') => void} listener */
  onChange(listener) {
    this.listeners.add(listener);
  }

  /** @param {Change | 'settings' | 'view'} change */
  changed(change) {
    for (const listener of this.listeners) listener(change);
  }

  /** @param {string} name */
  get(name) {
    return this.settings.get(name);
  }

  /** Shows a short message. @param {string} text @param {'info' | 'error'} [kind] */
  say(text, kind = 'info') {
    const toast = { id: `${Date.now()}-${Math.random()}`, text, kind };
    this.toasts = [...this.toasts.slice(-2), toast];
    this.changed('view');
    setTimeout(
      () => {
        this.toasts = this.toasts.filter((other) => other !== toast);
        this.changed('view');
      },
      kind === 'error' ? 9000 : 3500,
    );
  }

  /** @param {unknown} error */
  sayError(error) {
    const event = /** @type {any} */ (error).event;
    if (event?.why === 'stopped' || event?.why === 'replaced') return;
    this.say(event?.why === 'lost' ? t('link.lost') : String(/** @type {Error} */ (error).message ?? error), 'error');
  }

  /** Asks; an error is shown, and the answer is `null` then. @param {string} op @param {object} [fields] */
  async ask(op, fields = {}) {
    try {
      return await this.link.ask(op, fields);
    } catch (error) {
      this.sayError(error);
      return null;
    }
  }
}
