// Parts of the book panel: the line through the book, the tree of its lines, searches and lists.

import { html, nothing, svg } from '../vendor/lit-html-3.3.3.js';
import { number, signed, t } from '../common/i18n.js';
import { plainSelect, slider } from '../common/widgets.js';
import { lineNames } from './notation.js';
import { parseSfen } from './position.js';
import { compact } from './score-text.js';

/** @typedef {import('./actions.js').Actions} Actions */

/** What each move of the line loses by the book. @param {Actions} actions */
export function bookPath(actions) {
  const { app, books } = actions;
  const plies = books.path?.plies ?? [];
  if (plies.length === 0) return html`<p class="quiet">${t('book.pathNone')}</p>`;
  const line = app.tree.path();
  const last = plies[plies.length - 1];
  return html`<p>${t('book.pathSums', { black: number(last.black_sum ?? 0), white: number(last.white_sum ?? 0) })}</p>
    <div class="scroll">
      <table class="table">
        <thead>
          <tr>
            <th class="n">#</th>
            <th>${t('moves.move')}</th>
            <th class="n">${t('book.score')}</th>
            <th>${t('book.best')}</th>
            <th class="n">${t('book.loss')}</th>
            <th class="n">${t('black')}</th>
            <th class="n">${t('white')}</th>
          </tr>
        </thead>
        <tbody>
          ${plies.map((/** @type {any} */ ply) => {
            const node = line[ply.index + 1];
            const before = line[ply.index];
            if (!node) return nothing;
            const best = ply.best && ply.best !== ply.move ? (app.namesFrom([ply.best], before)[0] ?? ply.best) : '';
            return html`<tr class=${ply.in_book ? '' : 'quiet'}>
              <td class="n">${ply.index + 1}</td>
              <td><button type="button" class="link" @click=${() => app.goTo(node)}>${app.nameOf(node)}</button></td>
              <td class="n">${typeof ply.score === 'number' ? signed(ply.score) : ply.in_book ? '' : t('book.out')}</td>
              <td>
                ${best ? html`<button type="button" class="link" @click=${() => app.goTo(before)}>${best}</button> ${typeof ply.best_score === 'number' ? signed(ply.best_score) : ''}` : ''}
              </td>
              <td class="n">${typeof ply.loss === 'number' && ply.loss > 0 ? number(ply.loss) : ''}</td>
              <td class="n">${number(ply.black_sum ?? 0)}</td>
              <td class="n">${number(ply.white_sum ?? 0)}</td>
            </tr>`;
          })}
        </tbody>
      </table>
    </div>`;
}

/** @param {Actions} actions */
export function bookTree(actions) {
  const { app, lists } = actions;
  const { tree } = lists;
  const here = tree?.node === app.tree.current.id;
  return html`${slider(actions, 'book.treeDepth', t('book.treeDepth'), 1, 20)}
    ${slider(actions, 'book.treeLoss', t('book.treeLoss'), 0, 500)}
    <p class="buttons">
      <button type="button" class="button strong" @click=${() => lists.loadTree()}>
        ${t(tree ? 'book.treeAgain' : 'book.treeShow')}
      </button>
    </p>
    ${
      tree && here
        ? html`<div class="book-tree">${treeRows(actions)}</div>
            ${tree.more ? html`<p class="quiet">${t('book.treeMore')}</p>` : nothing}`
        : nothing
    }`;
}

/** The rows of the tree from above, what is folded left out. @param {Actions} actions */
function treeRows(actions) {
  const { lists } = actions;
  const nodes = lists.tree?.nodes ?? [];
  /** @type {Map<number, any[]>} */
  const children = new Map();
  for (const node of nodes)
    if (node.parent !== null) children.set(node.parent, [...(children.get(node.parent) ?? []), node]);
  /** @type {any[]} */
  const rows = [];
  const walk = (/** @type {any} */ node, /** @type {number} */ depth) => {
    for (const child of children.get(node.node) ?? []) {
      const below = (children.get(child.node) ?? []).length > 0;
      rows.push(treeRow(actions, child, depth, below));
      if (!lists.folded.has(child.node)) walk(child, depth + 1);
    }
  };
  if (nodes[0]) walk(nodes[0], 1);
  return rows.length > 0 ? rows : html`<p class="quiet">${t('book.lacks')}</p>`;
}

