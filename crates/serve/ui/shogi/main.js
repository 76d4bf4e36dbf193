// Where the page begins: makes the models, connects them, and draws what changes.

import { html, render } from '../vendor/lit-html-3.3.3.js';
import { usePart } from '../common/i18n.js';
import { PageFrame, byId } from '../common/page-frame.js';
import { loadNetwork } from '../common/tab-files.js';
import { Jobs } from '../common/jobs.js';
import { Library } from '../common/library.js';
import { Runs } from '../common/runs.js';
import { Actions } from './actions.js';
import { Analysis } from './analysis.js';
import { App } from './app.js';
import { BoardView } from './board-view.js';
import { BookLists } from './book-lists.js';
import { Books } from './books.js';
import { Engines } from './engines.js';
import { controls, ownButtons, playersBar, positionInfo, scoreBar, stateLine, stateText } from './panel-info.js';
import { scrollToCurrent } from './panel-moves.js';
import { Players } from './players.js';
import { Research } from './research.js';
import { TABS } from './tab-table.js';
import { PALETTES } from './themes.js';

usePart('shogi');
const app = new App();
const restored = app.restore();
const engines = new Engines(app);
const research = new Research(app, engines);
const players = new Players(app);
players.onThought = (/** @type {import('./tree.js').Node} */ node, /** @type {any} */ event) =>
  research.take(node, event);
const analysis = new Analysis(app);
const books = new Books(app);
const lists = new BookLists(app, books);
const jobs = new Jobs(app);
const library = new Library(app, 'position');
const runs = new Runs(app);
const actions = new Actions(app, { engines, research, players, analysis, books, lists, jobs, library, runs });
const boardView = new BoardView(app, research, books, (spot) => actions.contextMenu(spot));
actions.boardView = boardView;

/** The node of the last drawing, so that the list of moves follows only when it is another one. */
let drawnNode = 0;

const frame = new PageFrame(actions, {
  palettes: PALETTES,
  tabs: TABS,
  panels: () => {
    render(html`${playersBar(actions)}${scoreBar(actions)}${stateLine(actions)}`, byId('above'));
    render(html`${controls(actions)}${positionInfo(actions)}${ownButtons(actions)}`, byId('below'));
  },
  drawn: () => {
    if (drawnNode !== app.tree.current.id) {
      drawnNode = app.tree.current.id;
      scrollToCurrent();
    }
    speak();
  },
});

/** Tells users of screen readers the last move and the result, and nothing else. */
function speak() {
  const { current } = app.tree;
  frame.speak(current.parent && !app.preview ? (app.over ? stateText(actions) : app.nameOf(current)) : '');
}

document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  boardView.board.unpick();
  if (app.preview) app.show(null);
});
// The wheel over the board walks through the game, too.
byId('board').addEventListener(
  'wheel',
  (event) => {
    if (event.ctrlKey || Math.abs(event.deltaY) < 1) return;
    event.preventDefault();
    actions.run(event.deltaY < 0 ? 'back' : 'forward');
  },
  { passive: false },
);
setInterval(() => {
  players.tick();
  if (players.clocks.side !== null && app.get('show.clocks')) frame.schedule();
}, 250);

/** Whether what the command line opened was asked for: a reload keeps the game that is on the page. */
let openedAsked = restored;

app.link.on('online', async () => {
  app.askFacts();
  try {
    await frame.takeSettings();
    if (app.link.can('opened') && !openedAsked) await takeOpened();
    await loadNetwork(actions);
    if (app.link.can('books')) await books.openAtStart();
    if (app.link.can('search')) await engines.reload();
  } catch (error) {
    app.sayError(error);
  }
  // What comes from the server is there: tests wait for it.
  document.body.dataset.loaded = 'true';
  players.update();
  research.update();
  frame.schedule();
});

/** The records that the command line named: one is shown, several are offered. */
async function takeOpened() {
  openedAsked = true;
  /** @type {{items: any[], failures: any[], total: number}} */
  const all = { items: [], failures: [], total: 0 };
  await app.link.request('opened', { names: 'none' }, (event) => {
    if (event.ev !== 'opened') return;
    all.items.push(...(event.items ?? []));
    all.failures.push(...(event.failures ?? []));
    all.total += event.total ?? event.items?.length ?? 0;
  }).done;
  if (all.items.length === 1 && all.failures.length === 0) actions.takeItem(all.items[0]);
  else if (all.total > 0 || all.failures.length > 0) actions.open('import', { text: '', answer: all });
}

frame.begin();
