// The page's side of the messages: requests with streams of events, and broadcasts. It knows no transport: a back end is
// anything with `send(text)` that calls `receive(text)`, `opened()` and `closed()`; a WebSocket now, a web worker later.

/** @typedef {{id?: number, ev: string, why?: string, text?: string, [field: string]: any}} Event */
/** @typedef {(event: Event) => void} OnEvent */

/**
 * A request in progress. `done` resolves with the last event (`ev` = `done`) and never rejects: look at `why`.
 * @typedef {{id: number, done: Promise<Event>, stop: () => void}} Stream
 */

/**
 * Files that a browser keeps for an engine in the tab. `give` rejects if the engine has no room; `keep` tells whether the file is there at the next visit.
 * @typedef {object} PageFilesOfTab
 * @property {() => Promise<{name: string, size: number, kept: boolean}[]>} list
 * @property {(name: string) => Promise<Blob | null>} get
 * @property {(name: string, blob: Blob) => Promise<void>} give
 * @property {(name: string, blob: Blob) => Promise<boolean>} keep
 * @property {(name: string) => Promise<void>} remove
 */

/** A request that the back end refused or could not finish. */
export class RequestError extends Error {
  /** @param {Event} event */
  constructor(event) {
    super(event.text || event.why || 'error');
    this.event = event;
  }
}

export class Link {
  constructor() {
    /** @type {((text: string) => void) | null} */
    this.transmit = null;
    this.online = false;
    this.nextId = 1;
    /** @type {Map<number, {fields: object, onEvent: OnEvent, finish: (event: Event) => void, keep: boolean}>} */
    this.open = new Map();
    /** @type {Map<string, Set<OnEvent>>} */
    this.listeners = new Map();
    /** @type {Event | null} */
    this.hello = null;
    /** The files of a tab; `null` where a server answers. @type {PageFilesOfTab | null} */
    this.files = null;
  }

  /** Whether the back end can do something. @param {string} name */
  can(name) {
    return Boolean(this.hello?.caps?.includes(name));
  }

  /**
   * Sends a request. `keep` repeats it after a lost connection; others end with `why` = `lost`.
   * @param {string} op
   * @param {object} [fields]
   * @param {OnEvent} [onEvent] called for each event but the last
   * @param {{keep?: boolean}} [options]
   * @returns {Stream}
   */
  request(op, fields = {}, onEvent = () => {}, { keep = false } = {}) {
    const id = this.nextId++;
    const message = { id, op, ...fields };
    /** @type {Promise<Event>} */
    const done = new Promise((finish) => {
      this.open.set(id, { fields: message, onEvent, finish, keep });
      if (this.online) this.send(message);
      else if (!keep) this.end(id, { ev: 'done', why: 'lost', text: '' });
    });
    return { id, done, stop: () => this.stop(id) };
  }

  /**
   * A request with one answer.
   * @param {string} op @param {object} [fields]
   * @returns {Promise<Event>} the last event but `done`, or the `done` where it is alone; rejects with a RequestError
   */
  async ask(op, fields = {}) {
    /** @type {Event | null} */
    let answer = null;
    const end = await this.request(op, fields, (event) => {
      answer = event;
    }).done;
    if (end.why && end.why !== 'finished') throw new RequestError(end);
    return answer ?? end;
  }

  /** @param {number} id */
  stop(id) {
    if (!this.open.has(id)) return;
    if (this.online) this.send({ op: 'stop', id });
    else this.end(id, { ev: 'done', why: 'stopped' });
  }

  /**
   * Listens to broadcasts (`job`, `book_changed`, …) and to the link's own `online` and `offline`.
   * @param {string} name @param {OnEvent} listener
   * @returns {() => void} ends it
   */
  on(name, listener) {
    const all = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, all.add(listener));
    return () => all.delete(listener);
  }

  /** @param {Event} event */
  emit(event) {
    for (const listener of this.listeners.get(event.ev) ?? []) listener(event);
  }

  /** @param {object} message */
  send(message) {
    this.transmit?.(JSON.stringify(message));
  }

  /** @param {number} id @param {Event} event */
  end(id, event) {
    const request = this.open.get(id);
    this.open.delete(id);
    request?.finish(event);
  }

  /** The transport is open. @param {(text: string) => void} transmit */
  opened(transmit) {
    this.transmit = transmit;
  }

  /** The transport is gone. */
  closed() {
    const was = this.online;
    this.online = false;
    this.transmit = null;
    for (const [id, request] of [...this.open]) {
      if (!request.keep) this.end(id, { ev: 'done', why: 'lost', text: '' });
    }
    if (was) this.emit({ ev: 'offline' });
  }

  /** A message came. @param {string} text */
  receive(text) {
    /** @type {Event} */
    const event = JSON.parse(text);
    if (event.ev === 'hello') {
      this.hello = event;
      this.online = true;
      for (const { fields } of this.open.values()) this.send(fields);
      this.emit(event);
      this.emit({ ev: 'online' });
    } else if (event.id === undefined) {
      this.emit(event);
    } else if (event.ev === 'done') {
      this.end(event.id, event);
    } else {
      this.open.get(event.id)?.onEvent(event);
    }
  }
}
