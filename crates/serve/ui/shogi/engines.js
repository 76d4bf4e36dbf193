// The engines of the back end with their options.

/** @typedef {import('./app.js').App} App */
/** @typedef {{name: string, type: string, default: string, value: string, min?: number, max?: number, choices: string[]}} Option */
/** @typedef {{engine: string, name: string, kind: string, state: string, note: string | null, options: Option[], network?: {file: string, name: string} | null}} Engine */

export class Engines {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {Engine[]} */
    this.list = [];
    app.link.on('engine', (event) => this.take(event.engines));
  }

  async reload() {
    if (this.app.link.can('search')) this.take((await this.app.ask('engines'))?.engines);
  }

  /** @param {Engine[] | undefined} list */
  take(list) {
    this.list = list ?? [];
    this.app.changed('view');
  }

  /** The engines that the research asks: those chosen that are there, else the first. @returns {string[]} */
  get chosen() {
    const wanted = this.app.get('research.engines').filter((/** @type {string} */ name) => this.find(name));
    return wanted.length > 0 ? wanted : this.list.slice(0, 1).map((engine) => engine.engine);
  }

  /** @param {string} name */
  toggle(name) {
    const { chosen } = this;
    const next = chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name];
    this.app.settings.set('research.engines', next);
  }

  /** @param {string} name */
  find(name) {
    return this.list.find((engine) => engine.engine === name);
  }

  /** @param {string} name */
  nameOf(name) {
    return this.find(name)?.name ?? name;
  }

  /** @param {string} engine @param {Record<string, string | null>} options `null` gives the default back, or presses a button */
  async set(engine, options) {
    const answer = await this.app.ask('engine.set', { engine, options });
    if (answer?.engines) this.take(answer.engines);
    return Boolean(answer);
  }

  /** Starts a program, so that its options are known. @param {string} engine */
  async start(engine) {
    const answer = await this.app.ask('engine.start', { engine });
    if (answer?.engines) this.take(answer.engines);
  }

  /** Empties what an engine remembers. @param {string} engine */
  clear(engine) {
    return this.app.ask('engine.clear', { engine });
  }
}
