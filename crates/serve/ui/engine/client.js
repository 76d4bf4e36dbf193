// The engine for scripts of any page: requests of docs/page-protocol.md (othello) and docs/shogi-protocol.md, answered in a worker of the tab.

import { Link } from '../common/link.js';
import { connectEngine } from './link.js';

/** @typedef {import('../common/link.js').Event} Event */
/** @typedef {import('../common/link.js').Stream} Stream */

/**
 * @typedef {object} EngineOptions
 * @property {'shogi' | 'othello'} game
 * @property {string} [base] address of the folder with the modules; by default that of this script
 * @property {number} [threads] threads that search; more than one needs a page that is isolated from others (`crossOriginIsolated`)
 * @property {number} [hashMib] memory of the transposition table
 * @property {boolean} [jspi] false: a search is ended with its worker also where it could be suspended
 */

/** An engine that runs. */
export class Engine {
  /** @param {EngineOptions} options */
  constructor({ game, base = new URL('./', import.meta.url).href, threads = 1, hashMib = 32, jspi = true }) {
    this.link = new Link();
    /** Resolves when the engine answers; rejects when it cannot run here. @type {Promise<void>} */
    this.ready = new Promise((resolve, reject) => {
      this.link.on('error', (event) => reject(new Error(event.text)));
      this.link.on('hello', () => resolve());
    });
    this.back = connectEngine(this.link, { module: game, base, threads, hashMib, jspi });
  }

  /**
   * A request with one answer, such as `await engine.ask('position', { moves: ['7g7f'] })`; rejects with the reason where there is none.
   * @param {string} op @param {object} [fields] @returns {Promise<Event>}
   */
  async ask(op, fields = {}) {
    await this.ready;
    return this.link.ask(op, fields);
  }

  /**
   * A request with many answers. The stream has `stop()` and the promise `done`.
   * @param {string} op @param {object} fields @param {(event: Event) => void} onEvent @returns {Stream}
   */
  request(op, fields, onEvent) {
    return this.link.request(op, fields, onEvent, { keep: true });
  }

  /** Ends the engine and frees its memory. */
  close() {
    this.back.close();
    this.link.closed();
  }
}
