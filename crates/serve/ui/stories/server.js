// The program that serves the page, for the stories.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The program `othello`, or an empty text: `OTHELLO`, or what was built last in this workspace. */
export const OTHELLO =
  [
    process.env.OTHELLO,
    ...['release', 'debug'].map((kind) => new URL(`../../../../target/${kind}/othello`, import.meta.url).pathname),
  ].find((path) => path && existsSync(path)) ?? '';

/** A URL of a page that is served already, for trying the stories against another back end. */
const SERVED = process.env.STORIES_URL ?? '';

/** Whether there is something to try. */
export const SERVABLE = Boolean(SERVED || OTHELLO);

export class Server {
  /** @param {string[]} [options] further options of `othello serve` */
  constructor(options = []) {
    this.options = options;
    this.folder = mkdtempSync(join(tmpdir(), 'stories-home-'));
    /** @type {import('node:child_process').ChildProcess | null} */
    this.process = null;
  }

  /** Starts it, and waits for the address that it prints. @returns {Promise<string>} */
  start() {
    if (SERVED) return Promise.resolve(SERVED);
    const child = spawn(OTHELLO, ['serve', ...this.options], {
      cwd: this.folder,
      env: { ...process.env, HOME: this.folder, XDG_CONFIG_HOME: this.folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.process = child;
    return new Promise((resolve, reject) => {
      let said = '';
      const hear = (/** @type {Buffer} */ data) => {
        said += data;
        const url = /http:\/\/\S+/.exec(said)?.[0];
        if (url) resolve(url);
      };
      child.stdout?.on('data', hear);
      child.stderr?.on('data', hear);
      child.once('exit', (code) => reject(new Error(`othello serve ended with ${code}:\n${said}`)));
    });
  }

  stop() {
    const { process: child } = this;
    return new Promise((done) => {
      const clean = () => {
        rmSync(this.folder, { recursive: true, force: true });
        done(null);
      };
      if (!child || child.exitCode !== null) clean();
      else {
        child.once('exit', clean);
        child.kill();
      }
    });
  }
}
