// What the opened books say of the position: one table with the books beside each other, with what can be done to the moves.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { number, signed, t } from '../common/i18n.js';
import { check, fnButton } from '../common/widgets.js';
import { SORTS, bookRows } from './book-rows.js';
import { compact, scoreText } from './score-text.js';
import { scoreNumber } from './tree.js';

/** @typedef {import('./actions.js').Actions} Actions */
/** @typedef {import('./books.js').BookMove} BookMove */

/** @param {Actions} actions */
export function bookMoves(actions) {
  const { books } = actions;
  const shown = books.shown
    .map((info) => books.here.find((one) => one.info === info))
    .filter((one) => one !== undefined);
  const entry = books.entry;
  return html`<p class="checks">
      ${check(actions, 'book.flipped', t('book.flipped'))}${check(actions, 'book.ignorePly', t('book.ignorePly'))}
      ${check(actions, 'show.bookArrows', t('fn.showBookArrows'))}
    </p>
    ${entry ? entryLine(actions, entry) : nothing}
    ${shown.every(({ entry: one }) => !one || one.moves.length === 0) ? html`<p class="quiet">${t('book.lacks')}</p>` : table(actions, shown)}
    <p class="buttons">
      ${books.current?.can_edit ? fnButton(actions, 'bookAdd') : nothing} ${fnButton(actions, 'registerLine')}
      ${
        books.current?.can_edit && entry
          ? html`<button
              type="button"
              class="button"
              @click=${() => books.edit([{ remove_position: true }], t('book.positionRemoved'))}
            >
              ${t('book.removePosition')}
            </button>`
          : nothing
      }
    </p>
    ${books.current ? comment(actions) : nothing}`;
}

/** How the current book has the position. @param {Actions} actions @param {import('./books.js').Entry} entry */
const entryLine = (actions, entry) =>
  html`<p class="quiet">
    ${entry.matched ? html`${t(`book.matched.${entry.matched}`)} ·` : nothing}
    ${entry.ply === null || entry.ply === undefined ? nothing : t('book.ply', { n: entry.ply })}
    ${entry.error ? html`<span class="error-text">${entry.error}</span>` : nothing}
  </p>`;

/** @param {Actions} actions @param {{info: import('./books.js').BookInfo, entry: import('./books.js').Entry | null}[]} shown */
function table(actions, shown) {
  const { app, books, research } = actions;
  const several = shown.length > 1;
  const engineScore = (/** @type {string} */ move) => {
    for (const thought of research.at()) {
      const line = thought.lines.find((one) => one.move === move);
      if (line) return line.score;
    }
    return null;
  };
  const sort = SORTS.includes(app.get('book.sort')) ? app.get('book.sort') : 'book';
  const rows = bookRows(
    shown.map(({ entry }) => entry && entry.moves),
    sort,
    (move) => app.nameHere(move),
    (move) => {
      const score = engineScore(move);
      return score ? scoreNumber(score) : null;
    },
  );
  const thinking = research.at().length > 0;
  const commented = rows.some(({ cells }) => cells.find((cell) => cell !== null)?.comment);
  const head = (/** @type {string} */ name, /** @type {string} */ text, figure = true) =>
    html`<th
      class=${figure ? 'n' : ''}
      aria-sort=${sort === name ? (name === 'move' || name === 'loss' ? 'ascending' : 'descending') : nothing}
    >
      <button
        type="button"
        class="sort"
        aria-pressed=${String(sort === name)}
        @click=${() => app.settings.set('book.sort', sort === name ? 'book' : name)}
      >
        ${text}${sort === name ? ' ▾' : ''}
      </button>
    </th>`;
  return html`<div class="scroll">
    <table class="table compare book-moves">
      <thead>
        ${
          several
            ? html`<tr>
                <td></td>
                ${shown.map(({ info }) => html`<th colspan="3" class="book-name">${info.name}</th>`)}
                <td colspan=${3 + Number(thinking) + Number(commented)}></td>
              </tr>`
            : nothing
        }
        <tr>
          ${head('move', t('moves.move'), false)}
          ${shown.map((_, i) =>
            i === 0
              ? html`${head('score', t('book.score'))}${head('depth', t('research.depth'))}${head('count', t('book.count'))}`
              : html`<th class="n">${t('book.score')}</th>
                  <th class="n">${t('research.depth')}</th>
                  <th class="n">${t('book.count')}</th>`,
          )}
          ${thinking ? head('engine', t('settings.engine')) : nothing}
          <th>${t('book.reply')}</th>
          ${head('loss', t('book.loss'))}
          <th>${t('book.child')}</th>
          ${commented ? html`<th>${t('book.comment')}</th>` : nothing}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => {
          const first = row.cells.find((cell) => cell !== null) ?? null;
          const own = row.cells[0];
          return html`<tr class="${row.differs ? 'differ' : ''} ${first?.edited ? 'edited' : ''}" data-move=${row.move}>
            <td>
              ${
                first?.legal === false
                  ? html`<s title=${t('book.illegal')}>${row.move}</s>`
                  : html`<button type="button" class="link" @click=${() => app.play(row.move)}>
                      ${app.nameHere(row.move)}
                    </button>`
              }${first?.edited ? html`<small title=${t('book.isEdited')}>＊</small>` : nothing}
              ${own && books.current?.can_edit ? editButton(actions, own) : nothing}
            </td>
            ${row.cells.map((cell, i) => figures(cell, shown[i].entry !== null, row.differs))}
            ${thinking ? html`<td class="n">${scoreText(engineScore(row.move))}</td>` : nothing}
            <td>${reply(actions, row.move, first)}</td>
            <td class="n">${typeof first?.loss === 'number' ? number(first.loss) : ''}</td>
            <td>${childText(first)}</td>
            ${commented ? html`<td class="memo" title=${first?.comment ?? ''}>${first?.comment ?? ''}</td>` : nothing}
          </tr>`;
        })}
      </tbody>
    </table>
  </div>`;
}

