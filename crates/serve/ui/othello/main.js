// Where the page begins: makes the models, connects them, and draws what changes.

import { html, render } from '../vendor/lit-html-3.3.3.js';
import { PageFrame, byId } from '../common/page-frame.js';
import { loadNetwork } from '../common/tab-files.js';
import { App } from './app.js';
import { Actions } from './actions.js';
import { Analysis } from './analysis.js';
import { BoardView } from './board-view.js';
import { Books } from './books.js';
import { Hints } from './hints.js';
import { Jobs } from '../common/jobs.js';
import { Library } from '../common/library.js';
import { Runs } from '../common/runs.js';
import { Players } from './players.js';
import { Practice } from './practice.js';
import { controls, ownButtons, playersBar, positionInfo, stateLine, stateText } from './panel-info.js';
import { setLevels } from './levels.js';
import { setEngines } from './panel-settings.js';
import { TABS } from './tab-table.js';
import { PALETTES } from './themes.js';

const app = new App();
app.restore();
const hints = new Hints(app);
const players = new Players(app);
const analysis = new Analysis(app);
const books = new Books(app, hints);
const practice = new Practice(app, books);
const jobs = new Jobs(app);
const library = new Library(app, 'board');
const runs = new Runs(app);
players.onHint = (/** @type {import('./tree.js').Node} */ node, /** @type {any} */ event) => hints.take(node, event);
const actions = new Actions(app, { hints, players, analysis, books, practice, jobs, library, runs });
const boardView = new BoardView(app, hints, (square) => actions.editBook(square));
actions.boardView = boardView;

const frame = new PageFrame(actions, {
  palettes: PALETTES,
  tabs: TABS,
  panels: () => {
    render(html`${playersBar(actions)}${stateLine(actions)}`, byId('above'));
    render(html`${controls(actions)}${positionInfo(actions)}${ownButtons(actions)}`, byId('below'));
  },
  drawn: speak,
  looks: () => {
    byId('laser').hidden = !app.get('show.laser');
  },
});

/** Tells users of screen readers the last move and the result, and nothing else. */
function speak() {
  const { current, over } = app.tree;
  const text = current.parent
    ? `${boardView.label({ disc: 0 }, current.move, new Set()).split(',')[0]} ${over || current.passed || app.waitingPass ? stateText(actions, false) : ''}`
    : '';
  frame.speak(text);
}

document.addEventListener('pointermove', (event) => {
  const laser = byId('laser');
  if (!laser.hidden) laser.style.transform = `translate(${event.clientX}px, ${event.clientY}px)`;
});
setInterval(() => {
  players.tick();
  if (players.clocks.running && app.get('show.clocks')) frame.schedule();
}, 500);

app.link.on('online', async () => {
  app.askFacts();
  try {
    await frame.takeSettings();
    await loadNetwork(actions);
    if (app.link.can('books')) await books.openAtStart();
    const { program, levels } = await app.link.ask('levels');
    setLevels(program ?? 'own', levels ?? []);
    if (app.link.can('search')) setEngines((await app.link.ask('engines')).engines ?? []);
  } catch (error) {
    app.sayError(error);
  }
  // What comes from the server is there: tests wait for it.
  document.body.dataset.loaded = 'true';
  hints.resume();
  players.update();
  frame.schedule();
});
app.link.on('engine', (event) => {
  setEngines(event.engines ?? []);
  frame.schedule();
});

frame.begin();
