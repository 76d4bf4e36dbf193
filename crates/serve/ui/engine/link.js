// An engine in a worker of this tab as the transport of a Link: a page that needs no server.

import { engineModule, workerUrl } from '../common/engine-files.js';
import { withDecodedText } from './encodings.js';
import { KeptFiles } from './kept-files.js';

/** @typedef {import('../common/link.js').Link} Link */
/** @typedef {import('../common/link.js').Event} Event */
/** @typedef {{id?: number, op: string, replaces?: number, [field: string]: any}} Message */

/** Operations that any module can answer, as they need nothing but the request. */
const STATELESS = new Set(['position', 'check_position', 'import', 'export', 'openings', 'opening', 'levels']);
/** Operations that change what later ones do, with the field that tells them apart: done again in a new worker. */
const LASTING = new Set(['engine.set', 'engine.load']);
/** Operations that change the shelf of books: done again in a new worker, in their order. */
const SHELVING = new Set(['book.open', 'book.close', 'book.engine', 'book.move']);
/** Those that change a book until it is saved. */
const EDITING = new Set(['book.edit', 'book.register', 'book.undo', 'book.redo']);
/** Those after which a book is its file again. */
const SETTLING = new Set(['book.save', 'book.discard']);

/** Milliseconds between two states of a stream that the page is told. */
const STATES_MS = 50;

/** Where the page's settings are kept. */
const SETTINGS = 'yaneura.settings';

/** Numbers of requests that a new worker is told first, from here on: no page counts so far. */
const REPEATED = 2 ** 50;

/** Starts that may fail one after the other. */
const MOST_FAILURES = 3;

/** Stack of a thread that helps a search. */
const STACK_BYTES = 4 << 20;

/** Pages of 64 KiB that memory of several threads has at first (the module asks for no more), and at most: 1 GiB. */
const FIRST_PAGES = 512;
const MOST_PAGES = 16384;

/** @typedef {{module: string, base: string, threads: number, hashMib: number, jspi?: boolean}} EngineSetup */

/**
 * Starts an engine and keeps it running.
 * @param {Link} link
 * @param {EngineSetup} setup
 */
export function connectEngine(link, setup) {
  const back = new EngineBackEnd(setup, (text) => link.receive(text));
  link.opened((text) => back.send(text));
  link.files = back.pageFiles();
  document.addEventListener('visibilitychange', () => {
    if (link.online) link.send({ op: 'visible', on: !document.hidden });
  });
  back.start();
  return back;
}

/** A worker with a module. */
class Worked {
  /** @param {(text: string, isState: boolean) => void} onText @param {(note: any) => void} onNote */
  constructor(onText, onNote) {
    this.worker = new Worker(workerUrl());
    this.worker.onmessage = ({ data }) => {
      if (typeof data === 'string') onText(data, false);
      else if (Array.isArray(data)) onText(data[0], true);
      else onNote(data);
    };
    this.worker.onerror = (event) => {
      event.preventDefault();
      onNote({ failed: event.message || 'the worker could not be started' });
    };
  }

  end() {
    this.worker.onmessage = null;
    this.worker.onerror = null;
    this.worker.terminate();
  }
}

/** Memory that several threads share. */
function sharedMemory() {
  return new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: MOST_PAGES, shared: true });
}

export class EngineBackEnd {
  /** @param {EngineSetup} setup @param {(text: string) => void} receive */
  constructor(setup, receive) {
    this.setup = setup;
    this.receive = receive;
    /** Requests that are not done, in their order. @type {Map<number, Message>} */
    this.live = new Map();
    /** Requests that the page stopped, and why. @type {Map<number, 'stopped' | 'replaced'>} */
    this.ending = new Map();
    /** What a new worker has to be told first. @type {Map<string, Message>} */
    this.lasting = new Map();
    /** What was done to books since they were opened. @type {Message[]} */
    this.shelf = [];
    /** The files that the browser keeps. */
    this.files = new KeptFiles(setup.module);
    /** The files that the module has, or is to get when it is there. @type {Map<string, Blob>} */
    this.given = new Map();
    /** Who waits until the module has a file. @type {Map<string, (refused?: string) => void>} */
    this.giving = new Map();
    /** The search that cannot be interrupted, or 0. */
    this.running = 0;
    /** @type {Worked | null} */
    this.main = null;
    /** For stateless requests while the other is busy. @type {Worked | null} */
    this.second = null;
    /** Texts for the second worker until it is ready. @type {string[] | null} */
    this.early = null;
    /** @type {{module: WebAssembly.Module, threads: number, build: string} | null} */
    this.loaded = null;
    /** The memory of a module with threads. @type {WebAssembly.Memory | undefined} */
    this.memory = undefined;
    /** Where the flag is in it that ends the search that runs. */
    this.flag = 0;
    /** @type {Worked[]} */
    this.helpers = [];
    /** States that wait to be told. @type {Map<string, Event>} */
    this.states = new Map();
    /** @type {ReturnType<typeof setTimeout> | null} */
    this.timer = null;
    this.visible = !document.hidden;
    /** Whether the module has said hello since its worker was started: before that nothing is sent, so that all comes in order. */
    this.isUp = false;
    /** Starts that failed since the last answer. */
    this.failures = 0;
    this.greeted = false;
    /** Why there is no engine, and none will be. */
    this.without = '';
  }

