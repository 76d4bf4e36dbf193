// Research: what one or several engines think of the current position, deeper and deeper, and mate by checks.

import { forBlack } from './tree.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./tree.js').Node} Node */
/** @typedef {import('../common/link.js').Stream} Stream */

/**
 * A line of an engine.
 * @typedef {object} Line
 * @property {number} line
 * @property {string} move
 * @property {import('./tree.js').Score} score for the side to move
 * @property {string | null} bound
 * @property {number | null} depth
 * @property {number | null} sel_depth
 * @property {string[]} pv
 * @property {string | null} end
 */

/** @typedef {{engine: string, node: number, side: string, lines: Line[], book: any[], nodes: string, nps: string, hashfull: number | null, ms: number, final: boolean}} Thought */

export class Research {
  /** @param {App} app @param {import('./engines.js').Engines} engines */
  constructor(app, engines) {
    this.app = app;
    this.engines = engines;
    /** Whether the user wants engines to think. */
    this.on = false;
    /** @type {Map<string, {key: string, stream: Stream}>} */
    this.streams = new Map();
    /** The latest of each engine. @type {Map<string, Thought>} */
    this.thoughts = new Map();
    /** What engines said of nodes where they are no longer asked. @type {Map<number, Map<string, Thought>>} */
    this.known = new Map();
    /** Moves that are to be looked at alone, at the node with this id. @type {{node: number, moves: string[]}} */
    this.only = { node: 0, moves: [] };
    /** @type {{node: number, state: string, nodes: string, ms: number, plies: number | null, pv: string[], shortest: boolean} | null} */
    this.mate = null;
    /** @type {Stream | null} */
    this.mateStream = null;
    app.onChange((change) => {
      if (change === 'game' || change === 'settings' || change === 'engine') this.update();
      if (change === 'game' && this.mateStream && this.mate?.node !== app.tree.current.id) this.mateStream.stop();
    });
  }

  get running() {
    return this.streams.size > 0;
  }

  /** What the engines said of a node, in the order in which they were chosen. @returns {Thought[]} */
  at(node = this.app.tree.current) {
    const kept = this.known.get(node.id);
    return kept ? [...kept.values()] : [];
  }

  /** The moves that are looked at alone. */
  get searchMoves() {
    return this.only.node === this.app.tree.current.id ? this.only.moves : [];
  }

  /** @param {string} move */
  toggleMove(move) {
    const moves = this.searchMoves;
    this.only = {
      node: this.app.tree.current.id,
      moves: moves.includes(move) ? moves.filter((other) => other !== move) : [...moves, move],
    };
    this.update();
    this.app.changed('view');
  }

  clearMoves() {
    this.only = { node: 0, moves: [] };
    this.update();
    this.app.changed('view');
  }

  toggle() {
    this.on = !this.on;
    this.update();
    this.app.changed('view');
  }

  /** Asks anew where the position or the settings are others. */
  update() {
    const { app, engines } = this;
    const wanted = this.on && app.searches.size === 0 && !app.ruledEnd() && app.link.can('search');
    const chosen = wanted ? engines.chosen : [];
    for (const [engine, { stream }] of this.streams) {
      if (chosen.includes(engine)) continue;
      stream.stop();
      this.streams.delete(engine);
    }
    for (const engine of chosen) this.ask(engine);
  }

  /** @param {string} engine */
  ask(engine) {
    const { app } = this;
    const node = app.tree.current;
    const moves = this.searchMoves;
    const fields = {
      ...app.tree.lineFields(),
      engine,
      lines: app.get('research.lines'),
      names: 'none',
      ...(moves.length > 0 ? { search_moves: moves } : {}),
    };
    const key = JSON.stringify(fields);
    const before = this.streams.get(engine);
    if (before?.key === key) return;
    const replaces = before ? { replaces: before.stream.id } : {};
    const stream = app.link.request(
      'think',
      { ...fields, ...replaces },
      (event) => {
        if (event.ev === 'thought' && this.streams.get(engine)?.stream === stream) this.take(node, event);
      },
      { keep: true },
    );
    this.streams.set(engine, { key, stream });
    stream.done.then((end) => {
      if (this.streams.get(engine)?.stream !== stream) return;
      this.streams.delete(engine);
      if (end.why === 'error') {
        this.on = false;
        app.say(end.text ?? '', 'error');
      }
      app.changed('view');
    });
  }

  /** @param {Node} node @param {any} event */
  take(node, event) {
    const { app } = this;
    /** @type {Thought} */
    const thought = { ...event, node: node.id };
    thought.lines = withoutTwins(thought.lines, this.known.get(node.id)?.get(event.engine)?.lines ?? []);
    this.thoughts.set(thought.engine, thought);
    const kept = this.known.get(node.id) ?? new Map();
    kept.set(thought.engine, thought);
    this.known.set(node.id, kept);
    const best = thought.lines[0];
    if (best?.score && !best.bound) {
      app.tree.evaluate(node, forBlack(best.score, node.position.side), best.depth ?? 0);
      for (const line of thought.lines) {
        const child = node.children.find((one) => one.move === line.move);
        if (child && !line.bound)
          app.tree.evaluate(child, forBlack(line.score, node.position.side), (line.depth ?? 1) - 1);
      }
      app.write(
        `${thought.engine}  depth ${best.depth ?? ''}  ${JSON.stringify(best.score)}  ${thought.nodes} n  ${best.pv.join(' ')}`,
      );
    }
    app.changed('think');
  }

  /** Searches a mate by checks, or stops that. */
  async searchMate() {
    const { app } = this;
    if (this.mateStream) {
      this.mateStream.stop();
      return;
    }
    const node = app.tree.current;
    this.mate = { node: node.id, state: 'searching', nodes: '0', ms: 0, plies: null, pv: [], shortest: false };
    const fields = { ...app.tree.lineFields(), time_ms: app.get('research.mateMs'), names: 'none' };
    const stream = app.link.request('mate', fields, (event) => {
      if (event.ev === 'mate') this.mate = { .../** @type {any} */ (event), node: node.id };
      app.changed('view');
    });
    this.mateStream = stream;
    app.changed('view');
    const end = await stream.done;
    this.mateStream = null;
    if (end.why === 'error') app.say(end.text ?? '', 'error');
    if (this.mate?.state === 'searching') this.mate = { ...this.mate, state: 'unknown' };
    app.changed('view');
  }
}

/**
 * Lines of different first moves. While an iteration is under way an engine has told the new best line already, and the old one of the same
 * move stands further down: what was known of other moves takes its place.
 * @param {Line[]} lines @param {Line[]} before
 */
export function withoutTwins(lines, before) {
  const moves = new Set();
  const fresh = (/** @type {Line} */ line) => !moves.has(line.move) && Boolean(moves.add(line.move));
  const own = lines.filter(fresh);
  if (own.length === lines.length) return lines;
  return [...own, ...before.filter(fresh)].slice(0, lines.length).map((line, i) => ({ ...line, line: i + 1 }));
}
