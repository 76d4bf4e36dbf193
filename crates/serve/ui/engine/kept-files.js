// The files of a game that this browser keeps for its engine: in its private file system (OPFS); where there is none, for this visit.

import { workerUrl } from '../common/engine-files.js';

/** The folder of all files, in which each game has one. */
const FOLDER = 'yaneura';

/** The end of the name of a file that is being written. */
const PART = '.part';

export class KeptFiles {
  /** @param {string} game */
  constructor(game) {
    this.game = game;
    /** Files of this visit, which cannot be kept. @type {Map<string, Blob>} */
    this.visit = new Map();
  }

  /** The folder of the game; `null` where nothing is kept. @param {boolean} create @returns {Promise<any>} */
  async folder(create) {
    try {
      const root = await (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, { create });
      return await root.getDirectoryHandle(this.game, { create });
    } catch {
      // No file has been kept yet, or the browser keeps none: a page from a disk, a private window.
      return null;
    }
  }

  /** All files, by name. @returns {Promise<{name: string, size: number, kept: boolean}[]>} */
  async list() {
    /** @type {Map<string, {name: string, size: number, kept: boolean}>} */
    const found = new Map();
    const folder = await this.folder(false);
    for await (const [name, handle] of folder?.entries() ?? []) {
      if (handle.kind !== 'file' || name.endsWith(PART)) continue;
      found.set(name, { name, size: (await handle.getFile()).size, kept: true });
    }
    for (const [name, { size }] of this.visit) found.set(name, { name, size, kept: false });
    return [...found.values()].sort((a, b) => a.name.localeCompare(b.name));
  }

  /** The bytes of a file, read when they are used; `null` if it is not there. @param {string} name @returns {Promise<Blob | null>} */
  async get(name) {
    const known = this.visit.get(name);
    if (known) return known;
    try {
      return await (await (await this.folder(false))?.getFileHandle(name))?.getFile();
    } catch {
      return null;
    }
  }

  /** Keeps a file. Returns whether it will be there at the next visit. @param {string} name @param {Blob} blob */
  async put(name, blob) {
    if (await this.folder(true)) {
      try {
        await stored({ folder: [FOLDER, this.game], name, part: name + PART, blob });
        this.visit.delete(name);
        return true;
      } catch {
        // No room, or an old browser.
      }
    }
    this.visit.set(name, blob);
    return false;
  }

  /** @param {string} name */
  async remove(name) {
    this.visit.delete(name);
    try {
      await (await this.folder(false))?.removeEntry(name);
    } catch {
      // It was not kept.
    }
  }
}

/** Has a worker write a file, as only workers can everywhere. @param {{folder: string[], name: string, part: string, blob: Blob}} store @returns {Promise<void>} */
function stored(store) {
  const worker = new Worker(workerUrl());
  /** @type {Promise<void>} */
  const done = new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => (data.stored ? resolve() : reject(new Error(data.failed)));
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message));
    };
  });
  worker.postMessage({ store });
  return done.finally(() => worker.terminate());
}