  async start() {
    try {
      this.loaded ??= await engineModule(this.setup);
    } catch (error) {
      this.giveUp(String(/** @type {Error} */ (error).message ?? error));
      return;
    }
    this.startMain();
  }

  /** There is no engine: the page has its board without one. @param {string} text why */
  giveUp(text) {
    this.without = text;
    this.tell({ ev: 'error', text });
    if (this.greeted) return;
    this.greeted = true;
    this.tell({ ev: 'hello', proto: 1, build: '', caps: ['settings'], tab: 1 });
  }

  startMain() {
    const { module, threads, build } = /** @type {NonNullable<EngineBackEnd['loaded']>} */ (this.loaded);
    this.running = 0;
    this.isUp = false;
    this.memory = threads > 1 ? sharedMemory() : undefined;
    this.main = new Worked(
      (text, isState) => this.hear(text, isState),
      (note) => this.note(note),
    );
    const post = (/** @type {object} */ message) => this.main?.worker.postMessage(message);
    post({
      module,
      memory: this.memory,
      origin: performance.timeOrigin,
      jspi: this.setup.jspi ?? true,
      setup: { threads, hash_mib: this.setup.hashMib, seed: Math.floor(Math.random() * 2 ** 48), build },
    });
    for (const [file, blob] of this.given) post({ file, blob });
    for (let helper = 1; helper < threads; helper++) post({ helperSpace: STACK_BYTES });
  }

  /** Starts a thread that helps searches. @param {{stack: number, tls: number}} helper */
  startHelper(helper) {
    const worked = new Worked(
      () => {},
      (note) => note.failed && this.failed(note.failed),
    );
    this.helpers.push(worked);
    const module = this.loaded?.module;
    worked.worker.postMessage({ module, memory: this.memory, origin: performance.timeOrigin, jspi: false, helper });
  }

  /** Ends all workers. */
  close() {
    for (const worked of [this.main, this.second, ...this.helpers.splice(0)]) worked?.end();
    this.main = null;
    this.second = null;
  }

  /** A message of the page. @param {string} text */
  send(text) {
    /** @type {Message} */
    const message = withDecodedText(JSON.parse(text));
    const { op, id } = message;
    if (op === 'visible') this.visible = message.on;
    if (op === 'stop') this.stop(message.id ?? 0, 'stopped');
    else if (op === 'settings.get' || op === 'settings.put') this.settings(message);
    else if (id === undefined) this.post(message);
    else {
      if (message.replaces) this.stop(message.replaces, 'replaced');
      const file = neededFile(message);
      if (file !== null && !this.given.has(file)) this.provide(file).finally(() => this.take(id, message));
      else this.take(id, message);
    }
  }

  /** @param {number} id @param {Message} message */
  take(id, message) {
    this.live.set(id, message);
    if (this.without) this.done({ id, ev: 'done', why: 'error', text: this.without });
    else if (this.running && STATELESS.has(message.op)) this.askSecond(JSON.stringify(message));
    // Books are asked while a search goes on that takes no messages: it begins anew behind them.
    else if (this.running && message.op.startsWith('book.')) this.restart();
    else this.post(message);
  }

  /** Gives the module a file that is kept. Where there is none, the module says so. @param {string} name */
  async provide(name) {
    const blob = await this.files.get(name);
    if (blob) await this.give(name, blob).catch(() => {});
  }

  /** Gives the module a file; rejects if it does not take it. @param {string} name @param {Blob} blob @returns {Promise<void>} */
  give(name, blob) {
    this.given.set(name, blob);
    /** @type {Promise<void>} */
    const done = new Promise((resolve, reject) => {
      this.giving.get(name)?.('');
      this.giving.set(name, (refused) => (refused === undefined ? resolve() : reject(new Error(refused))));
    });
    // A search that takes no messages takes no file.
    if (this.running) this.restart();
    else this.main?.worker.postMessage({ file: name, blob });
    return done;
  }

