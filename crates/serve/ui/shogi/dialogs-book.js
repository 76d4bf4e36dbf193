// Dialogs for books: opening files, editing a move, registering lines, jobs.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { t } from '../common/i18n.js';
import { fileBrowser } from '../common/file-browser.js';
import { jobDialog as anyJobDialog } from '../common/job-form.js';
import { scoreText } from './score-text.js';
import { moveText } from './rules.js';

/** @typedef {import('./actions.js').Actions} Actions */
/** @typedef {import('../common/dialogs.js').Content} Content */

/** @param {Actions} actions @param {any} data @returns {Content} */
export const bookOpenDialog = (actions, data) => ({
  title: t('fn.bookOpen'),
  body: fileBrowser(actions, data, ['book', 'other'], async (root, path) => {
    if (await actions.books.open(root, path)) {
      actions.close();
      actions.openTab('book');
    }
  }),
});

/** All files of the back end: a book is opened, records go to the library. @param {Actions} actions @param {any} data @returns {Content} */
export function filesDialog(actions, data) {
  const { app, books, library } = actions;
  return {
    title: t('fn.serverFiles'),
    body: html`<p class="quiet">${t('files.what')}</p>
      ${fileBrowser(actions, data, ['book', 'record', 'other'], async (root, path) => {
        const entry = (data.entries ?? []).find((/** @type {any} */ one) => path.endsWith(one.name));
        if (entry?.kind === 'record' && app.link.can('library')) {
          await library.importFile(root, path);
          actions.openTab('games');
          actions.close();
        } else if (await books.open(root, path)) {
          actions.openTab('book');
          actions.close();
        }
      })}`,
  };
}

/** @param {Actions} actions @param {{move: string}} data @returns {Content} */
export function bookEditDialog(actions, data) {
  const { app, books, boardView } = actions;
  const known = books.entry?.moves.find((one) => one.move === data.move) ?? null;
  const legal = (boardView?.legalMoves ?? []).map(moveText);
  const name = data.move ? app.nameHere(data.move) : t('book.newMove');
  const figure = (/** @type {string} */ field, /** @type {string} */ label, /** @type {any} */ value) =>
    books.hasColumn(field)
      ? html`<label class="field"
          ><span>${label}</span
          ><input
            name=${field}
            type="number"
            step="1"
            .value=${value === null || value === undefined ? '' : String(value)}
            ?autofocus=${field === 'score' && Boolean(data.move)}
        /></label>`
      : nothing;
  return {
    title: t('book.editTitle', { name, book: books.current?.name ?? '' }),
    body: html`<form
      @submit=${async (/** @type {Event} */ event) => {
        event.preventDefault();
        const form = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
        const move = data.move || String(form.get('move') ?? '');
        if (!move) return;
        if (await books.edit([{ set: { move, ...fields(form) } }], t('book.moveSet', { name: app.nameHere(move) })))
          actions.close();
      }}
    >
      ${
        data.move
          ? nothing
          : html`<label class="field"
              ><span>${t('moves.move')}</span
              ><select name="move" autofocus>
                ${legal.map((move) => html`<option value=${move}>${app.nameHere(move)}</option>`)}
              </select></label
            >`
      }
      ${books.current?.can_edit === false ? html`<p class="error-text">${books.current.note ?? ''}</p>` : nothing}
      <div class="inline">
        ${figure('score', t('book.score'), known?.score)}${figure('depth', t('research.depth'), known?.depth)}${figure('count', t('book.count'), known?.count)}
      </div>
      ${
        books.hasColumn('reply')
          ? html`<label class="field"
              ><span>${t('book.reply')} (USI)</span
              ><input name="reply" class="mono" .value=${known?.reply ?? ''} placeholder="3c3d"
            /></label>`
          : nothing
      }
      ${books.hasColumn('comment') ? html`<label class="field"><span>${t('book.comment')}</span><textarea name="comment" rows="2" .value=${known?.comment ?? ''}></textarea></label>` : nothing}
      <p class="quiet">${t('book.editHelp')}</p>
      <p class="buttons">
        <button class="button strong" ?disabled=${!books.current?.can_edit}>${t('book.setValue')}</button>
        ${
          known
            ? html`<button
                  type="button"
                  class="button"
                  ?disabled=${!books.current?.can_edit}
                  @click=${async () => {
                    if (await books.edit([{ remove: data.move }], t('book.moveRemoved', { name }))) actions.close();
                  }}
                >
                  ${t('book.remove')}
                </button>
                <button
                  type="button"
                  class="button"
                  ?disabled=${!books.current?.can_edit}
                  @click=${async () => {
                    if (await books.edit([{ first: data.move }], t('book.isFirst', { name }))) actions.close();
                  }}
                >
                  ${t('book.first', { name })}
                </button>`
            : nothing
        }
        <button type="button" class="button" @click=${() => actions.close()}>${t('dialog.cancel')}</button>
      </p>
    </form>`,
  };
}

