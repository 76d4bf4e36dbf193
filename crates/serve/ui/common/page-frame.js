// What both pages do around their panels: head, banner, dialog and messages, how the page looks, and what the browser tells of
// the mouse, of files and of the clipboard.

import { html, render } from '../vendor/lit-html-3.3.3.js';
import { connectBackEnd } from './back-end.js';
import { renderDialog } from './dialogs.js';
import { addLanguage, bestLanguage, language, onLanguage, setLanguage, t } from './i18n.js';
import { listen } from './keyboard.js';
import { closeMenus, menuBar, menuOpen } from './menus.js';
import { tabs } from './tabs.js';
import { applyTheme } from './themes.js';

/** An element of the page. @param {string} id */
export const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

export class PageFrame {
  /**
   * @param {any} actions what the page can do; `actions.app` and `actions.boardView` are there
   * @param {{palettes: any, tabs: any, panels: () => void, drawn: () => void, looks?: () => void}} page `panels` draws what is neither
   *   board nor here, `drawn` follows when all is drawn, `looks` applies settings of the page's own looks
   */
  constructor(actions, page) {
    this.actions = actions;
    this.app = actions.app;
    this.page = page;
    this.due = false;
    this.spoken = '';
  }

  /** Draws all but the board at the next frame. */
  schedule() {
    if (this.due) return;
    this.due = true;
    requestAnimationFrame(() => {
      // The board is on the screen with this frame already; the panels follow with the next.
      setTimeout(() => {
        this.due = false;
        this.draw();
      });
    });
  }

  draw() {
    if (!language()) return;
    const { actions, app } = this;
    const { online } = app.link;
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
    this.page.panels();
    render(tabs(actions, this.page.tabs), byId('tabs'));
    renderDialog(/** @type {HTMLDialogElement} */ (byId('dialog')), actions);
    render(
      html`${app.toasts.map((/** @type {any} */ toast) => html`<p class="toast ${toast.kind}">${toast.text}</p>`)}`,
      byId('toasts'),
    );
    this.page.drawn();
    for (const call of app.waiting.splice(0)) call();
  }

  /** Tells users of screen readers a text, once. @param {string} text */
  speak(text) {
    if (text === this.spoken) return;
    this.spoken = text;
    byId('live').textContent = text;
  }

  /** Applies the settings of how the page looks. */
  look() {
    const { app } = this;
    applyTheme(app.get('theme'), app.get('palette'), this.page.palettes);
    document.documentElement.style.setProperty('--board-share', `${app.get('boardShare')}%`);
    for (const [code, words] of Object.entries(app.get('languages'))) addLanguage(code, words);
    const wanted = app.get('lang') || bestLanguage(navigator.languages);
    if (wanted !== language()) setLanguage(wanted).catch((error) => app.sayError(error));
    this.page.looks?.();
  }

  /** Takes over the settings of the server, and tells it of later changes. */
  async takeSettings() {
    const { link, settings } = this.app;
    if (!link.can('settings')) return;
    settings.save = null;
    settings.replace((await link.ask('settings.get')).settings, { save: false });
    settings.save = (/** @type {any} */ changes) => link.request('settings.put', { settings: changes });
  }

  /** Draws the page for the first time, listens to all that happens, and connects to what answers. */
  begin() {
    const { actions, app } = this;
    const { boardView } = actions;
    app.onChange((/** @type {string} */ change) => {
      if (change !== 'jobs' && change !== 'runs') boardView.draw();
      if (change === 'settings') this.look();
      this.schedule();
    });
    onLanguage(() => {
      document.title = t('title');
      boardView.draw();
      this.draw();
    });
    listen({
      table: () => actions.keys,
      run: (id) => actions.runByKey(id),
      released: (id) => actions.releaseKey(id),
    });
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') closeMenus(actions);
    });
    document.addEventListener('pointerdown', (event) => {
      if (menuOpen() && !(/** @type {Element} */ (event.target).closest('.menubar'))) closeMenus(actions);
    });
    // The side buttons of a mouse walk through the game.
    document.addEventListener('mouseup', (event) => {
      if (event.button !== 3 && event.button !== 4) return;
      event.preventDefault();
      actions.run(event.button === 3 ? 'back' : 'forward');
    });
    this.takeWhatIsGiven();
    byId('dialog').addEventListener('close', () => actions.dialog && actions.close());
    byId('dialog').addEventListener('cancel', () => actions.close());
    app.link.on('offline', () => this.schedule());
    app.link.on('not_kept', (/** @type {any} */ { path }) => app.say(t('tabFiles.saved', { name: path }), 'error'));
    app.link.on('settings', (/** @type {any} */ event) => app.settings.replace(event.settings, { save: false }));
    byId('head').replaceChildren();
    byId('board').append(boardView.board.element);
    this.look();
    boardView.draw();
    connectBackEnd(app.link);
  }

  /** Texts that are pasted, and files that are dropped. */
  takeWhatIsGiven() {
    const { actions } = this;
    document.addEventListener('paste', (event) => {
      const target = /** @type {Element} */ (event.target);
      if (target.closest('input, textarea') || document.querySelector('dialog[open]')) return;
      const text = event.clipboardData?.getData('text');
      if (!text) return;
      event.preventDefault();
      actions.importText(text);
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
  }
}
