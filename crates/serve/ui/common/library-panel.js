// The library of games: folders, search, a list with a choice of several, and what can be done with them.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { number, t } from './i18n.js';
import { Library, TRASH } from './library.js';
import { icon } from './icons.js';
import { field } from './widgets.js';

/** @typedef {import('./page-actions.js').PageActions<any> & {library: Library, openSave: () => void}} Actions */

/**
 * What a page says of its games.
 * @typedef {object} Look
 * @property {() => string} here the position on the board as the messages have it
 * @property {(entry: import('./library.js').Entry) => any} result
 * @property {(entry: import('./library.js').Entry) => string} memo
 * @property {(entry: import('./library.js').Entry) => any} load
 * @property {() => string[]} [openings] names that are offered for a search
 */

/** @param {Actions} actions @param {Look} look */
export function libraryPanel(actions, look) {
  const { app, library } = actions;
  if (!app.link.can('library')) return html`<p class="quiet">${t('games.notOffered')}</p>`;
  if (!library.loaded) library.list();
  const parts = library.folder ? library.folder.split('/') : [];
  return html` <nav class="crumbs" aria-label=${t('games.folder')}>
      <button type="button" class="link" @click=${() => library.list({ folder: '' })}>${t('games.root')}</button>
      ${parts.map((part, i) => html` / <button type="button" class="link" @click=${() => library.list({ folder: parts.slice(0, i + 1).join('/') })}>${part === TRASH ? t('games.trashFolder') : part}</button>`)}
    </nav>
    ${searchForm(actions, look)}
    <p class="buttons">
      <button type="button" class="button" @click=${() => actions.openSave()}>${t('fn.saveGame')}</button>
      ${
        library.readOnly || library.inTrash
          ? nothing
          : html`<button type="button" class="button" @click=${() => actions.open('newFolder')}>
                ${t('games.newFolder')}
              </button>
              ${app.link.can('files') ? html`<button type="button" class="button" @click=${() => actions.open('libraryImport')}>${t('games.import')}</button>` : nothing}`
      }
      ${library.chosen.size > 0 ? chosenButtons(library) : nothing}
      ${library.cut && !library.readOnly ? html`<button type="button" class="button strong" @click=${() => library.pasteCut()}>${t('games.paste', { n: library.cut.games.length })}</button>` : nothing}
      ${library.trash && library.folder === '' ? html`<button type="button" class="button" @click=${() => library.list({ folder: TRASH })}>${t('games.trashFolder')}</button>` : nothing}
    </p>
    ${
      library.folders.length > 0
        ? html`<ul class="folders">
            ${library.folders.map(
              (folder) =>
                html`<li>
                  <button
                    type="button"
                    class="button folder"
                    @click=${() => library.list({ folder: library.folder ? `${library.folder}/${folder}` : folder })}
                    @dragover=${(/** @type {DragEvent} */ event) => event.preventDefault()}
                    @drop=${(/** @type {DragEvent} */ event) => dropOn(library, folder, event)}
                  >
                    ${icon('folder')} ${folder}
                  </button>
                </li>`,
            )}
          </ul>`
        : nothing
    }
    ${notices(library)} ${list(actions, look)}`;
}

/** What can be done with the chosen games: those of a file of several are only copied. @param {Library} library */
function chosenButtons(library) {
  return html`<button type="button" class="button" @click=${() => library.cutChosen('library.copy')}>
      ${t('games.copy')}
    </button>
    ${library.readOnly ? nothing : html`<button type="button" class="button" @click=${() => library.cutChosen()}>${t('games.cut')}</button>`}
    ${library.readOnly || library.inTrash ? nothing : html`<button type="button" class="button" @click=${() => library.trashChosen()}>${t('games.trash')}</button>`}`;
}

/** @param {Library} library */
function notices(library) {
  const { indexing, damaged, damagedTotal } = library;
  return html`${
    indexing
      ? html`<p class="quiet" role="status">
          ${t('games.indexing', { done: number(indexing.done), total: number(indexing.total) })}
        </p>`
      : nothing
  }
  ${
    damagedTotal > 0
      ? html`<details class="damaged">
          <summary>${t('games.damaged', { n: number(damagedTotal) })}</summary>
          <ul>
            ${damaged.map((file) => html`<li>${file.name}: ${file.error}</li>`)}
          </ul>
        </details>`
      : nothing
  }`;
}

