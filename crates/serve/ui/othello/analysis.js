// The analysis of a whole line: each move against the best other one, from the end backwards.

import { evaluation, lineFields, nodesByIndex } from './game-json.js';
import { BLACK } from './rules.js';

/** @typedef {import('./app.js').App} App */

export class Analysis {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {import('../common/link.js').Stream | null} */
    this.stream = null;
    this.done = 0;
    this.total = 0;
    /** What was found for each move, by the node after it. @type {Map<number, any>} */
    this.found = new Map();
    app.onChange((change) => {
      if (change === 'game' && this.tree !== app.tree) this.clear();
    });
  }

  get running() {
    return this.stream !== null;
  }

  clear() {
    this.stop();
    this.tree = this.app.tree;
    this.found = new Map();
  }

  stop() {
    this.stream?.stop();
  }

  /** Analyses the line through the current node, to its end. */
  async start() {
    const { app } = this;
    const { tree } = app;
    const line = tree.line();
    const last = line[line.length - 1];
    if (line.length < 2 || !app.link.can('search')) return;
    this.clear();
    this.tree = tree;
    [this.done, this.total] = [0, line.length - 1];
    const after = nodesByIndex(line);
    const level = app.get('analysis.level') || app.get('ai.level');
    const stream = app.link.request(
      'analyze',
      { ...lineFields(tree, last), level, book: app.get('ai.book') },
      (event) => {
        if (event.ev === 'analyzed') this.take(after[event.index], event, level);
        else if (event.ev === 'progress') [this.done, this.total] = [event.done, event.total];
        app.changed('hints');
      },
    );
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

  /** @param {import('./tree.js').Node | null} node the node after the move @param {any} event @param {number} level */
  take(node, event, level) {
    if (!node?.parent || typeof event.v !== 'number') return;
    const { tree } = this.app;
    const best = event.alternative && event.alternative.v > event.v ? event.alternative : event;
    tree.evaluate(node, evaluation(event, event.side, level));
    tree.evaluate(node.parent, evaluation(best, event.side, level));
    node.loss = event.loss ?? null;
    this.found.set(node.id, event);
  }
}

/**
 * The discs lost by both sides in phases of the game, from the losses of a line.
 * @param {import('./tree.js').Node[]} line @param {(number | null)[]} losses @param {[number, number][]} phases first and last ply
 */
export function lossesByPhase(line, losses, phases) {
  return phases.map(([from, to]) => {
    const sums = { from, to, black: 0, white: 0, known: 0 };
    line.forEach((node, i) => {
      const loss = losses[i];
      if (i === 0 || loss === null || node.position.ply < from || node.position.ply > to) return;
      sums.known++;
      if (line[i - 1].position.side === BLACK) sums.black += loss;
      else sums.white += loss;
    });
    return sums;
  });
}