  /** What the page does with files. @returns {import('../common/link.js').PageFilesOfTab} */
  pageFiles() {
    return {
      list: () => this.files.list(),
      get: (name) => this.files.get(name),
      give: (name, blob) => this.give(name, blob),
      keep: async (name, blob) => {
        const kept = await this.files.put(name, blob);
        // The bytes that are kept stay, the ones that were dropped may be changed by their owner.
        const own = await this.files.get(name);
        if (own) this.given.set(name, own);
        return kept;
      },
      remove: async (name) => {
        // A new worker opens the same books in their order, so that they have the same names.
        if (!this.shelf.some(({ op, path }) => op === 'book.open' && path === name)) this.given.delete(name);
        await this.files.remove(name);
      },
    };
  }

  /** Keeps a file that the module wrote. @param {string} name @param {ArrayBuffer} bytes */
  async written(name, bytes) {
    const blob = new Blob([bytes]);
    this.given.set(name, blob);
    if (!(await this.files.put(name, blob))) this.tell({ ev: 'not_kept', path: name });
  }

  /** Sends a message to the module; what comes before its hello is sent then. @param {Message} message */
  post(message) {
    if (this.isUp) this.main?.worker.postMessage(JSON.stringify(message));
  }

  /** @param {Message} message */
  settings({ id, op, settings }) {
    try {
      if (op === 'settings.put') localStorage.setItem(SETTINGS, JSON.stringify(settings));
      else this.tell({ id, ev: 'settings', settings: JSON.parse(localStorage.getItem(SETTINGS) ?? '{}') });
      this.tell({ id, ev: 'done', why: 'finished' });
    } catch (error) {
      // Storage that is off or full.
      if (op === 'settings.get') this.tell({ id, ev: 'settings', settings: {} });
      this.tell({ id, ev: 'done', why: 'error', text: String(error) });
    }
  }

  /** @param {number} id @param {'stopped' | 'replaced'} why */
  stop(id, why) {
    if (!this.live.has(id)) return;
    if (!this.ending.has(id)) this.ending.set(id, why);
    if (this.running === id) this.interrupt(id);
    else this.post({ op: 'stop', id });
  }

  /** Ends a search that takes no messages: by its flag, or with its worker, in whose place another one does what is left. @param {number} id */
  interrupt(id) {
    if (this.memory && this.flag) {
      new Uint8Array(this.memory.buffer)[this.flag] = 1;
      return;
    }
    const why = this.ending.get(id) ?? 'stopped';
    this.restart();
    this.done({ id, ev: 'done', why });
  }

  restart() {
    for (const worked of [this.main, ...this.helpers.splice(0)]) worked?.end();
    this.startMain();
  }

  /** A text of the main worker. @param {string} text @param {boolean} isState whether a newer one takes its place */
  hear(text, isState) {
    /** @type {Event} */
    const event = JSON.parse(text);
    if (event.ev === 'hello') this.greet(event);
    else if (event.ev === 'failed') this.note({ failed: event.text });
    else if (event.id !== undefined && event.id >= REPEATED) return;
    else if (event.ev === 'done') this.done(event);
    else if (isState) this.state(event);
    else {
      this.flush();
      this.tell(event);
    }
    this.failures = 0;
  }

  /** The module is there: it is told what it missed. @param {Event} event */
  greet(event) {
    this.isUp = true;
    let id = REPEATED;
    for (const message of this.lasting.values()) this.post({ ...message, id: id++ });
    for (const message of this.shelved()) this.post({ ...message, id: id++ });
    if (!this.visible) this.post({ op: 'visible', on: false });
    // What is answered at once goes before searches.
    const live = [...this.live].filter(([own]) => !this.ending.has(own));
    const isOfBooks = (/** @type {[number, Message]} */ [, { op }]) => op.startsWith('book.');
    for (const one of live.filter(isOfBooks)) this.post(one[1]);
    for (const one of live.filter((one) => !isOfBooks(one))) this.post(one[1]);
    for (const [own, why] of [...this.ending]) this.done({ id: own, ev: 'done', why });
    if (this.greeted) return;
    this.greeted = true;
    this.receive(JSON.stringify({ ...event, caps: [...event.caps, 'settings'] }));
  }