/** @param {Actions} actions @param {any} node @param {number} depth @param {boolean} below whether it has rows below it */
function treeRow(actions, node, depth, below) {
  const { app, lists } = actions;
  const moves = lists.movesTo(node.node);
  const folded = lists.folded.has(node.node);
  const names = app.namesFrom(moves);
  const again = node.again === null || node.again === undefined ? null : lists.movesTo(node.again);
  return html`<div class="tree-row depth-${Math.min(12, depth)}">
    ${
      below
        ? html`<button
            type="button"
            class="fold"
            aria-expanded=${String(!folded)}
            aria-label=${t(folded ? 'book.unfold' : 'book.fold')}
            @click=${() => {
              if (!lists.folded.delete(node.node)) lists.folded.add(node.node);
              app.changed('view');
            }}
          >
            ${folded ? '▸' : '▾'}
          </button>`
        : html`<span class="fold" aria-hidden="true"></span>`
    }
    <button type="button" class="link" @click=${() => app.walk((tree) => moves.every((move) => tree.play(move)))}>
      ${names[moves.length - 1] ?? node.move}
    </button>
    <span class="n">${typeof node.score === 'number' ? signed(node.score) : ''}</span>
    <small class="quiet">${node.depth ? `d${node.depth}` : ''} ${compact(node.count)}</small>
    <svg
      class="share"
      viewBox="0 0 100 10"
      preserveAspectRatio="none"
      role="img"
      aria-label=${number(node.share ?? 0, { style: 'percent' })}
    >
      ${svg`<rect class="share-back" width="100" height="10"></rect><rect class="share-bar" width=${100 * (node.share ?? 0)} height="10"></rect>`}
    </svg>
    ${again ? html`<small class="quiet">${t('book.again', { move: app.namesFrom(again).join(' ') || t('moves.start') })}</small>` : node.child === 'missing' ? html`<small class="quiet">${t('book.child.missing')}</small>` : nothing}
  </div>`;
}

/** @param {Actions} actions */
export function bookSearch(actions) {
  const { app, books, lists } = actions;
  const others = books.list.filter((book) => book !== books.current);
  return html`<form
      class="search"
      @submit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        search(actions, new FormData(/** @type {HTMLFormElement} */ (event.currentTarget)));
      }}
    >
      ${range('score', t('book.score'))}${range('depth', t('research.depth'))}${range('ply', t('book.plyRange'))}
      <label>${t('book.comment')}<input name="comment" type="search" /></label>
      <label class="wide-field"
        >${t('book.searchPlace')}<input name="place" type="search" placeholder=${t('book.searchPlaceHint')}
      /></label>
      <label class="check-row"><input type="checkbox" name="behind" /><span>${t('book.behind')}</span></label>
      <span class="buttons">
        <button class="button strong">${t('games.search')}</button>
        ${lists.running ? html`<button type="button" class="button" @click=${() => lists.stop()}>${t('jobs.stop')}</button>` : nothing}
      </span>
    </form>
    ${
      app.link.can('book_checks')
        ? html`<p class="buttons">
            <button type="button" class="button" @click=${() => lists.check()}>${t('book.check')}</button>
            ${others.map((book) => html`<button type="button" class="button" @click=${() => lists.diff(book.book)}>${t('book.diff', { name: book.name })}</button>`)}
          </p>`
        : nothing
    }
    ${results(actions)}`;
}

/** Two fields of a range. @param {string} name @param {string} label */
const range = (name, label) =>
  html`<label
    >${label}<span class="range"
      ><input name="${name}-from" type="number" aria-label=${`${label} ≥`} />–<input
        name="${name}-to"
        type="number"
        aria-label=${`${label} ≤`} /></span
  ></label>`;

