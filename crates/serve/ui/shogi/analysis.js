// The analysis of a whole game: each move against the best other one, from the end backwards.

import { fromGame, toGame } from './game-json.js';
import { forBlack } from './tree.js';
import { sideName } from './position.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./tree.js').Node} Node */

export class Analysis {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {import('../common/link.js').Stream | null} */
    this.stream = null;
    this.done = 0;
    this.total = 0;
    /** @type {any} */
    this.summary = null;
    /** A report as a page of its own. @type {{html: string} | null} */
    this.report = null;
    /** @type {object | null} */
    this.tree = null;
    app.onChange((change) => {
      if (change === 'game' && this.tree !== app.tree) this.clear();
    });
  }

  get running() {
    return this.stream !== null;
  }

  /** The moves that were analysed, in the order of the game. @returns {Node[]} */
  get moves() {
    return this.app.tree.mainLine().filter((node) => node.found);
  }

  clear() {
    this.stop();
    this.tree = this.app.tree;
    this.summary = null;
    this.report = null;
  }

  stop() {
    this.stream?.stop();
  }

  /** Analyses the main line of the game. */
  async start() {
    const { app } = this;
    const { tree } = app;
    const line = tree.mainLine();
    if (line.length < 2 || !app.link.can('search')) return;
    this.clear();
    this.tree = tree;
    [this.done, this.total] = [0, line.length - 1];
    const limit =
      app.get('analysis.by') === 'time'
        ? { time_ms: app.get('analysis.timeMs') }
        : { nodes: app.get('analysis.nodes') };
    const fields = {
      game: toGame(tree, line),
      engine: app.get('analysis.engine'),
      lines: app.get('analysis.lines'),
      lang: app.style === 'ja' ? 'ja' : 'en',
      names: 'none',
      report: true,
      ...limit,
    };
    const stream = app.link.request('analyze', fields, (event) => {
      if (event.ev === 'analyzed') this.take(line[event.index + 1] ?? null, event);
      else if (event.ev === 'progress') [this.done, this.total] = [event.done, event.total];
      else if (event.ev === 'summary') this.summary = event;
      else if (event.ev === 'report') this.report = { html: String(event.html) };
      app.changed('think');
    });
    this.stream = stream;
    app.searching('analysis', true);
    const end = await stream.done;
    if (this.stream === stream) {
      this.stream = null;
      app.searching('analysis', false);
    }
    if (end.why === 'error') app.say(end.text ?? '', 'error');
    app.keep();
    app.changed('view');
  }

  /** @param {Node | null} node the node after the move @param {any} event */
  take(node, event) {
    if (!node?.parent || node.move !== event.move) return;
    const { tree } = this.app;
    const { side } = node.parent.position;
    if (event.score) tree.evaluate(node, forBlack(event.score, side), event.depth ?? 0);
    if (event.best_score) tree.evaluate(node.parent, forBlack(event.best_score, side), event.depth ?? 0);
    node.found = event;
  }

  /** Takes the game that the back end wrote scores and better lines into. */
  takeGame() {
    const { app } = this;
    if (!this.summary?.game) return;
    const ply = app.tree.ply();
    const tree = fromGame(this.summary.game);
    const { summary, report } = this;
    const old = app.tree.mainLine();
    tree.mainLine().forEach((node, i) => {
      node.found = old[i]?.found ?? null;
    });
    tree.goToPly(ply);
    this.tree = tree;
    Object.assign(this, { summary, report });
    app.load(tree);
  }
}

/** Losses of a side in a part of the game, from what was found of its moves. @param {Node[]} moves @param {number} side @param {[number, number]} plies first and last */
export function lossBetween(moves, side, [first, last]) {
  const own = moves.filter(
    (node) => node.found && node.found.ply >= first && node.found.ply <= last && node.found.side === sideName(side),
  );
  const loss = own.reduce((sum, node) => sum + Math.min(3000, Math.max(0, Number(node.found.loss) || 0)), 0);
  return { moves: own.length, loss, mean: own.length > 0 ? loss / own.length : 0 };
}
