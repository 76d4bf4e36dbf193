// The user's settings: defaults with the changes over them, kept by the back end in one JSON object. Some are of this tab
// alone.

/** @typedef {Record<string, any>} Values */

export class Settings {
  /** @param {Values} defaults @param {string[]} [own] names of the settings of this tab alone */
  constructor(defaults, own = []) {
    this.defaults = defaults;
    /** @type {Values} */
    this.own = Object.fromEntries(own.map((name) => [name, defaults[name]]));
    /** Called when a setting of the tab has changed. @type {((own: Values) => void) | null} */
    this.keepOwn = null;
    /** @type {Values} */
    this.changes = {};
    /** @type {Set<(name: string) => void>} */
    this.listeners = new Set();
    /** Writes the changes where they are kept. @type {((changes: Values) => void) | null} */
    this.save = null;
    this.timer = 0;
  }

  /** @param {string} name @returns {any} */
  get(name) {
    if (name in this.own) return this.own[name];
    return name in this.changes ? this.changes[name] : this.defaults[name];
  }

  /** @param {string} name @param {any} value */
  set(name, value) {
    if (this.get(name) === value) return;
    if (name in this.own) {
      this.own[name] = value;
      this.keepOwn?.(this.own);
      for (const listener of this.listeners) listener(name);
      return;
    }
    if (JSON.stringify(value) === JSON.stringify(this.defaults[name])) delete this.changes[name];
    else this.changes[name] = value;
    this.changed(name);
  }

  /** @param {string} name */
  toggle(name) {
    this.set(name, !this.get(name));
  }

  /** Takes all changes from elsewhere, for example from the back end or a file. @param {any} changes */
  replace(changes, { save = true } = {}) {
    this.changes = changes && typeof changes === 'object' && !Array.isArray(changes) ? { ...changes } : {};
    for (const listener of this.listeners) listener('*');
    if (save) this.store();
  }

  /** @param {(name: string) => void} listener */
  onChange(listener) {
    this.listeners.add(listener);
  }

  /** @param {string} name */
  changed(name) {
    for (const listener of this.listeners) listener(name);
    this.store();
  }

  store() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save?.(this.changes), 300);
  }
}