  /** What was done to books, with the revisions that they have when it is done again. */
  shelved() {
    /** @type {Map<string, number>} */
    const revisions = new Map();
    return this.shelf.map((message) => {
      if (!EDITING.has(message.op)) return message;
      const rev = (revisions.get(message.book) ?? 0) + 1;
      revisions.set(message.book, rev);
      return { ...message, rev };
    });
  }

  /** Notes what was done to books. @param {Message} message */
  shelve(message) {
    const { replaces, ...kept } = message;
    if (SHELVING.has(message.op) || EDITING.has(message.op)) this.shelf.push(kept);
    else if (SETTLING.has(message.op))
      this.shelf = this.shelf.filter(({ op, book }) => book !== message.book || !EDITING.has(op));
  }

  /** A note of the main worker. @param {any} note */
  note(note) {
    if (note.helper) this.startHelper(note.helper);
    else if (note.given !== undefined) {
      if (note.refused !== undefined) this.given.delete(note.given);
      this.giving.get(note.given)?.(note.refused);
      this.giving.delete(note.given);
    } else if (note.kept !== undefined) this.written(note.kept, note.bytes);
    else if (note.running) {
      [this.running, this.flag] = [note.running, note.flag];
      if (this.ending.has(this.running)) this.interrupt(this.running);
      // What was answered before the search was told before: the rest would wait for its end.
      else if (this.giving.size > 0 || [...this.live.values()].some(({ op }) => op.startsWith('book.'))) this.restart();
    } else if (note.failed) this.failed(note.failed);
  }

  /** The module failed: what it was doing ends, and another one goes on. @param {string} text */
  failed(text) {
    if (!this.main) return;
    this.failures += 1;
    for (const id of [...this.live.keys()])
      this.done({ id, ev: 'done', why: 'error', text: `the engine failed: ${text}` });
    if (this.failures <= MOST_FAILURES) this.restart();
    else this.giveUp(text);
  }

  /** The latest state of a stream; what came between is not told. @param {Event} event */
  state(event) {
    this.states.set(`${event.id} ${event.ev} ${event.key ?? ''}`, event);
    this.timer ??= setTimeout(() => this.flush(), STATES_MS);
  }

  flush() {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const states = [...this.states.values()];
    this.states.clear();
    for (const event of states) this.tell(event);
  }

  /** @param {Event} event */
  done(event) {
    const id = event.id ?? 0;
    const message = this.live.get(id);
    if (!message) return;
    if (this.running === id) this.running = 0;
    if (LASTING.has(message.op) && event.why === 'finished') {
      const key = `${message.op} ${message.engine ?? ''}`;
      const options = { ...this.lasting.get(key)?.options, ...message.options };
      this.lasting.set(key, { ...this.lasting.get(key), ...message, ...(message.options ? { options } : {}) });
    }
    if (event.why === 'finished') this.shelve(message);
    const why = this.ending.get(id);
    this.live.delete(id);
    this.ending.delete(id);
    this.flush();
    this.tell(why && event.why !== 'error' ? { ...event, why } : event);
  }

  /** @param {Event} event */
  tell(event) {
    this.receive(JSON.stringify(event));
  }

  /** A request that needs nothing but itself, while the main worker is busy. @param {string} text */
  askSecond(text) {
    if (!this.second) {
      this.early = [];
      this.second = new Worked(
        (answer, isState) => {
          const event = JSON.parse(answer);
          if (event.ev === 'hello')
            for (const early of this.early?.splice(0) ?? []) this.second?.worker.postMessage(early);
          if (event.ev === 'hello') this.early = null;
          else this.hear(answer, isState);
        },
        (note) => {
          if (!note.failed) return;
          this.second?.end();
          this.second = null;
          for (const [id, { op }] of this.live) {
            if (STATELESS.has(op))
              this.done({ id, ev: 'done', why: 'error', text: `the engine failed: ${note.failed}` });
          }
        },
      );
      const { module } = /** @type {NonNullable<EngineBackEnd['loaded']>} */ (this.loaded);
      this.second.worker.postMessage({
        module,
        origin: performance.timeOrigin,
        jspi: false,
        setup: { threads: 1, hash_mib: 1 },
      });
    }
    if (this.early) this.early.push(text);
    else this.second.worker.postMessage(text);
  }
}

/** The file that the module needs for a request, or `null`. @param {Message} message */
function neededFile({ op, root, path }) {
  if (op === 'engine.load') return path ?? null;
  return op === 'book.open' && root === 'tab' ? path : null;
}
