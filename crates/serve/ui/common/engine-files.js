// Where the files of an engine are: beside the page, or in it where the page is one file.

/** Files in the page: names and bytes, in base64, those of modules compressed by gzip. @type {Record<string, string> | undefined} */
const inPage = /** @type {any} */ (globalThis).yaneuraFiles;

const SIMD = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11];
const RELAXED = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 19, 1, 17, 0, 65, 1, 253, 15, 65, 1, 253, 15, 65,
  1, 253, 15, 253, 147, 2, 11,
];

/** What this browser can run: vectors of 16 bytes, those with relaxed rules, shared memory. */
export function abilities() {
  const valid = (/** @type {number[]} */ bytes) => WebAssembly.validate(new Uint8Array(bytes));
  return { simd: valid(SIMD), relaxed: valid(RELAXED), shared: globalThis.crossOriginIsolated === true };
}

/** The variant of a module for this browser. @param {number} threads */
export function variant(threads) {
  const { simd, relaxed, shared } = abilities();
  if (!simd) throw new Error('this browser is too old: it runs no WebAssembly with vectors (SIMD)');
  if (threads > 1 && shared && relaxed && !inPage) return 'threads';
  return relaxed ? 'relaxed' : 'simd';
}

/** @param {string} text */
function bytesOf(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** A file of the page as a response, compressed or not. @param {string} name */
function response(name) {
  const text = inPage?.[name];
  if (text === undefined) throw new Error(`${name} is not in this page`);
  const bytes = new Blob([bytesOf(text)]);
  const plain = name.endsWith('.wasm') ? bytes.stream().pipeThrough(new DecompressionStream('gzip')) : bytes.stream();
  return new Response(plain, {
    headers: { 'content-type': name.endsWith('.wasm') ? 'application/wasm' : 'text/plain' },
  });
}

/**
 * The module of a game.
 * @param {{module: string, base: string, threads: number}} setup `base` is the address of the folder with the modules
 * @returns {Promise<{module: WebAssembly.Module, threads: number, build: string}>}
 */
export async function engineModule({ module, base, threads }) {
  const kind = variant(threads);
  const name = `${module}-${kind}.wasm`;
  const answer = inPage ? response(name) : await fetch(new URL(name, base));
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  return {
    module: await compiled(answer),
    threads: kind === 'threads' ? threads : 1,
    build: document.querySelector('meta[name="build"]')?.getAttribute('content') ?? '',
  };
}

/** @param {Response} answer */
async function compiled(answer) {
  // Compiling while it comes needs the right type, which not every host gives.
  if (answer.headers.get('content-type') === 'application/wasm') return WebAssembly.compileStreaming(answer);
  return WebAssembly.compile(await answer.arrayBuffer());
}

/** @type {string | undefined} */
let blobUrl;

/** The address of the script of workers. */
export function workerUrl() {
  const text = inPage?.['engine/worker.js'];
  if (text === undefined) return new URL('../engine/worker.js', import.meta.url);
  blobUrl ??= URL.createObjectURL(new Blob([bytesOf(text)], { type: 'text/javascript' }));
  return blobUrl;
}

/** A file of words in the page; `null` if it is beside it. @param {string} name */
export function wordsInPage(name) {
  const text = inPage?.[name];
  return text === undefined ? null : JSON.parse(new TextDecoder().decode(bytesOf(text)));
}
