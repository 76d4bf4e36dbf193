// Keeps the files of the pages, so that they work without a network, and adds the headers that isolate them from other pages: threads need that, and
// not every host can set headers. `cargo xtask browser` fills the table in.

/** The files with beginnings of their hashes. */
const FILES = {};

const PREFIX = 'yaneura-';
const NAMES = Object.keys(FILES);
/** One store for each state of the files. */
const STORE = PREFIX + hashed(JSON.stringify(FILES));

/** A short number of a text: only to tell two tables apart. */
function hashed(text) {
  let hash = 5381;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 33) ^ text.charCodeAt(at)) >>> 0;
  return hash.toString(16);
}

self.addEventListener('install', () => self.skipWaiting());

self.addEventListener('activate', (event) => {
  event.waitUntil(
    (async () => {
      await self.clients.claim();
      for (const name of await caches.keys()) {
        if (name.startsWith(PREFIX) && name !== STORE) await caches.delete(name);
      }
    })(),
  );
});

self.addEventListener('message', (event) => {
  if (event.data === 'keep') event.waitUntil(keepAll());
});

/** Keeps all files that are not kept yet. */
async function keepAll() {
  const store = await caches.open(STORE);
  for (const name of NAMES) {
    const url = new URL(name, self.registration.scope);
    if (await store.match(url)) continue;
    const answer = await fetch(url, { cache: 'no-cache' });
    if (answer.ok) await store.put(url, answer);
  }
}

self.addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  const { scope } = self.registration;
  if (event.request.method !== 'GET' || !url.href.startsWith(scope)) return;
  event.respondWith(answer(event.request, url, scope));
});

async function answer(request, url, scope) {
  let name = url.href.slice(scope.length).split(/[?#]/)[0];
  if (name === '' || name.endsWith('/')) name += 'index.html';
  if (!(name in FILES)) return isolated(await fetch(request));
  const key = new URL(name, scope);
  const store = await caches.open(STORE);
  const kept = await store.match(key);
  if (kept) return isolated(kept);
  const fresh = await fetch(key, { cache: 'no-cache' });
  if (fresh.ok) await store.put(key, fresh.clone());
  return isolated(fresh);
}

/** The same answer with the headers that isolate its page. */
function isolated(answer) {
  if (answer.status === 0 || answer.redirected) return answer;
  const headers = new Headers(answer.headers);
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
  headers.set('Cross-Origin-Resource-Policy', 'same-origin');
  return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers });
}