/** What a form says of a move; an empty figure is not known. @param {FormData} form */
function fields(form) {
  /** @type {Record<string, any>} */
  const set = {};
  for (const name of ['score', 'depth']) {
    if (!form.has(name)) continue;
    const text = String(form.get(name)).trim();
    set[name] = text === '' ? null : Number(text);
  }
  if (form.has('count')) set.count = String(form.get('count')).trim() || null;
  if (form.has('reply')) set.reply = String(form.get('reply')).trim() || null;
  if (form.has('comment')) set.comment = String(form.get('comment'));
  return set;
}

/** Puts lines of an engine into the book. @param {Actions} actions @param {any} data @returns {Content} */
export function bookRegisterDialog(actions, data) {
  const { app, books, research } = actions;
  const thought = research.at().find((one) => one.engine === data.engine) ?? research.at()[0];
  const lines = thought?.lines ?? [];
  return {
    title: t('fn.registerLine'),
    body: html`<form
      @submit=${async (/** @type {Event} */ event) => {
        event.preventDefault();
        const form = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
        const plies = Math.max(1, Number(form.get('plies')) || 1);
        app.settings.set('book.registerPlies', plies);
        const chosen = lines.filter((line) => form.get(`line-${line.line}`));
        const sent = chosen.map((line) => ({
          moves: line.pv.length > 0 ? line.pv : [line.move],
          score: bookScore(line.score),
          depth: line.depth,
        }));
        if (sent.length > 0 && (await books.register(sent, plies, t('book.registered', { n: sent.length }))))
          actions.close();
      }}
    >
      <p class="quiet">${t('job.book', { name: books.current?.name ?? '' })}</p>
      ${lines.map(
        (line) =>
          html`<label class="check-row"
            ><input
              type="checkbox"
              name=${`line-${line.line}`}
              ?checked=${data.line ? line.line === data.line : line.line === 1}
            /><span
              >${scoreText(line.score)}
              <small>${line.depth ?? ''}</small> ${app.namesFrom(line.pv.slice(0, 8)).join(' ')}</span
            ></label
          >`,
      )}
      <label class="field"
        ><span>${t('book.registerPlies')}</span
        ><input name="plies" type="number" min="1" max="200" .value=${String(app.get('book.registerPlies'))}
      /></label>
      <p class="buttons">
        <button class="button strong" autofocus ?disabled=${lines.length === 0}>${t('book.register')}</button
        ><button type="button" class="button" @click=${() => actions.close()}>${t('dialog.cancel')}</button>
      </p>
    </form>`,
  };
}

/** A score as books write it: mates as large numbers. @param {import('./tree.js').Score} score */
const bookScore = (score) =>
  score.mate === undefined || score.mate === null
    ? (score.cp ?? 0)
    : score.mate > 0
      ? 32_000 - score.mate
      : -32_000 - score.mate;

/** @param {Actions} actions @param {any} data @returns {Content} */
export function jobDialog(actions, data) {
  const { books, engines } = actions;
  return anyJobDialog(actions, data, {
    books: books.list,
    book: books.current?.book ?? '',
    file: books.current?.file.root ? books.current.file : null,
    engines: engines.list,
  });
}
