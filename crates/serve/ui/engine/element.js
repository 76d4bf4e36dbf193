// <yaneura-board>: a board with an engine, for any page.
//
// Attributes: `game` (shogi, othello), `position` (SFEN; 64 squares and the side), `moves` (7g7f 3c3d; f5d6), `engine` (black, white: the side that the
// engine plays; both sides are the reader's without it), `lines` (how many moves are valued), `time` (milliseconds of a search), `flip`.
// Events: `move` (detail: { move, moves, by }), `lines` (detail: what the engine found), `over`.

import { Engine } from './client.js';
import { othelloGame } from './element-othello.js';
import { shogiGame } from './element-shogi.js';

/**
 * What the element knows of a game.
 * @typedef {object} BoardGame
 * @property {SVGSVGElement} element the board
 * @property {string[]} moves
 * @property {string} side `black` or `white`
 * @property {boolean} over
 * @property {(position: string, moves: string[]) => void} set throws an Error that says what is wrong
 * @property {(move: string) => boolean} play
 * @property {(lines: {move: string, text: string}[]) => void} show values on the board
 * @property {() => object} request the position in requests
 * @property {{think: string, lines: (event: any) => {move: string, text: string, pv: string}[]}} search
 */

/** Engines by game, which all boards of a page share. @type {Map<string, Engine>} */
const engines = new Map();

const STYLE = `
:host { display: block; max-width: 34rem; font: 1rem/1.5 system-ui, sans-serif; color: CanvasText; }
:host svg.board { display: block; width: 100%; height: auto; max-height: none; }
[part=status] { min-height: 1.5em; margin: 0.25rem 0; }
ol { margin: 0.25rem 0; padding-left: 1.5rem; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.tools { display: flex; gap: 0.5rem; }
button { font: inherit; padding: 0.25rem 0.75rem; min-height: 2.25rem; }
`;

/** A style sheet of the pages, whose colours of the whole page are those of the element here. @type {Map<string, Promise<CSSStyleSheet>>} */
const sheets = new Map();

/** @param {string} name */
function sheet(name) {
  let known = sheets.get(name);
  if (!known) {
    known = fetch(new URL(name, import.meta.url)).then(async (answer) => {
      const made = new CSSStyleSheet();
      made.replaceSync(
        (await answer.text()).replaceAll(/:root(\[[^\]]*\]|:not\([^)]*\)|:lang\([^)]*\))*/g, (found) =>
          found === ':root' ? ':host' : `:host(${found.slice(5)})`,
        ),
      );
      return made;
    });
    sheets.set(name, known);
  }
  return known;
}

export class YaneuraBoard extends HTMLElement {
  static observedAttributes = ['game', 'position', 'moves', 'engine', 'lines', 'time', 'flip'];

  constructor() {
    super();
    /** @type {BoardGame | null} */
    this.board = null;
    /** @type {import('./client.js').Stream | null} */
    this.stream = null;
    this.isDue = false;
    this.attachShadow({ mode: 'open' });
  }

  connectedCallback() {
    this.due();
  }

  disconnectedCallback() {
    this.stream?.stop();
    this.stream = null;
  }

  attributeChangedCallback() {
    if (this.isConnected) this.due();
  }

  /** The moves since the position. */
  get moves() {
    return this.board?.moves ?? [];
  }

  /** Makes the board after all attributes have been set. */
  due() {
    if (this.isDue) return;
    this.isDue = true;
    queueMicrotask(() => {
      this.isDue = false;
      if (this.isConnected) this.begin();
    });
  }

  /** The engine of the game, started when it is needed first. */
  get engine() {
    const game = this.getAttribute('game') === 'othello' ? 'othello' : 'shogi';
    let engine = engines.get(game);
    if (!engine) engines.set(game, (engine = new Engine({ game })));
    return engine;
  }

