// Books: the opened ones, what they say of the position side by side, editing, the tree below the position, practice.

import { html, live, nothing } from '../vendor/lit-html-3.3.3.js';
import { number, signed, t } from '../common/i18n.js';
import { BLACK, WHITE, squareOf } from './rules.js';
import { lineFields } from './game-json.js';
import { fnButton, plainSelect, slider } from '../common/widgets.js';
import { short } from './hints.js';

/** @typedef {import('./actions.js').Actions} Actions */

/** The tree that was asked for: its book, its root node, and its rows. @type {{book: string, node: number, nodes: any[], closed: Set<number>} | null} */
let tree = null;

/** @param {number} level */
const levelText = (level) => (level >= 70 ? 'S' : String(level));

/** @param {Actions} actions */
export function bookPanel(actions) {
  const { app, books } = actions;
  if (!app.link.can('books')) return html`<p class="quiet">${t('book.notOffered')}</p>`;
  return html`<section>
      <h2>${t('book.opened.list')}</h2>
      ${
        books.list.length === 0
          ? html`<p class="quiet">${t('book.none')}</p>`
          : html`<table class="table">
              <thead>
                <tr>
                  <th>${t('book.name')}</th>
                  <th>${t('book.format')}</th>
                  <th class="n">${t('book.positions')}</th>
                  <th class="n">${t('book.edits')}</th>
                  <td></td>
                  <td></td>
                </tr>
              </thead>
              <tbody>
                ${books.list.map(
                  (book) =>
                    html` <tr class=${book === books.current ? 'best' : ''}>
                      <td>
                        <label
                          ><input
                            type="radio"
                            name="book"
                            .checked=${book === books.current}
                            @change=${() => {
                              books.chosen = book.book;
                              app.changed('view');
                            }}
                          />
                          ${book.name}</label
                        >
                      </td>
                      <td>${book.format}</td>
                      <td class="n">${number(Number(book.positions))}</td>
                      <td class="n">${number(book.edits)}</td>
                      <td>
                        <label ?hidden=${!books.canOpen(book)}
                          ><input
                            type="checkbox"
                            .checked=${live(books.atStart(book))}
                            @change=${() => books.toggleAtStart(book)}
                          />
                          ${t('book.atStart')}</label
                        >
                      </td>
                      <td>
                        <button type="button" class="button small" @click=${() => books.close(book.book)}>
                          ${t('book.close')}
                        </button>
                      </td>
                    </tr>`,
                )}
              </tbody>
            </table>`
      }
      ${books.current?.note ? html`<p class="quiet" role="status">${books.current.note}</p>` : nothing}
      <p class="buttons">
        ${fnButton(actions, 'bookOpen')}${
          books.current?.can_edit
            ? html`${fnButton(actions, 'bookEdit')}${fnButton(actions, 'bookUndo')}${fnButton(actions, 'bookRedo')}
              ${fnButton(actions, 'bookSave')}${books.canUndo ? html`<button type="button" class="button" @click=${() => books.change('discard')}>${t('book.discard')}</button>` : nothing}`
            : books.current?.note
              ? html`<button type="button" class="button" @click=${() => books.change('discard')}>
                  ${t('book.discard')}
                </button>`
              : nothing
        }
      </p>
    </section>
    ${books.list.length > 0 ? html`${compare(actions)}${bookTree(actions)}${practice(actions)}` : nothing}`;
}

/** All books side by side: the position, and each move that any of them knows. @param {Actions} actions */
function compare(actions) {
  const { app, books } = actions;
  const here = books.here;
  const moves = [
    ...new Set(here.flatMap(({ entry }) => (entry?.moves ?? []).map((/** @type {any} */ move) => move.move))),
  ];
  const cell = (/** @type {any} */ entry, /** @type {string} */ name) =>
    entry?.moves?.find((/** @type {any} */ move) => move.move === name);
  const order = (/** @type {string} */ name) => Math.max(...here.map(({ entry }) => cell(entry, name)?.v ?? -99));
  moves.sort((a, b) => order(b) - order(a));
  return html`<section>
    <h2>${t('book.here')}</h2>
    <div class="scroll">
      <table class="table compare">
        <thead>
          <tr>
            <th>${t('moves.move')}</th>
            ${here.map(({ info }) => html`<th>${info.name}</th>`)}
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">${t('book.thisPosition')}</th>
            ${here.map(
              ({ entry }) =>
                html`<td>
                  ${
                    entry && entry.value !== null
                      ? html`<b>${signed(entry.value)}</b>
                          <small
                            >${entry.accuracy ?? ''} ${t('book.level', { n: levelText(entry.level) })}
                            ${t('book.lines', { n: short(entry.lines ?? 0) })}
                            ${entry.leaf ? html` ${t('book.leaf', { move: entry.leaf.move, v: signed(entry.leaf.v) })}` : nothing}${gamesText(entry.games)}</small
                          >`
                      : html`<span class="quiet">${t('book.lacks')}</span>`
                  }
                </td>`,
            )}
          </tr>
          ${moves.map((name) => {
            const values = here.map(({ entry }) => cell(entry, name)?.v);
            const differ = new Set(values.filter((value) => value !== undefined)).size > 1;
            return html`<tr class=${differ ? 'differ' : ''}>
              <td><button type="button" class="link" @click=${() => app.play(squareOf(name))}>${name}</button></td>
              ${here.map(({ entry }) => {
                const move = cell(entry, name);
                return html`<td>
                  ${
                    move
                      ? html`<b class=${move.loss === 0 ? 'best-text' : ''}>${signed(move.v)}</b>
                          <small
                            >${move.leaf ? t('book.isLeaf') : html`${move.accuracy ?? ''} ${t('book.level', { n: levelText(move.level) })} ${t('book.lines', { n: short(move.lines ?? 0) })}`}${gamesText(move.games)}</small
                          >`
                      : nothing
                  }
                </td>`;
              })}
            </tr>`;
          })}
        </tbody>
      </table>
    </div>
  </section>`;
}

