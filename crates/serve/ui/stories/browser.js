// A small driver of Chromium for the stories: its protocol over two pipes, no library.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Chromium is, or an empty text. */
export const CHROMIUM =
  [process.env.YANEURA_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
    (path) => path && existsSync(path),
  ) ?? '';

const TIMEOUT_MS = 15_000;

/** @param {number} ms */
export const pause = (ms) => new Promise((done) => setTimeout(done, ms));

export class Browser {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'stories-'));
    this.process = spawn(
      CHROMIUM,
      [
        '--headless',
        '--no-sandbox',
        '--disable-dev-shm-usage',
        '--remote-debugging-pipe',
        `--user-data-dir=${this.folder}`,
        'about:blank',
      ],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
    );
    const [, , , write, read] = this.process.stdio;
    this.write = write;
    this.nextId = 1;
    /** @type {Map<number, {resolve: (value: any) => void, reject: (error: Error) => void}>} */
    this.waiting = new Map();
    /** @type {Set<(message: any) => void>} */
    this.listeners = new Set();
    let rest = '';
    read.setEncoding('utf8');
    read.on('data', (/** @type {string} */ text) => {
      const messages = (rest + text).split('\0');
      rest = messages.pop() ?? '';
      for (const message of messages) this.receive(JSON.parse(message));
    });
  }

  /** @param {any} message */
  receive(message) {
    const call = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (call && message.error) call.reject(new Error(message.error.message));
    else if (call) call.resolve(message.result);
    else for (const listener of this.listeners) listener(message);
  }

  /** @param {string} method @param {object} [params] @param {string} [sessionId] @returns {Promise<any>} */
  send(method, params = {}, sessionId) {
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.write.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  /** A tab. @param {string} url @param {{width?: number, height?: number, touch?: boolean}} [size] */
  async page(url, { width = 1280, height = 900, touch = false } = {}) {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    for (const domain of ['Page', 'Runtime', 'Log']) await page.send(`${domain}.enable`);
    await page.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: touch });
    if (touch) await page.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    await page.send('Page.navigate', { url });
    await page.until(
      'document.querySelector("#board [data-square]") && document.querySelector(".link-state.on")',
      'the page is connected',
    );
    return page;
  }

  close() {
    this.process.kill();
    return new Promise((done) =>
      this.process.once('exit', () => {
        rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
        done(null);
      }),
    );
  }
}

export class Page {
  /** @param {Browser} browser @param {string} sessionId @param {string} targetId */
  constructor(browser, sessionId, targetId) {
    this.browser = browser;
    this.sessionId = sessionId;
    this.targetId = targetId;
    /** What the console said that should not be there. @type {string[]} */
    this.faults = [];
    browser.listeners.add((message) => {
      if (message.sessionId !== sessionId) return;
      const { method, params } = message;
      if (method === 'Runtime.exceptionThrown')
        this.faults.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
      if (method === 'Log.entryAdded' && params.entry.level === 'error')
        this.faults.push(`${params.entry.text} ${params.entry.url ?? ''}`);
      if (method === 'Runtime.consoleAPICalled' && ['error', 'assert'].includes(params.type))
        this.faults.push(JSON.stringify(params.args));
    });
  }

  /** @param {string} method @param {object} [params] */
  send(method, params) {
    return this.browser.send(method, params, this.sessionId);
  }

  /** The value of an expression in the page. @param {string} expression @returns {Promise<any>} */
  async value(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
      expression,
      returnByValue: true,
      awaitPromise: true,
      userGesture: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Waits until an expression is true. @param {string} expression @param {string} [what] */
  async until(expression, what = expression) {
    for (const end = Date.now() + TIMEOUT_MS; Date.now() < end; await pause(30)) {
      if (await this.value(`Boolean(${expression})`).catch(() => false)) return;
    }
    throw new Error(`not within ${TIMEOUT_MS / 1000} s: ${what}\n${this.faults.join('\n')}`);
  }

  /** The middle of an element. @param {string} selector @returns {Promise<{x: number, y: number}>} */
  async middle(selector) {
    await this.until(`document.querySelector(${JSON.stringify(selector)})`, selector);
    return this.value(
      `(() => { const e = document.querySelector(${JSON.stringify(selector)}); e.scrollIntoView({block: 'nearest'}); const r = e.getBoundingClientRect(); return { x: r.x + r.width / 2, y: r.y + r.height / 2 }; })()`,
    );
  }

  /** @param {string} selector @param {{button?: string}} [options] */
  async click(selector, { button = 'left' } = {}) {
    const at = await this.middle(selector);
    await this.mouse('mouseMoved', at);
    await this.mouse('mousePressed', at, button);
    await this.mouse('mouseReleased', at, button);
  }

  /** @param {string} type @param {{x: number, y: number}} at @param {string} [button] */
  mouse(type, at, button = 'none') {
    return this.send('Input.dispatchMouseEvent', {
      type,
      ...at,
      button,
      buttons: button === 'left' && type !== 'mouseReleased' ? 1 : 0,
      clickCount: type === 'mouseMoved' ? 0 : 1,
    });
  }

  /** @param {string} selector */
  async tap(selector) {
    const at = await this.middle(selector);
    await this.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at] });
    await this.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  }

  /** Presses and lets go of a key; `Shift+A`, `Ctrl+C`. @param {string} name */
  async key(name) {
    await this.keyEvent('keyDown', name);
    await this.keyEvent('keyUp', name);
  }

  /** @param {'keyDown' | 'keyUp'} type @param {string} name */
  keyEvent(type, name) {
    const parts = name.split('+');
    const key = /** @type {string} */ (parts.pop());
    const modifiers =
      (parts.includes('Alt') ? 1 : 0) | (parts.includes('Ctrl') ? 2 : 0) | (parts.includes('Shift') ? 8 : 0);
    const letter = key.length === 1;
    const code = letter && /[a-z]/i.test(key) ? `Key${key.toUpperCase()}` : key === ' ' ? 'Space' : key;
    const text = letter && !(modifiers & 3) ? key : key === 'Enter' ? '\r' : undefined;
    const keyCodes = /** @type {Record<string, number>} */ ({
      Enter: 13,
      Escape: 27,
      Backspace: 8,
      Tab: 9,
      ' ': 32,
      ArrowLeft: 37,
      ArrowUp: 38,
      ArrowRight: 39,
      ArrowDown: 40,
      Home: 36,
      End: 35,
    });
    return this.send('Input.dispatchKeyEvent', {
      type: type === 'keyDown' && text === undefined ? 'rawKeyDown' : type,
      key,
      code,
      modifiers,
      text,
      windowsVirtualKeyCode: keyCodes[key] ?? key.toUpperCase().charCodeAt(0),
    });
  }

  /** @param {string} text */
  write(text) {
    return this.send('Input.insertText', { text });
  }

  close() {
    return this.browser.send('Target.closeTarget', { targetId: this.targetId });
  }
}
