// Stories of people at the othello page, in a real browser and with the real program. Without Chromium or `othello` they are skipped, and say so.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser, CHROMIUM, pause } from './browser.js';
import { SERVABLE, Server } from './server.js';

const skip = !CHROMIUM ? 'no Chromium (YANEURA_CHROMIUM)' : !SERVABLE ? 'no program (OTHELLO)' : false;

/** @type {Browser} */
let browser;
/** @type {Server} */
let server;
let url = '';

before(async () => {
  if (skip) return;
  server = new Server(['--ui', new URL('..', import.meta.url).pathname]);
  const first = await server.start();
  browser = new Browser();
  // The token of the address counts once; the cookie that comes for it counts for all tabs.
  const page = await browser.page(first);
  url = await page.value('location.origin');
  await page.close();
});
after(async () => {
  if (skip) return;
  await browser.close();
  await server.stop();
});

const square = (/** @type {string} */ name) =>
  `#board [data-square="${name.charCodeAt(0) - 97 + (Number(name[1]) - 1) * 8}"]`;
const label = (/** @type {import('./browser.js').Page} */ page, /** @type {string} */ name) =>
  page.value(`document.querySelector('${square(name)}').getAttribute('aria-label')`);
const last = (/** @type {string} */ name) => `document.querySelector('#live').textContent.startsWith('${name}')`;
const paste = (/** @type {import('./browser.js').Page} */ page, /** @type {string} */ text) =>
  page.value(`(() => { const data = new DataTransfer(); data.setData('text/plain', ${JSON.stringify(text)});
  document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })); })()`);

/** Puts the settings back to their defaults, in English; the page under trial hears it from the server. */
const DEFAULTS = `new Promise((done) => {
  const socket = new WebSocket(new URL('/api/ws', location.href.replace('http', 'ws')));
  socket.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if (event.ev === 'hello') socket.send(JSON.stringify({ id: 1, op: 'settings.put', settings: { lang: 'en', 'ai.level': 5 } }));
    if (event.ev === 'done') socket.close();
  };
  socket.onclose = done;
})`;

/** Runs a story on a page of its own; the console must stay clean. @param {string} name @param {(page: import('./browser.js').Page) => Promise<void>} story @param {object} [size] */
function story(name, story, size) {
  test(name, { skip }, async () => {
    const page = await browser.page(url, size);
    await page.value(DEFAULTS);
    await page.until(`document.documentElement.lang === 'en'`);
    try {
      await story(page);
      assert.deepEqual(page.faults, []);
    } finally {
      await page.close();
    }
  });
}

story('f5 d6 c3 by click, drag and keys; an illegal square does nothing', async (page) => {
  await page.click(square('a1'));
  assert.match(await label(page, 'a1'), /empty/);
  await page.click(square('f5'));
  await page.until(last('f5'));
  const from = await page.middle(square('a8'));
  const to = await page.middle(square('d6'));
  await page.mouse('mousePressed', from, 'left');
  await page.mouse('mouseMoved', to, 'left');
  await page.mouse('mouseReleased', to, 'left');
  await page.until(last('d6'));
  await page.value(`document.querySelector('#board [tabindex="0"]').focus()`);
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown', 'ArrowDown', 'Enter']) await page.key(key);
  await page.until(last('c3'));
});

story(
  'a tap plays, and nothing is wider than the phone',
  async (page) => {
    await page.tap(square('f5'));
    await page.until(last('f5'));
    for (const tab of await page.value(`[...document.querySelectorAll('[role=tab]')].map((tab) => tab.id)`)) {
      await page.tap(`#${tab}`);
      await page.until(`document.querySelector('#${tab}').ariaSelected === 'true'`);
      assert.ok(await page.value('document.documentElement.scrollWidth <= innerWidth'), tab);
    }
  },
  { width: 390, height: 844, touch: true },
);

story('walking, a branch, the branch becomes the main line', async (page) => {
  await paste(page, 'F5D6C3D3C4');
  await page.until(last('c4'));
  await page.until(`document.querySelector('#toasts').textContent.includes('transcript')`, 'the format is named');
  await page.key('Home');
  await page.key('ArrowRight');
  await page.until(last('f5'));
  await page.click(square('f6'));
  await page.until(`document.querySelector('.branch')`);
  await page.key('l');
  await page.until(`document.querySelector('.tree .flow').textContent.includes('f6')`);
});

story('rubbish is refused with a reason, and no shortcut fires in a field', async (page) => {
  await page.click(square('f5'));
  await paste(page, 'hello, world');
  await page.until(`document.querySelector('#dialog[open] .failures li')`, 'the reason');
  await page.value(`document.querySelector('#dialog textarea').focus()`);
  await page.key('n');
  await page.until(last('f5'));
  await page.key('Escape');
  await page.until(`!document.querySelector('#dialog').open`);
  await page.value(
    `document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'n', isComposing: true, bubbles: true }))`,
  );
  await pause(100);
  assert.ok(await page.value(last('f5')));
});

