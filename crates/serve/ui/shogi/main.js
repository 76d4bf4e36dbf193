// Where the page begins: makes the models, connects them, and draws what changes.

import { html, render } from '../vendor/lit-html-3.3.3.js';
import { connectBackEnd } from '../common/back-end.js';
import { loadNetwork } from '../common/tab-files.js';
import { listen } from '../common/keyboard.js';
import { addLanguage, bestLanguage, language, onLanguage, setLanguage, t, usePart } from '../common/i18n.js';
import { renderDialog } from '../common/dialogs.js';
import { Jobs } from '../common/jobs.js';
import { Library } from '../common/library.js';
import { closeMenus, menuBar, menuOpen } from '../common/menus.js';
import { Runs } from '../common/runs.js';
import { tabs } from '../common/tabs.js';
import { applyTheme } from '../common/themes.js';
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

const byId = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

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

let due = false;
let spoken = '';
/** The node of the last drawing, so that the list of moves follows only when it is another one. */
let drawnNode = 0;

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
  const online = app.link.online;
  render(
    html`<h1>${t('title')}</h1>
      ${menuBar(actions)}<span class="link-state ${online ? 'on' : 'off'}" title=${t(online ? 'link.on' : 'link.off')}>
        <span aria-hidden="true">●</span><span class="off-screen">${t(online ? 'link.on' : 'link.off')}</span></span
      >`,
    byId('head'),
  );
  const banner = byId('banner');
  banner.hidden = online || !app.link.hello;
  banner.textContent = banner.hidden ? '' : t('link.lost');
  byId('board-title').textContent = t('board.name');
  byId('tabs-title').textContent = t('tabs.name');
  render(html`${playersBar(actions)}${scoreBar(actions)}${stateLine(actions)}`, byId('above'));
  render(html`${controls(actions)}${positionInfo(actions)}${ownButtons(actions)}`, byId('below'));
  render(tabs(actions, TABS), byId('tabs'));
  renderDialog(/** @type {HTMLDialogElement} */ (byId('dialog')), actions);
  render(html`${app.toasts.map((toast) => html`<p class="toast ${toast.kind}">${toast.text}</p>`)}`, byId('toasts'));
  if (drawnNode !== app.tree.current.id) {
    drawnNode = app.tree.current.id;
    scrollToCurrent();
  }
  speak();
  for (const call of app.waiting.splice(0)) call();
}

/** Tells users of screen readers the last move and the result, and nothing else. */
function speak() {
  const { current } = app.tree;
  const text = current.parent && !app.preview ? (app.over ? stateText(actions) : app.nameOf(current)) : '';
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
}

onLanguage(() => {
  document.title = t('title');
  boardView.draw();
  draw();
});

listen({ table: () => actions.keys, run: (id) => actions.runByKey(id), released: (id) => actions.releaseKey(id) });

document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  closeMenus(actions);
  boardView.board.unpick();
  if (app.preview) app.show(null);
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
document.addEventListener('drop', (event) => {
  const files = [...(event.dataTransfer?.files ?? [])];
  if (files.length === 0 || event.defaultPrevented) return;
  event.preventDefault();
  actions.takeFiles(files);
});
document.addEventListener('pointerdown', (event) => {
  if (menuOpen() && !(/** @type {Element} */ (event.target).closest('.menubar'))) closeMenus(actions);
});
// The wheel over the board and the side buttons of a mouse walk through the game.
byId('board').addEventListener(
  'wheel',
  (event) => {
    if (event.ctrlKey || Math.abs(event.deltaY) < 1) return;
    event.preventDefault();
    actions.run(event.deltaY < 0 ? 'back' : 'forward');
  },
  { passive: false },
);
document.addEventListener('mouseup', (event) => {
  if (event.button === 3 || event.button === 4) {
    event.preventDefault();
    actions.run(event.button === 3 ? 'back' : 'forward');
  }
});
byId('dialog').addEventListener('close', () => actions.dialog && actions.close());
byId('dialog').addEventListener('cancel', () => actions.close());
setInterval(() => {
  players.tick();
  if (players.clocks.side !== null && app.get('show.clocks')) schedule();
}, 250);

/** Whether what the command line opened was asked for: a reload keeps the game that is on the page. */
let openedAsked = restored;

app.link.on('online', async () => {
  app.askFacts();
  try {
    if (app.link.can('settings')) {
      app.settings.save = null;
      app.settings.replace((await app.link.ask('settings.get')).settings, { save: false });
      app.settings.save = (changes) => app.link.request('settings.put', { settings: changes });
    }
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
  schedule();
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

app.link.on('offline', schedule);
app.link.on('not_kept', ({ path }) => app.say(t('tabFiles.saved', { name: path }), 'error'));
app.link.on('settings', (event) => app.settings.replace(event.settings, { save: false }));

byId('head').replaceChildren();
byId('board').append(boardView.board.element);
look();
boardView.draw();
connectBackEnd(app.link);
