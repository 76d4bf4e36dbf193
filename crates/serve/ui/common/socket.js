// A WebSocket as the transport of a Link, connected again with growing pauses when it is lost.

/** @typedef {import('./link.js').Link} Link */

const SHORTEST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5000;

/**
 * Connects and keeps connecting. A page of another build than the server's loads itself again, once.
 * @param {Link} link
 * @param {string} path
 */
export function connect(link, path) {
  let pause = SHORTEST_PAUSE_MS;
  /** @type {string | null} */
  let build = null;
  link.on('hello', (hello) => {
    pause = SHORTEST_PAUSE_MS;
    if (build !== null && build !== hello.build) location.reload();
    build = hello.build ?? '';
  });
  document.addEventListener('visibilitychange', () => {
    if (link.online) link.send({ op: 'visible', on: !document.hidden });
  });
  open();

  function open() {
    const url = new URL(path, location.href);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(url);
    socket.onopen = () => link.opened((text) => socket.send(text));
    socket.onmessage = ({ data }) => link.receive(data);
    socket.onclose = () => {
      link.closed();
      setTimeout(open, pause);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    };
  }
}
