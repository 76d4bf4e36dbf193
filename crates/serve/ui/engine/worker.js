// The worker of a tab in which an engine runs: a WebAssembly module (crates/browser) behind messages. A classic script without imports, so that
// it also runs from a Blob.
//
// From the page: first { module, setup, memory?, origin, jspi, helper? }, then the page's messages as texts, files as { file, blob }, and { helperSpace }.
// To the page: messages as texts, states of streams as [text], { given, refused? } for each file, { kept, bytes } for a file that was written, and
// { running, flag } before a search that takes no messages, { ready }, { helper }, { failed }. A worker of its own for { store } writes a file, and says { stored }.

/* eslint-env worker */
/** @typedef {{module: WebAssembly.Module, setup: object, memory?: WebAssembly.Memory, origin: number, jspi: boolean, helper?: {stack: number, tls: number}}} Start */

(() => {
  const channel = new MessageChannel();
  /** @type {(() => void)[]} */
  const waiting = [];
  channel.port1.onmessage = () => waiting.shift()?.();
  /** Resolves after the messages that are here have been handled. */
  const turn = () =>
    new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
      waiting.push(resolve);
      channel.port2.postMessage(0);
    });

  /** @type {any} */
  let exports = null;
  /** @type {WebAssembly.Memory | null} */
  let memory = null;
  let suspends = false;
  let isRunning = false;
  /** @type {(mayPause: number) => any} */
  let runNext = () => 0;

  /** @param {number} start @param {number} length */
  const bytes = (start, length) =>
    new Uint8Array(/** @type {WebAssembly.Memory} */ (memory).buffer, start >>> 0, length >>> 0);

  /** Calls a function of the module with a text. @param {string} name @param {string} text */
  function call(name, text) {
    exports[name](...placed(text));
  }

  /** Bytes of a file that are read at a time. */
  const PIECE = 16 << 20;

  /** Calls for each piece of a file. @param {Blob} blob @param {(piece: Uint8Array, at: number) => void} take */
  function pieces(blob, take) {
    const reader = new /** @type {any} */ (globalThis).FileReaderSync();
    for (let at = 0; at < blob.size; at += PIECE)
      take(new Uint8Array(reader.readAsArrayBuffer(blob.slice(at, at + PIECE))), at);
  }

  /** Bytes of the largest file that is copied into the module whatever it is; of larger books slices are read. */
  const WHOLE = 64 << 20;

  /** Files of which the module reads slices, by their numbers. @type {Blob[]} */
  const sliced = [];

  /** Memory of the module with a text in it, and its length. @param {string} text @returns {[number, number]} */
  function placed(text) {
    const encoded = new TextEncoder().encode(text);
    const start = exports.text_alloc(encoded.length) >>> 0;
    if (!start) throw new Error('out of memory');
    bytes(start, encoded.length).set(encoded);
    return [start, encoded.length];
  }

  /** Reads a slice of a file for the module; returns 0 where that is not possible. @param {number} file @param {number} offset @param {number} start @param {number} length */
  function readAt(file, offset, start, length) {
    try {
      const reader = new /** @type {any} */ (globalThis).FileReaderSync();
      const slice = new Uint8Array(reader.readAsArrayBuffer(sliced[file].slice(offset, offset + (length >>> 0))));
      if (slice.length !== length >>> 0) return 0;
      bytes(start, length).set(slice);
      return 1;
    } catch {
      // The file was changed or removed.
      return 0;
    }
  }

  /** Puts a file into the module, or where it reads slices of it. @param {string} name @param {Blob} blob */
  function putFile(name, blob) {
    if (blob.size > WHOLE) {
      const number = sliced.push(blob) - 1;
      if (exports.put_sliced(...placed(name), number, blob.size)) return;
      sliced.pop();
    }
    const start = exports.text_alloc(blob.size) >>> 0;
    if (!start) throw new Error(`${name}: there is no memory for a file of ${blob.size} bytes`);
    pieces(blob, (piece, at) => bytes(start + at, piece.length).set(piece));
    exports.put_file(...placed(name), start, blob.size);
  }

  /** Writes a file of the browser's private file system: under another name until it is whole. @param {{folder: string[], name: string, part: string, blob: Blob}} store */
  async function write({ folder, name, part, blob }) {
    let place = await navigator.storage.getDirectory();
    for (const one of folder) place = await place.getDirectoryHandle(one, { create: true });
    const file = /** @type {any} */ (await place.getFileHandle(part, { create: true }));
    const access = await file.createSyncAccessHandle();
    try {
      access.truncate(0);
      pieces(blob, (piece, at) => {
        if (access.write(piece, { at }) !== piece.length) throw new Error('no room');
      });
      access.flush();
    } finally {
      access.close();
    }
    await file.move(name);
  }

  /** @param {unknown} error */
  const fail = (error) => postMessage({ failed: String(error) });

  /** @param {Start} start */
  async function begin({ module, setup, memory: shared, origin, jspi, helper }) {
    const { Suspending, promising } = /** @type {any} */ (WebAssembly);
    suspends = jspi && Boolean(Suspending && promising) && !helper;
    const host = {
      // One clock for all threads.
      now_ms: () => performance.timeOrigin - origin + performance.now(),
      pause: suspends ? new Suspending(turn) : () => {},
      emit: (/** @type {number} */ at, /** @type {number} */ length, /** @type {number} */ isState) => {
        // A copy, as a decoder takes no shared memory.
        const text = new TextDecoder().decode(bytes(at, length).slice());
        postMessage(isState ? [text] : text);
      },
      keep: (
        /** @type {number} */ name,
        /** @type {number} */ nameLength,
        /** @type {number} */ at,
        /** @type {number} */ length,
      ) => {
        const copy = bytes(at, length).slice();
        const kept = new TextDecoder().decode(bytes(name, nameLength).slice());
        postMessage({ kept, bytes: copy.buffer }, { transfer: [copy.buffer] });
      },
      read_at: readAt,
    };
    const instance = await WebAssembly.instantiate(module, shared ? { host, env: { memory: shared } } : { host });
    exports = instance.exports;
    memory = shared ?? exports.memory;
    if (helper) {
      exports.__stack_pointer.value = helper.stack;
      exports.__wasm_init_tls(helper.tls);
      postMessage({ ready: true });
      // Never returns.
      exports.help();
      return;
    }
    if (shared) exports.__wasm_init_tls(space(exports.__tls_size.value, exports.__tls_align.value));
    runNext = suspends ? promising(exports.run_next) : exports.run_next;
    postMessage({ ready: true });
    call('begin', JSON.stringify(setup));
  }

  /** Memory that stays, at a multiple of a power of two. @param {number} length @param {number} align */
  function space(length, align) {
    const start = exports.text_alloc(length + align) >>> 0;
    return Math.ceil(start / align) * align;
  }

  /** Where a helper has its stack and its own variables. @param {number} stackBytes */
  function helperSpace(stackBytes) {
    const stack = space(stackBytes, 16) + stackBytes;
    return { stack, tls: space(exports.__tls_size.value, Math.max(16, exports.__tls_align.value)) };
  }

  /** Runs searches as long as there are some. */
  async function run() {
    if (isRunning) return;
    isRunning = true;
    try {
      for (;;) {
        // What stops the next one may be here already.
        await turn();
        const id = exports.next_id();
        if (!id) break;
        if (!suspends) postMessage({ running: id, flag: exports.stop_flag(id) >>> 0 });
        await runNext(suspends ? 1 : 0);
      }
    } finally {
      isRunning = false;
    }
  }

  /** The start, which everything else waits for. @type {Promise<void> | null} */
  let begun = null;

  onmessage = async ({ data }) => {
    try {
      if (data.store) {
        await write(data.store);
        postMessage({ stored: true });
        return;
      }
      if (data.module) begun = begin(data);
      await begun;
      if (typeof data === 'string') {
        call('hear', data);
        await run();
      } else if (data.file !== undefined) {
        try {
          putFile(data.file, data.blob);
          postMessage({ given: data.file });
        } catch (error) {
          postMessage({ given: data.file, refused: String(/** @type {Error} */ (error).message ?? error) });
        }
      } else if (data.helperSpace) {
        postMessage({ helper: helperSpace(data.helperSpace) });
      }
    } catch (error) {
      fail(error);
    }
  };
})();
