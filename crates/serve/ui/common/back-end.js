// Who answers the page: a server, or an engine in the tab where the page says so.

import { connect } from './socket.js';

/** Where a tab notes that it has loaded itself again to be isolated. */
const ISOLATED = 'yaneura.isolated';

/** @param {import('./link.js').Link} link */
export async function connectBackEnd(link) {
  const folder = document.querySelector('meta[name="engine"]')?.getAttribute('content');
  if (folder === null || folder === undefined) {
    connect(link, '/api/ws');
    return;
  }
  const { connectEngine } = await import('../engine/link.js');
  const query = new URLSearchParams(location.search);
  const number = (/** @type {string} */ name, /** @type {number} */ usual) => Number(query.get(name)) || usual;
  const threads = number('threads', Math.max(1, Math.min(8, (navigator.hardwareConcurrency ?? 2) - 1)));
  const base = new URL(folder, location.href).href;
  if (await keepOffline(new URL('../sw.js', base), threads > 1)) return;
  connectEngine(link, {
    module: document.body.dataset.game ?? '',
    base,
    threads,
    hashMib: number('hash', 32),
    jspi: query.get('jspi') !== '0',
  });
}

/**
 * Lets the service worker keep the files of the page, so that it works without a network, and isolate it from other pages, which threads need and not
 * every host can. Returns whether the page loads itself again for that, once.
 * @param {URL} script @param {boolean} wantsThreads
 */
async function keepOffline(script, wantsThreads) {
  if (!location.protocol.startsWith('http') || !('serviceWorker' in navigator)) return false;
  try {
    const registration = await navigator.serviceWorker.register(script);
    const ready = await navigator.serviceWorker.ready;
    if (wantsThreads && !crossOriginIsolated && !sessionStorage.getItem(ISOLATED)) {
      sessionStorage.setItem(ISOLATED, '1');
      location.reload();
      return true;
    }
    // After what the page itself loads.
    setTimeout(() => (registration.active ?? ready.active)?.postMessage('keep'), 3000);
  } catch {
    // A browser that keeps nothing, such as in a private window: the page works with a network.
  }
  return false;
}