/** @param {Library} library @param {string} folder @param {DragEvent} event */
function dropOn(library, folder, event) {
  event.preventDefault();
  const to = library.folder ? `${library.folder}/${folder}` : folder;
  library.tellAll('library.move', library.chosenGames, { to });
}

/** @param {Actions} actions @param {Look} look */
function searchForm({ library }, look) {
  const { search } = library;
  const run = (/** @type {Event} */ event) => {
    event.preventDefault();
    const [from, to] = [Number(field(event, 'from')), Number(field(event, 'to'))];
    Object.assign(search, {
      text: field(event, 'text'),
      player: field(event, 'player'),
      opening: field(event, 'opening'),
      years: from || to ? [from || 0, to || 9999] : null,
      here: field(event, 'here') ? look.here() : null,
    });
    library.list();
  };
  return html`<form
    class="search"
    @submit=${run}
    @reset=${() =>
      setTimeout(() => {
        Object.assign(search, { text: '', player: '', years: null, opening: '', here: null });
        library.list();
      })}
  >
    <label>${t('games.text')}<input name="text" type="search" .value=${search.text} /></label>
    <label>${t('games.player')}<input name="player" type="search" .value=${search.player} /></label>
    <label
      >${t('games.opening')}<input name="opening" type="search" list="opening-names" .value=${search.opening}
    /></label>
    ${look.openings ? html`<datalist id="opening-names">${look.openings().map((name) => html`<option value=${name}></option>`)}</datalist>` : nothing}
    <label>${t('games.from')}<input name="from" type="number" min="1900" max="2100" /></label>
    <label>${t('games.to')}<input name="to" type="number" min="1900" max="2100" /></label>
    <label class="check-row"><input name="here" type="checkbox" /><span>${t('games.here')}</span></label>
    <span class="buttons"
      ><button class="button strong">${t('games.search')}</button
      ><button type="reset" class="button">${t('games.all')}</button></span
    >
  </form>`;
}

/** @param {Actions} actions @param {Look} look */
function list(actions, look) {
  const { library } = actions;
  if (library.games.length === 0) return html`<p class="quiet">${t('games.none')}</p>`;
  return html`<div class="scroll">
      <table class="table games">
        <thead>
          <tr>
            <th>${t('info.date')}</th>
            <th>${t('black')}</th>
            <th class="n">${t('games.result')}</th>
            <th>${t('white')}</th>
            <th>${t('info.memo')}</th>
            <td></td>
          </tr>
        </thead>
        <tbody>
          ${library.games.map(
            (entry, i) =>
              html`<tr
                class=${library.chosen.has(Library.key(entry)) ? 'chosen' : ''}
                aria-selected=${library.chosen.has(Library.key(entry))}
                draggable="true"
                @click=${(/** @type {MouseEvent} */ event) => library.choose(i, event)}
                @dragstart=${() => library.chosen.has(Library.key(entry)) || library.choose(i, { ctrlKey: false, metaKey: false, shiftKey: false })}
                @dblclick=${() => look.load(entry)}
              >
                <td>${entry.date}</td>
                <td>${entry.black}</td>
                <td class="n">${look.result(entry)}</td>
                <td>${entry.white}</td>
                <td class="memo">
                  ${look.memo(entry)}${library.searching && entry.folder ? html` <span class="quiet">${entry.folder}</span>` : nothing}
                </td>
                <td>
                  <button
                    type="button"
                    class="button small"
                    @click=${(/** @type {Event} */ event) => {
                      event.stopPropagation();
                      look.load(entry);
                    }}
                  >
                    ${t('games.load')}
                  </button>
                </td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <p class="pager">
      <button
        type="button"
        class="button small"
        ?disabled=${library.page === 0}
        @click=${() => library.list({ page: library.page - 1 })}
      >
        ◀ ${t('games.before')}
      </button>
      <span
        >${t('games.page', { page: number(library.page + 1), pages: number(library.pages), total: number(library.total) })}</span
      >
      <button
        type="button"
        class="button small"
        ?disabled=${library.page + 1 >= library.pages}
        @click=${() => library.list({ page: library.page + 1 })}
      >
        ${t('games.after')} ▶
      </button>
    </p>`;
}
