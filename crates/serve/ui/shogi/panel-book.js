// The books: their list with order and edits, what they say of the position, their lines and searches.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { number, t } from '../common/i18n.js';
import { size } from '../common/file-browser.js';
import { fnButton } from '../common/widgets.js';
import { bookMoves } from './book-table.js';
import { bookChoice, bookPath, bookSearch, bookTree } from './book-parts.js';

/** @typedef {import('./actions.js').Actions} Actions */
/** @typedef {import('./books.js').BookInfo} BookInfo */

/** @type {Record<string, (actions: Actions) => any>} */
const PARTS = { moves: bookMoves, path: bookPath, tree: bookTree, search: bookSearch };

/** @param {Actions} actions */
export function bookPanel(actions) {
  const { app, books } = actions;
  const part = actions.bookPart in PARTS ? actions.bookPart : 'moves';
  return html`${list(actions)}
  ${
    books.list.length === 0
      ? nothing
      : html`${notices(actions)}
          <div class="segments" role="group" aria-label=${t('tab.book')}>
            ${Object.keys(PARTS).map(
              (name) =>
                html`<button
                  type="button"
                  class="segment"
                  aria-pressed=${String(name === part)}
                  @click=${() => {
                    actions.bookPart = name;
                    app.changed('view');
                  }}
                >
                  ${t(`book.part.${name}`)}
                </button>`,
            )}
          </div>
          <section>${PARTS[part](actions)}</section>`
  }`;
}

/** @param {Actions} actions */
function list(actions) {
  const { app, books } = actions;
  return html`<section>
    <h2>${t('book.opened.list')}</h2>
    ${
      books.list.length === 0
        ? html`<p class="quiet">${t('book.none')}</p>`
        : html`<div class="scroll">
            <table class="table books">
              <thead>
                <tr>
                  <th>${t('book.name')}</th>
                  <th>${t('book.shown')}</th>
                  <th>${t('settings.engine')}</th>
                  <th class="n">${t('book.positions')}</th>
                  <th>${t('book.order')}</th>
                  ${books.list.some((book) => book.edits > 0) ? html`<th class="n">${t('book.edits')}</th>` : nothing}
                  <td></td>
                </tr>
              </thead>
              <tbody>
                ${books.list.map((book, i) => row(actions, book, i))}
              </tbody>
            </table>
          </div>`
    }
    <p class="buttons">
      ${app.link.can('files') || app.link.can('tab_files') ? fnButton(actions, 'bookOpen') : nothing}
      ${books.list.length > 0 ? html`${fnButton(actions, 'bookUndo')}${fnButton(actions, 'bookRedo')}${fnButton(actions, 'bookSave')}` : nothing}
      ${books.canUndo ? html`<button type="button" class="button" @click=${() => books.change('discard')}>${t('book.discard')}</button>` : nothing}
      ${books.list.length > 1 ? bookChoice(actions) : nothing}
    </p>
  </section>`;
}

/** @param {Actions} actions @param {BookInfo} book @param {number} at */
function row(actions, book, at) {
  const { books } = actions;
  const current = book === books.current;
  const box = (
    /** @type {boolean} */ on,
    /** @type {string} */ label,
    /** @type {() => void} */ toggle,
    disabled = false,
  ) =>
    html`<input
      type="checkbox"
      .checked=${on}
      ?disabled=${disabled}
      aria-label=${`${label}: ${book.name}`}
      @change=${toggle}
    />`;
  return html`<tr class=${current ? 'chosen' : ''}>
    <td>
      <button type="button" class="link" aria-pressed=${String(current)} @click=${() => books.choose(book.book)}>
        ${book.name}
      </button>
      <small class="quiet">${book.format} ${size(Number(book.bytes))}</small>
    </td>
    <td>${box(books.shown.includes(book), t('book.shown'), () => books.toggleShown(book), current)}</td>
    <td>${box(book.engine, t('settings.engine'), () => books.engine(book.book, !book.engine))}</td>
    <td class="n">${book.positions === null ? '…' : number(Number(book.positions))}</td>
    <td>${t(`book.order.${book.order ?? 'unknown'}`)}</td>
    ${books.list.some((one) => one.edits > 0) ? html`<td class="n">${book.edits > 0 ? number(book.edits) : ''}</td>` : nothing}
    <td>
      <span class="row-buttons">
        ${at > 0 ? html`<button type="button" class="button small" aria-label=${t('book.up', { name: book.name })} title=${t('book.up', { name: book.name })} @click=${() => books.move(book.book, at - 1)}>▲</button>` : nothing}
        ${
          book.file.root
            ? html`<button
                type="button"
                class="button small"
                aria-pressed=${String(books.atStart(book))}
                title=${t('book.atStart')}
                aria-label=${`${t('book.atStart')}: ${book.name}`}
                @click=${() => books.toggleAtStart(book)}
              >
                ★
              </button>`
            : nothing
        }
        <button
          type="button"
          class="button small"
          title=${t('book.close')}
          aria-label=${`${t('book.close')}: ${book.name}`}
          @click=${() => books.close(book.book)}
        >
          ✕
        </button>
      </span>
    </td>
  </tr>`;
}

/** What has to be said of the current book. @param {Actions} actions */
function notices(actions) {
  const { app, books } = actions;
  const { current, conflict } = books;
  if (!current) return nothing;
  return html`${current.note ? html`<p class="verdict">${current.note}</p>` : nothing}
  ${conflict ? html`<p class="verdict wrong" role="alert">${conflict}</p>` : nothing}
  ${
    current.order === 'unsorted'
      ? html`<p class="verdict wrong">
          ${current.unsorted_line ? t('book.unsortedAt', { line: number(Number(current.unsorted_line)) }) : t('book.unsorted')}
          ${current.complete === false ? t('book.incomplete') : ''}
          ${
            app.link.can('programs') || app.link.can('jobs')
              ? html`<button type="button" class="button small" @click=${() => actions.open('job', { kind: 'sort' })}>
                  ${t('book.sortJob')}
                </button>`
              : nothing
          }
        </p>`
      : nothing
  }`;
}
