// Where the page begins: makes the models, connects them, and draws what changes.

import { html, render } from '../vendor/lit-html-3.3.3.js';
import { connectBackEnd } from '../common/back-end.js';
import { loadNetwork } from '../common/tab-files.js';
import { listen } from '../common/keyboard.js';
import { addLanguage, bestLanguage, language, onLanguage, setLanguage, t } from '../common/i18n.js';
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
import { renderDialog } from '../common/dialogs.js';
import { closeMenus, menuBar, menuOpen } from '../common/menus.js';
import { controls, ownButtons, playersBar, positionInfo, stateLine, stateText } from './panel-info.js';
import { setLevels } from './levels.js';
import { setEngines } from './panel-settings.js';
import { tabs } from '../common/tabs.js';
import { TABS } from './tab-table.js';
import { applyTheme } from '../common/themes.js';
import { PALETTES } from './themes.js';

const byId = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

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

let due = false;
let spoken = '';

/** Draws all but the board at the next frame. */
function schedule() {
  if (due) return;
  due = true;
  requestAnimationFrame(() => {
    // The board is on the screen with this frame already; the panels follow with the next.
    setTimeout(() => {
      due = false;
      draw();
    });
  });
}

function draw() {
  if (!language()) return;
  render(
    html`<h1>${t('title')}</h1>
      ${menuBar(actions)}<span
        class="link-state ${app.link.online ? 'on' : 'off'}"
        title=${t(app.link.online ? 'link.on' : 'link.off')}
      >
        <span aria-hidden="true">●</span
        ><span class="off-screen">${t(app.link.online ? 'link.on' : 'link.off')}</span></span
      >`,
    byId('head'),
  );
  const banner = byId('banner');
  banner.hidden = app.link.online || !app.link.hello;
  banner.textContent = banner.hidden ? '' : t('link.lost');
  byId('board-title').textContent = t('board.name');
  byId('tabs-title').textContent = t('tabs.name');
  render(html`${playersBar(actions)}${stateLine(actions)}`, byId('above'));
  render(html`${controls(actions)}${positionInfo(actions)}${ownButtons(actions)}`, byId('below'));
  render(tabs(actions, TABS), byId('tabs'));
  renderDialog(/** @type {HTMLDialogElement} */ (byId('dialog')), actions);
  render(html`${app.toasts.map((toast) => html`<p class="toast ${toast.kind}">${toast.text}</p>`)}`, byId('toasts'));
  speak();
  for (const call of app.waiting.splice(0)) call();
}

/** Tells users of screen readers the last move and the result, and nothing else. */
function speak() {
  const { current, over } = app.tree;
  const text = current.parent
    ? `${boardView.label({ disc: 0 }, current.move, new Set()).split(',')[0]} ${over || current.passed || app.waitingPass ? stateText(actions, false) : ''}`
    : '';
  if (text === spoken) return;
  spoken = text;
  byId('live').textContent = text;
}

app.onChange((change) => {
  if (change !== 'jobs' && change !== 'runs') boardView.draw();
  if (change === 'settings') look();
  schedule();
});

/** Applies the settings of how the page looks. */
function look() {
  applyTheme(app.get('theme'), app.get('palette'), PALETTES);
  document.documentElement.style.setProperty('--board-share', `${app.get('boardShare')}%`);
  for (const [code, words] of Object.entries(app.get('languages'))) addLanguage(code, words);
  const wanted = app.get('lang') || bestLanguage(navigator.languages);
  if (wanted !== language()) setLanguage(wanted).catch((error) => app.sayError(error));
  byId('laser').hidden = !app.get('show.laser');
}

onLanguage(() => {
  document.title = t('title');
  boardView.draw();
  draw();
});

listen({ table: () => actions.keys, run: (id) => actions.runByKey(id), released: (id) => actions.releaseKey(id) });

document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') closeMenus(actions);
});
document.addEventListener('paste', (event) => {
  const target = /** @type {Element} */ (event.target);
  if (target.closest('input, textarea') || document.querySelector('dialog[open]')) return;
  const text = event.clipboardData?.getData('text');
  if (text) {
    event.preventDefault();
    actions.importText(text);
  }
});
document.addEventListener('dragover', (event) => {
  if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
});
document.addEventListener('drop', async (event) => {
  const files = [...(event.dataTransfer?.files ?? [])];
  if (files.length === 0 || event.defaultPrevented) return;
  event.preventDefault();
  await actions.takeFiles(files);
});
document.addEventListener('pointerdown', (event) => {
  if (menuOpen() && !(/** @type {Element} */ (event.target).closest('.menubar'))) closeMenus(actions);
});
// The side buttons of a mouse walk through the game.
document.addEventListener('mouseup', (event) => {
  if (event.button === 3 || event.button === 4) {
    event.preventDefault();
    actions.run(event.button === 3 ? 'back' : 'forward');
  }
});
document.addEventListener('pointermove', (event) => {
  const laser = byId('laser');
  if (!laser.hidden) laser.style.transform = `translate(${event.clientX}px, ${event.clientY}px)`;
});
byId('dialog').addEventListener('close', () => actions.dialog && actions.close());
byId('dialog').addEventListener('cancel', () => actions.close());
setInterval(() => {
  players.tick();
  if (players.clocks.running && app.get('show.clocks')) schedule();
}, 500);

app.link.on('online', async () => {
  app.askFacts();
  try {
    if (app.link.can('settings')) {
      app.settings.save = null;
      app.settings.replace((await app.link.ask('settings.get')).settings, { save: false });
      app.settings.save = (changes) => app.link.request('settings.put', { settings: changes });
    }
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
  schedule();
});
app.link.on('offline', schedule);
app.link.on('not_kept', ({ path }) => app.say(t('tabFiles.saved', { name: path }), 'error'));
app.link.on('engine', (event) => {
  setEngines(event.engines ?? []);
  schedule();
});
app.link.on('settings', (event) => app.settings.replace(event.settings, { save: false }));

byId('head').replaceChildren();
byId('board').append(boardView.board.element);
look();
boardView.draw();
connectBackEnd(app.link);
