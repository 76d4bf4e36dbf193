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

/** The variants of a module that this browser can run, the fastest first. @param {number} threads */
export function variants(threads) {
  const { simd, relaxed, shared } = abilities();
  if (!simd) throw new Error('this browser is too old: it runs no WebAssembly with vectors (SIMD)');
  const withThreads = threads > 1 && shared && relaxed && !inPage;
  return [...(withThreads ? ['threads'] : []), ...(relaxed ? ['relaxed'] : []), 'simd'];
}

/** @param {string} text */
function bytesOf(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** A file of the page as a response, compressed or not; `null` if it is not there. @param {string} name */
function response(name) {
  const text = inPage?.[name];
  if (text === undefined) return null;
  const bytes = new Blob([bytesOf(text)]);
  const plain = name.endsWith('.wasm') ? bytes.stream().pipeThrough(new DecompressionStream('gzip')) : bytes.stream();
  return new Response(plain, {
    headers: { 'content-type': name.endsWith('.wasm') ? 'application/wasm' : 'text/plain' },
  });
}

/**
 * The module of a game: the fastest that is there.
 * @param {{module: string, base: string, threads: number}} setup `base` is the address of the folder with the modules
 * @returns {Promise<{module: WebAssembly.Module, threads: number, build: string}>}
 */
export async function engineModule({ module, base, threads }) {
  let missing = '';
  for (const kind of variants(threads)) {
    const name = `${module}-${kind}.wasm`;
    const answer = inPage ? response(name) : await fetch(new URL(name, base));
    if (answer?.ok) {
      return {
        module: await compiled(answer),
        threads: kind === 'threads' ? threads : 1,
        build: document.querySelector('meta[name="build"]')?.getAttribute('content') ?? '',
      };
    }
    missing ||= name;
  }
  throw new Error(`${missing} cannot be loaded`);
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
