// Runs a module as the page's worker does, with node: requests are lines of standard input, messages lines of standard output.
// node node.mjs MODULE.wasm [HASH_MIB]

import fs from 'node:fs';

const [path, hash = '16'] = process.argv.slice(2);
let exports = null;
const bytes = (start, length) => new Uint8Array(exports.memory.buffer, start >>> 0, length >>> 0);
const host = {
  now_ms: () => performance.now(),
  pause: () => {},
  keep: () => {},
  read_at: () => 0,
  emit: (start, length) => fs.writeSync(1, `${new TextDecoder().decode(bytes(start, length))}\n`),
};

function call(name, text) {
  const encoded = new TextEncoder().encode(text);
  const start = exports.text_alloc(encoded.length);
  bytes(start, encoded.length).set(encoded);
  exports[name](start, encoded.length);
}

const module = new WebAssembly.Module(fs.readFileSync(path));
exports = new WebAssembly.Instance(module, { host }).exports;
call('begin', JSON.stringify({ threads: 1, hash_mib: Number(hash), seed: 7, build: 'test' }));
for (const line of fs.readFileSync(0, 'utf8').split('\n')) {
  if (!line) continue;
  call('hear', line);
  while (exports.next_id()) exports.run_next(0);
}