  begin() {
    const isOthello = this.getAttribute('game') === 'othello';
    const root = /** @type {ShadowRoot} */ (this.shadowRoot);
    this.board = (isOthello ? othelloGame : shogiGame)({
      flip: this.hasAttribute('flip'),
      mayMove: () => this.getAttribute('engine') !== this.board?.side,
      moved: (move) => this.moved(move, 'reader'),
    });
    const style = document.createElement('style');
    style.textContent = STYLE;
    this.status = document.createElement('p');
    this.status.setAttribute('part', 'status');
    this.status.setAttribute('role', 'status');
    this.list = document.createElement('ol');
    this.list.setAttribute('part', 'lines');
    const tools = document.createElement('div');
    tools.className = 'tools';
    tools.append(
      this.button('↩', 'Undo 待った', () => this.undo()),
      this.button('⟲', 'Restart 初めから', () => this.begin()),
    );
    root.replaceChildren(style, this.board.element, this.status, this.list, tools);
    const names = isOthello
      ? ['../common/theme.css', '../othello/board.css']
      : ['../common/theme.css', '../shogi/board.css'];
    Promise.all(names.map(sheet)).then(
      (all) => (root.adoptedStyleSheets = all),
      (error) => this.say(String(error)),
    );
    try {
      const moves = this.getAttribute('moves') ?? '';
      const list = isOthello ? (moves.replaceAll(/\s+/g, '').match(/../g) ?? []) : moves.split(/\s+/).filter(Boolean);
      this.board.set(this.getAttribute('position') ?? '', list);
    } catch (error) {
      this.say(/** @type {Error} */ (error).message);
      return;
    }
    this.next();
  }

  /** @param {string} text @param {string} label @param {() => void} run */
  button(text, label, run) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = text;
    button.setAttribute('aria-label', label);
    button.title = label;
    button.addEventListener('click', run);
    return button;
  }

  /** @param {string} text */
  say(text) {
    if (this.status) this.status.textContent = text;
  }

  /** Takes moves back until it is the reader's turn. */
  undo() {
    const { board } = this;
    if (!board || board.moves.length === 0) return;
    const start = this.getAttribute('position') ?? '';
    const moves = board.moves.slice(0, -1);
    board.set(start, moves);
    while (moves.length > 0 && board.side === this.getAttribute('engine')) {
      moves.pop();
      board.set(start, moves);
    }
    this.next();
  }

  /** @param {string} move @param {'reader' | 'engine'} by */
  moved(move, by) {
    const moves = this.moves;
    this.dispatchEvent(new CustomEvent('move', { detail: { move, moves, by }, bubbles: true }));
    this.next();
  }

  /** What follows a position: the engine's move, or values of moves, or nothing. */
  next() {
    const { board } = this;
    this.stream?.stop();
    this.stream = null;
    if (!board) return;
    this.list?.replaceChildren();
    board.show([]);
    this.say('');
    if (board.over) {
      this.dispatchEvent(new CustomEvent('over', { detail: { moves: board.moves }, bubbles: true }));
      return;
    }
    const time = Number(this.getAttribute('time')) || 2000;
    const lines = Number(this.getAttribute('lines')) || 0;
    if (this.getAttribute('engine') === board.side) this.answer(board, time);
    else if (lines > 0) this.value(board, lines, time);
  }

  /** Lets the engine move. @param {BoardGame} board @param {number} time */
  answer(board, time) {
    this.say('…');
    /** @type {string | null} */
    let move = null;
    const stream = this.engine.request('play', { ...board.request(), time_ms: time }, (event) => {
      if (event.ev === 'play') move = event.move;
    });
    this.stream = stream;
    stream.done.then((end) => {
      if (this.stream !== stream) return;
      this.stream = null;
      if (end.why === 'error') this.say(end.text ?? '');
      else if (move && board.play(move)) this.moved(move, 'engine');
      else this.say('');
    });
  }

  /** Lets the engine value moves. @param {BoardGame} board @param {number} lines @param {number} time */
  value(board, lines, time) {
    const stream = this.engine.request(board.search.think, { ...board.request(), lines, time_ms: time }, (event) => {
      if (event.ev !== 'hint' && event.ev !== 'thought') return;
      const found = board.search.lines(event).slice(0, lines);
      board.show(found);
      this.list?.replaceChildren(
        ...found.map(({ text, pv }) => {
          const item = document.createElement('li');
          item.textContent = `${text}  ${pv}`;
          return item;
        }),
      );
      this.dispatchEvent(new CustomEvent('lines', { detail: found, bubbles: true }));
    });
    this.stream = stream;
    stream.done.then((end) => end.why === 'error' && this.say(end.text ?? ''));
  }
}

if (!customElements.get('yaneura-board')) customElements.define('yaneura-board', YaneuraBoard);
