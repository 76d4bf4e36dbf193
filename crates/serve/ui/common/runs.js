// Runs of long programs that are followed: self-play, learning, matches, books that grow.

/** @typedef {import('./page-app.js').PageApp<any>} App */

/**
 * @typedef {object} Run
 * @property {string} run
 * @property {number} source
 * @property {string} name
 * @property {number | null} job
 * @property {string | null} program
 * @property {string | null} version
 * @property {string | null} command
 * @property {string | null} host
 * @property {number | null} pid
 * @property {number | null} started
 * @property {number | null} seen
 * @property {string} state
 * @property {string | null} stage
 * @property {string | null} done
 * @property {string | null} total
 * @property {string | null} unit
 * @property {number | null} rate
 * @property {number | null} elapsed_s
 * @property {number | null} eta_s
 * @property {string | null} failures
 * @property {string | null} text
 * @property {string | null} output
 */

/** @typedef {{source: number, name: string, kind: string, reading: number | null, lines: string, damaged: string, text: string | null}} Source */
/** @typedef {{book: string, source: number, kind: string, round: string, searched: string, changed: number | null, size: string | null}} GrownBook */

export class Runs {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {Run[]} */
    this.list = [];
    /** @type {Source[]} */
    this.sources = [];
    /** @type {GrownBook[]} */
    this.books = [];
    this.more = false;
    this.loaded = false;
    /** The name of the run that is shown whole. */
    this.chosen = '';
    /** All of it. @type {any} */
    this.detail = null;
    /** @type {import('./link.js').Stream | null} */
    this.stream = null;
    app.link.on('online', () => this.loaded && this.reload());
    app.link.on('runs_changed', (event) => this.take(event));
  }

  get working() {
    return this.list.filter((run) => ['running', 'pausing'].includes(run.state));
  }

  async reload() {
    if (!this.app.link.can('runs')) return;
    this.loaded = true;
    const answer = await this.app.ask('runs');
    if (!answer) return;
    this.list = answer.runs ?? [];
    this.sources = answer.sources ?? [];
    this.books = answer.books ?? [];
    this.more = answer.more ?? false;
    this.app.changed('runs');
    if (this.chosen) await this.ask();
  }

  /** @param {any} event */
  take(event) {
    if (!this.loaded) return;
    this.list = merge(this.list, event.runs ?? [], (run) => run.run).filter(
      (run) => !(event.gone ?? []).includes(run.run),
    );
    this.sources = merge(this.sources, event.sources ?? [], (source) => String(source.source));
    this.books = merge(this.books, event.books ?? [], (book) => `${book.source} ${book.book}`);
    this.app.changed('runs');
    const changed = (event.runs ?? []).some((/** @type {Run} */ run) => run.run === this.chosen);
    if (changed && !this.stream) this.ask();
  }

  /** Shows all of a run, or the list alone again. @param {string} run */
  async choose(run) {
    this.chosen = run;
    this.detail = null;
    this.app.changed('view');
    if (run) await this.ask();
  }

  async ask() {
    const { app, chosen } = this;
    const replaces = this.stream ? { replaces: this.stream.id } : {};
    const stream = app.link.request('run', { run: chosen, ...replaces }, (event) => {
      if (event.ev === 'run' && this.chosen === chosen) this.detail = event;
    });
    this.stream = stream;
    const end = await stream.done;
    if (this.stream === stream) this.stream = null;
    if (end.why === 'error') app.say(end.text ?? '', 'error');
    app.changed('view');
  }
}

/** A list with what changed of it; what is new stands first. @template T @param {T[]} old @param {T[]} changed @param {(one: T) => string} key @returns {T[]} */
export function merge(old, changed, key) {
  const news = new Map(changed.map((one) => [key(one), one]));
  const kept = old.map((one) => {
    const next = news.get(key(one));
    news.delete(key(one));
    return next ? { ...one, ...next } : one;
  });
  return [...news.values(), ...kept];
}