story('a forced pass waits for its button, and the result is told', async (page) => {
  await page.click('[data-menu=ai]');
  await page.click('.menu-item[data-fn=pausePass]');
  await page.key('Escape');
  await paste(page, `XO${'-'.repeat(54)}XO------ X`);
  await page.until(`document.querySelector('${square('b1')}').ariaLabel.includes('White')`, 'the position');
  await page.click(square('c1'));
  await page.click('.state-line [data-fn=pass]');
  await page.click(square('c8'));
  await page.until(`document.querySelector('#live').textContent.includes('64')`, 'the result');
});

story('values appear, V hides them, H shows them while it is held', async (page) => {
  await page.until(`document.querySelector('#board .value')`, 'values');
  await page.key('v');
  await page.until(`!document.querySelector('#board .value')`);
  await page.keyEvent('keyDown', 'h');
  await page.until(`document.querySelector('#board .value')`);
  await page.keyEvent('keyUp', 'h');
  await page.until(`!document.querySelector('#board .value')`);
  await page.key('v');
});

story('the engine answers as white, and begins as black after start', async (page) => {
  await page.key('w');
  await page.key(' ');
  await page.click(square('f5'));
  await page.until(`/^[a-h][1-8]/.test(document.querySelector('#live').textContent) && !${last('f5')}`, 'the answer');
  await page.key('w');
  await page.click('[data-menu=game]');
  await page.click('.menu-item[data-fn=newHumanWhite]');
  await page.click('.state-line [data-fn=start]');
  await page.until(`document.querySelector('.player-count').textContent === '4'`, 'the first move');
  await page.key('b');
});

story('a game of the engine against itself comes to its end, with its passes', async (page) => {
  await page.click('[data-menu=game]');
  await page.click('.menu-item[data-fn=newSelfPlay]');
  await page.click('.state-line [data-fn=start]');
  await page.until(`/wins|Draw/.test(document.querySelector('#live').textContent)`, 'the result');
});

story('an analysis sums up the losses, and the graph can be clicked', async (page) => {
  await paste(page, 'F5D6C3D3C4F4E6F6');
  await page.until(last('f6'));
  await page.click('#tab-graph');
  await page.key('Shift+A');
  await page.until(
    `document.querySelector('.summary .worst, .summary tbody') && !document.querySelector('#panel progress')`,
    'the summary',
  );
  const box = await page.value(
    `(() => { const r = document.querySelector('.graph-svg.value').getBoundingClientRect(); return { x: r.x, y: r.y, width: r.width, height: r.height }; })()`,
  );
  const at = { x: box.x + (box.width * (40 + (590 * 3) / 60)) / 640, y: box.y + box.height / 2 };
  await page.mouse('mousePressed', at, 'left');
  await page.mouse('mouseReleased', at, 'left');
  await page.until(last('c3'));
});

story('a picture has the discs where the board has them', async (page) => {
  const colours = await page.value(`(async () => {
    const { pngBlob } = await import('/common/picture.js');
    const image = await createImageBitmap(await pngBlob(document.querySelector('#board svg'), 1024));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d', { willReadFrequently: true });
    context.drawImage(image, 0, 0);
    const at = (square) => [...context.getImageData((100 + (square % 8) * 100) * 1024 / 900, (70 + (square >> 3) * 100) * 1024 / 900, 1, 1).data].join();
    return [image.width, image.height, ...[27, 28, 35, 36, 0].map(at)];
  })()`);
  assert.deepEqual(colours.slice(0, 2), [1024, 1024]);
  assert.equal(colours[2], colours[5]);
  assert.equal(colours[3], colours[4]);
  assert.equal(new Set(colours.slice(2)).size, 3);
});

story('every function runs, every dialog closes, no text is missing', async (page) => {
  const functions = await page.value(
    `import('/othello/functions.js').then(({ FUNCTIONS }) => FUNCTIONS.map((fn) => [fn.id, fn.menu]))`,
  );
  for (const [id, menu] of functions) {
    // These ask the browser for a file, or write one.
    if (['openFile', 'importSettings', 'exportSettings', 'saveTree', 'screenshot'].includes(id)) continue;
    await page.value(`document.querySelector('.menu-list') ?? document.querySelector("[data-menu=${menu}]")?.click()`);
    await page.until(
      `document.querySelector('[data-menu=${menu}][aria-expanded=true]') || !document.querySelector('.menu-list')`,
    );
    await page.value(`document.querySelector('.menu-item[data-fn="${id}"]')?.click()`);
    await pause(40);
    assert.doesNotMatch(
      await page.value('document.body.innerText'),
      /\b(fn|menu|kind|format|jobs?|settings|image)\.[a-z]\w+/,
      id,
    );
    // A dialog may open a frame after the function ran.
    for (let closed = 0, tries = 0; closed < 3; tries++) {
      assert.ok(tries < 100, `${id}: the dialog stays`);
      await page.key('Escape');
      await pause(30);
      closed = (await page.value(`document.querySelector('#dialog').open`)) ? 0 : closed + 1;
    }
  }
});

story('a key of another function is refused', async (page) => {
  await page.key('?');
  await page.click('tr[data-fn=pass] .button');
  await page.until(`document.activeElement.classList.contains('awaiting')`);
  await page.key('g');
  await page.until(`document.querySelector('#panel [role=alert]')`);
});