/** @param {BookMove | null} cell @param {boolean} known whether the book has the position @param {boolean} differs */
function figures(cell, known, differs) {
  if (!cell) return html`<td class="n missing" colspan="3">${known ? '–' : ''}</td>`;
  return html`<td class="n value-text ${differs ? 'differs' : ''}">${cell.score === null ? '' : signed(cell.score)}</td>
    <td class="n">${cell.depth ?? ''}</td>
    <td class="n">
      ${compact(cell.count)}${cell.share === null || cell.share === undefined ? nothing : html` <small>${number(cell.share, { style: 'percent' })}</small>`}
    </td>`;
}

/** @param {Actions} actions @param {string} move @param {BookMove | null} cell */
function reply({ app }, move, cell) {
  if (!cell?.reply) return '';
  const [, name] = app.namesFrom([move, cell.reply]);
  return html`<button type="button" class="link" @click=${() => app.show([move, cell.reply ?? ''])}>
    ${name ?? cell.reply}
  </button>`;
}

/** Where a move leads: in the book, out of it, to a repetition. @param {BookMove | null} cell */
function childText(cell) {
  if (!cell) return '';
  const repetition = cell.repetition
    ? html` <b>${t(`repetition.${cell.repetition.kind}`, { n: cell.repetition.times })}</b>`
    : nothing;
  return html`<span class="child-${cell.child}">${t(`book.child.${cell.child}`)}</span>${repetition}`;
}

/** @param {Actions} actions @param {BookMove} cell */
function editButton(actions, cell) {
  const label = t('book.editMove', { name: actions.app.nameHere(cell.move) });
  return html`<button
    type="button"
    class="button small edit"
    aria-label=${label}
    title=${label}
    @click=${() => actions.editBook(cell.move)}
  >
    ✎
  </button>`;
}

/** The comment of the position. @param {Actions} actions */
function comment({ books }) {
  const { entry, current } = books;
  if (!entry || !(current?.columns?.includes('comment') ?? true)) return nothing;
  return html`<label class="field"
    ><span>${t('book.positionComment')}</span
    ><textarea
      rows="2"
      ?readonly=${!current?.can_edit}
      .value=${entry.comment ?? ''}
      @change=${(/** @type {Event} */ event) =>
        books.edit([{ comment: /** @type {HTMLTextAreaElement} */ (event.target).value }], t('book.commentSet'))}
    ></textarea>
  </label>`;
}