/** @param {any} games */
const gamesText = (games) =>
  games
    ? html` ${t('book.games', { wins: number(games.wins), draws: number(games.draws), losses: number(games.losses) })}`
    : nothing;

/** @param {Actions} actions */
function bookTree(actions) {
  const { app, books } = actions;
  const node = app.tree.current.id;
  const shown = tree && tree.book === books.current?.book && tree.node === node ? tree : null;
  return html`<section>
    <h2>${t('book.tree')}</h2>
    <p class="buttons">
      <button type="button" class="button" @click=${() => loadTree(actions)}>
        ${t(shown ? 'book.treeAgain' : 'book.treeShow')}
      </button>
    </p>
    ${shown ? html`<div class="book-tree" role="tree" aria-label=${t('book.tree')}>${treeRows(actions, shown)}</div>` : nothing}
  </section>`;
}

/** @param {Actions} actions */
async function loadTree(actions) {
  const { app, books } = actions;
  const { current } = books;
  const node = app.tree.current.id;
  if (!current) return;
  try {
    const answer = await app.link.ask('book.tree', {
      book: current.book,
      ...lineFields(app.tree),
      depth: 6,
      most: 300,
      error: app.get('book.error'),
    });
    tree = { book: current.book, node, nodes: answer.nodes, closed: new Set() };
    app.changed('view');
  } catch (error) {
    app.sayError(error);
  }
}

/** @param {Actions} actions @param {NonNullable<typeof tree>} shown */
function treeRows(actions, shown) {
  const byId = new Map(shown.nodes.map((node) => [node.node, node]));
  const children = new Map();
  for (const node of shown.nodes) children.set(node.parent, [...(children.get(node.parent) ?? []), node]);
  /** @type {any[]} */
  const rows = [];
  /** @param {any} node @param {number} depth @param {string[]} path */
  const visit = (node, depth, path) => {
    const below = children.get(node.node) ?? [];
    const open = !shown.closed.has(node.node);
    const moves = node.move ? [...path, node.move] : path;
    if (node.move) {
      rows.push(
        html`<div
          class="tree-row depth-${Math.min(depth, 12)}"
          role="treeitem"
          aria-level=${depth}
          aria-expanded=${below.length > 0 ? String(open) : nothing}
        >
          <button
            type="button"
            class="fold"
            ?disabled=${below.length === 0}
            aria-label=${t(open ? 'book.fold' : 'book.unfold')}
            @click=${() => {
              if (!shown.closed.delete(node.node)) shown.closed.add(node.node);
              actions.app.changed('view');
            }}
          >
            ${below.length === 0 ? '·' : open ? '▾' : '▸'}
          </button>
          <button type="button" class="link" @click=${() => moves.forEach((move) => actions.app.play(squareOf(move)))}>
            ${node.move}
          </button>
          <b>${signed(node.v)}</b>
          <svg class="share" viewBox="0 0 100 8" aria-hidden="true">
            <rect class="share-back" width="100" height="8"></rect>
            <rect class="share-bar" width=${Math.round(node.share * 100)} height="8"></rect>
          </svg>
          <small
            >${number(node.share, { style: 'percent' })}
            ${t('book.lines', { n: short(node.lines) })}${node.again !== null && node.again !== undefined ? ` ${t('book.again', { move: pathTo(byId, node.again) })}` : ''}</small
          >
        </div>`,
      );
    }
    if (open) for (const child of below) visit(child, depth + 1, moves);
  };
  for (const root of children.get(null) ?? []) visit(root, 0, []);
  return rows.length > 0 ? rows : html`<p class="quiet">${t('book.lacks')}</p>`;
}

/** @param {Map<number, any>} byId @param {number} id */
function pathTo(byId, id) {
  const moves = [];
  for (let node = byId.get(id); node?.move; node = byId.get(node.parent)) moves.push(node.move);
  return moves.reverse().join('');
}

/** @param {Actions} actions */
function practice(actions) {
  const { practice: state } = actions;
  return html`<section>
    <h2>${t('practice.title')}</h2>
    <p class="quiet">${t('practice.what')}</p>
    <p class="buttons">
      ${fnButton(actions, 'practice')}${
        state.on
          ? plainSelect(
              String(state.side),
              [
                [String(BLACK), t('black')],
                [String(WHITE), t('white')],
              ],
              (value) => state.play(Number(value)),
              t('practice.side'),
            )
          : nothing
      }
    </p>
    ${
      state.on
        ? html`<label class="slider-row"
              ><span>${t('practice.allowed')}</span
              ><input
                type="range"
                min="0"
                max="6"
                .value=${String(state.allowed)}
                @input=${(/** @type {Event} */ event) => {
                  state.allowed = Number(/** @type {HTMLInputElement} */ (event.target).value);
                  actions.app.changed('view');
                }}
              /><output>${state.allowed}</output></label
            >
            <p class="verdict ${state.verdict?.kind ?? ''}" role="status">
              ${state.verdict?.text ?? t('practice.yourMove')}
            </p>
            <p>${t('practice.score', { right: state.right, wrong: state.wrong })} ${fnButton(actions, 'undo')}</p>`
        : nothing
    }
    ${slider(actions, 'book.error', t('book.treeError'), 0, 24)}
  </section>`;
}