/** @param {Actions} actions @param {FormData} form */
async function search(actions, form) {
  const { app, lists } = actions;
  const text = (/** @type {string} */ name) => String(form.get(name) ?? '').trim();
  // A place is where to go, not what to search.
  if (text('place')) {
    await actions.importText(text('place'));
    actions.openBookPart('moves');
    return;
  }
  /** @type {Record<string, any>} */
  const fields = {};
  for (const name of ['score', 'depth', 'ply']) {
    const [from, to] = [text(`${name}-from`), text(`${name}-to`)];
    if (from || to) fields[name] = [from ? Number(from) : null, to ? Number(to) : null];
  }
  if (text('comment')) fields.comment = text('comment');
  if (form.get('behind')) fields.behind = app.tree.lineFields();
  await lists.search(fields);
}

/** @param {Actions} actions */
function results(actions) {
  const { lists } = actions;
  if (!lists.kind) return nothing;
  const { progress } = lists;
  return html`<section>
    <h3>${t(`book.list.${lists.kind}`)} <small>${number(lists.rows.length)}</small></h3>
    ${
      lists.running
        ? html`<p role="status">
            <progress
              max=${progress ? Number(progress.total) || nothing : nothing}
              value=${progress ? Number(progress.done) : nothing}
              aria-label=${t('jobs.progress')}
            ></progress>
          </p>`
        : lists.rows.length === 0
          ? html`<p class="quiet">${t(lists.kind === 'check' ? 'book.noFindings' : 'book.noResults')}</p>`
          : nothing
    }
    ${
      lists.counts.length > 0
        ? html`<ul class="counts">
            ${lists.counts.map((one) => html`<li>${one.name}: ${number(Number(one.n))}</li>`)}
          </ul>`
        : nothing
    }
    <div class="scroll">
      <table class="table list-${lists.kind}">
        <tbody>
          ${ordered(lists).map((row) => resultRow(actions, row))}
        </tbody>
      </table>
    </div>
  </section>`;
}

/** The rows of a list; of differences those of scores by their size, the worst first. @param {import('./book-lists.js').BookLists} lists */
function ordered({ kind, rows }) {
  const size = (/** @type {any} */ row) =>
    row.what === 'score' && row.first !== null && row.second !== null ? Math.abs(row.first - row.second) : -1;
  return (kind === 'diff' ? [...rows].sort((a, b) => size(b) - size(a)) : rows).slice(0, 500);
}

/** @param {Actions} actions @param {any} row */
function resultRow(actions, row) {
  const { app, lists } = actions;
  const position = row.sfen ? parseSfen(row.sfen) : null;
  const name = position && row.move ? (lineNames(position, [row.move], app.style)[0] ?? row.move) : (row.move ?? '');
  const go = row.sfen
    ? html`<button type="button" class="link" @click=${() => actions.showPosition(row.sfen)}>
        ${name || t('book.position')}
      </button>`
    : html`${name}`;
  const value = (/** @type {any} */ one) =>
    one === null || one === undefined ? '–' : typeof one === 'number' ? signed(one) : String(one);
  if (lists.kind === 'search')
    return html`<tr>
      <td class="n">${row.ply ?? ''}</td>
      <td>${go}</td>
      <td class="n">${typeof row.score === 'number' ? signed(row.score) : ''}</td>
      <td class="n">${row.depth ?? ''}</td>
      <td class="memo">${row.comment ?? ''}</td>
    </tr>`;
  if (lists.kind === 'check')
    return html`<tr>
      <td>${row.code}</td>
      <td class="n">${row.line ?? ''}</td>
      <td>${go}</td>
      <td>${row.text}${row.repeats ? ` ×${row.repeats}` : ''}</td>
    </tr>`;
  return html`<tr>
    <td>${go}</td>
    <td>${t(`book.what.${row.what}`)}</td>
    <td class="n">${value(row.first)}</td>
    <td class="n">${value(row.second)}</td>
  </tr>`;
}

/** Where the books of the list come from for a choice. @param {Actions} actions */
export const bookChoice = ({ books }) =>
  plainSelect(
    books.current?.book ?? '',
    books.list.map((book) => [book.book, book.name]),
    (book) => books.choose(book),
    t('book.current'),
  );
