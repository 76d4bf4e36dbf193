// Dialogs for books: choosing files of the server, editing a value, starting jobs.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { t } from '../common/i18n.js';
import { play } from './rules.js';
import { boardText } from './notation.js';
import { lineFields } from './game-json.js';
import { fileBrowser } from '../common/file-browser.js';
import { jobDialog as programDialog } from '../common/job-form.js';
import { slider } from '../common/widgets.js';

/** @typedef {import('./actions.js').Actions} Actions */
/** @typedef {import('../common/dialogs.js').Content} Content */

/** @param {Actions} actions @param {any} data @returns {Content} */
export const bookOpenDialog = (actions, data) => ({
  title: t('fn.bookOpen'),
  body: fileBrowser(actions, data, ['book'], async (root, path) => {
    if (await actions.books.open(root, path)) actions.close();
  }),
});

/** The value of a move (for who makes it), or of the position. @param {Actions} actions @param {{square: number, name: string}} data @returns {Content} */
export function bookEditDialog(actions, data) {
  const { app, books } = actions;
  const next = data.square >= 0 ? play(app.position, data.square) : null;
  const entry = books.here.find(({ info }) => info === books.current)?.entry;
  const known = next ? entry?.moves?.find((/** @type {any} */ move) => move.move === data.name)?.v : entry?.value;
  /** The value is for who moves now; the book keeps it for the side to move of the position that is edited. */
  const edited = next ? next.position : app.position;
  const sign = edited.side === app.position.side ? 1 : -1;
  return {
    title: t('book.editTitle', { name: data.name, book: books.current?.name ?? '' }),
    body: html`<form
      @submit=${async (/** @type {Event} */ event) => {
        event.preventDefault();
        const value = Number(new FormData(/** @type {HTMLFormElement} */ (event.currentTarget)).get('value'));
        if (await books.edit(boardText(edited), sign * value)) actions.close();
      }}
      @contextmenu=${(/** @type {Event} */ event) => {
        event.preventDefault();
        actions.close();
      }}
    >
      <label class="field"
        ><span>${t('book.value')}</span
        ><input
          name="value"
          type="number"
          min="-64"
          max="64"
          step="1"
          required
          autofocus
          .value=${known === undefined || known === null ? '' : String(known)}
      /></label>
      <p class="quiet">${t('book.editHelp')}</p>
      <p class="buttons">
        <button class="button strong">${t('book.setValue')}</button>
        ${
          known === undefined || known === null
            ? nothing
            : html`<button
                type="button"
                class="button"
                @click=${async () => {
                  if (await books.edit(boardText(edited), null)) actions.close();
                }}
              >
                ${t('book.remove')}
              </button>`
        }
        <button type="button" class="button" @click=${() => actions.close()}>${t('dialog.cancel')}</button>
      </p>
    </form>`,
  };
}

/** Options of each kind of job. @type {Record<string, string[]>} */
const OPTIONS = {
  learn: ['level', 'depth', 'error', 'errorSum', 'leaf'],
  learnGames: ['level', 'depth', 'error', 'errorSum', 'leaf', 'games', 'loops'],
  fix: [],
  fixEdax: [],
  reduce: ['depth', 'error', 'errorSum'],
  leaves: ['level', 'depth', 'error', 'errorSum'],
  lines: [],
  import: ['file', 'egbkLevel', 'output'],
  export: ['format', 'exportLevel', 'output'],
  merge: ['file', 'egbkLevel'],
  check: [],
  info: [],
};

/** @param {Actions} actions @param {any} data @returns {Content} */
export function jobDialog(actions, data) {
  const { app, books, jobs } = actions;
  const { kind } = data;
  if (kind.includes('.'))
    return programDialog(actions, data, {
      books: books.list,
      book: books.current?.book ?? '',
      file: books.current?.file ?? null,
      engines: [],
    });
  const wanted = OPTIONS[kind] ?? [];
  const has = (/** @type {string} */ name) => wanted.includes(name);
  const inf = (/** @type {number} */ n) => (n >= 61 ? t('job.inf') : String(n));
  return {
    title: t(`fn.job.${kind}`),
    body: html`<form
      @submit=${async (/** @type {Event} */ event) => {
        event.preventDefault();
        const form = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
        if (has('file') && !data.file) {
          app.say(t('job.needsFile'), 'error');
          return;
        }
        const started = await jobs.start(...request(actions, data, form));
        if (started !== null) {
          actions.close();
          actions.openTab('jobs');
        }
      }}
    >
      <p>${t(`job.what.${kind}`)}</p>
      <p class="quiet">${t('job.book', { name: books.current?.name ?? '' })}</p>
      ${has('level') ? slider(actions, 'book.level', t('job.level'), 1, 60) : nothing}
      ${has('depth') ? slider(actions, 'book.depth', t('job.depth'), 0, 60) : nothing}
      ${has('error') ? slider(actions, 'book.error', t('job.error'), 0, 61, inf) : nothing}
      ${has('errorSum') ? slider(actions, 'book.errorSum', t('job.errorSum'), 0, 61, inf) : nothing}
      ${has('leaf') ? slider(actions, 'book.leaf', t('job.leaf'), 0, 61, inf) : nothing}
      ${
        has('games')
          ? html`<label class="field"
              ><span>${t('job.games')}</span
              ><textarea
                name="games"
                rows="6"
                class="mono"
                required
                @dragover=${(/** @type {Event} */ event) => event.preventDefault()}
                @drop=${async (/** @type {DragEvent} */ event) => {
                  const file = event.dataTransfer?.files[0];
                  if (!file) return;
                  event.preventDefault();
                  /** @type {HTMLTextAreaElement} */ (event.currentTarget ?? event.target).value = await file.text();
                }}
              ></textarea>
            </label>`
          : nothing
      }
      ${has('loops') ? html`<label class="field"><span>${t('job.loops')}</span><input name="loops" type="number" min="1" max="100000" placeholder=${t('job.inf')} /></label>` : nothing}
      ${
        has('format')
          ? html`<label class="field"
                ><span>${t('export.format')}</span
                ><select name="format">
                  <option value="egbk3">Egaroucid (.egbk3)</option>
                  <option value="edax">Edax (.dat)</option>
                </select></label
              >
              <label class="field"
                ><span>${t('job.exportLevel')}</span
                ><input name="level" type="number" min="1" max="60" placeholder=${t('settings.same')}
              /></label>
              <label><input type="checkbox" name="search" />${t('job.search')}</label>`
          : nothing
      }
      ${has('egbkLevel') ? html`<label class="field"><span>${t('job.egbkLevel')}</span><input name="egbk" type="number" min="1" max="60" placeholder="21" /></label>` : nothing}
      ${
        has('file')
          ? html`<fieldset>
              <legend>${t('job.file')}</legend>
              ${data.file ? html`<p><code>${data.file.path}</code></p>` : nothing}${fileBrowser(
                actions,
                data,
                ['book'],
                (root, path) => {
                  data.file = { root, path };
                  app.changed('view');
                },
              )}
            </fieldset>`
          : nothing
      }
      ${has('output') ? html`<label class="field"><span>${t('job.output')}</span><input name="output" class="mono" placeholder=${outputFile(data.kind, data.file ?? books.current?.file, 'egbk3')?.path ?? ''} /></label>` : nothing}
      <p class="buttons">
        <button class="button strong" autofocus>${t('job.start')}</button
        ><button type="button" class="button" @click=${() => actions.close()}>${t('dialog.cancel')}</button>
      </p>
    </form>`,
  };
}

/** Ends of the names of books that are written, by the format that is chosen. @type {Record<string, string>} */
const EXTENSIONS = { egbk3: 'egbk3', edax: 'dat' };

/**
 * A file beside another one, which it is not.
 * @param {string} kind @param {{root: string, path: string} | undefined} from @param {string} format
 * @returns {{root: string, path: string} | null}
 */
function outputFile(kind, from, format) {
  if (!from) return null;
  const stem = from.path.replace(/\.[^./]*$/, '');
  const extension = EXTENSIONS[format] ?? 'egbk3';
  const path = `${stem}.${extension}`;
  return { root: from.root, path: path === from.path ? `${stem}-${kind}.${extension}` : path };
}

/** The line from the start to the current position, or its board where the game began elsewhere. @param {import('./app.js').App} app */
function learnFrom(app) {
  const { board, moves } = lineFields(app.tree);
  return board ? boardText(app.position) : moves.filter((move) => move !== 'pass').join('');
}

/** The kind and the fields of the request. @param {Actions} actions @param {any} data @param {FormData} form @returns {[string, object]} */
function request({ app, books }, data, form) {
  const wanted = OPTIONS[data.kind];
  const limit = (/** @type {string} */ setting) => (app.get(setting) >= 61 ? 'inf' : app.get(setting));
  /** @type {Record<string, any>} the long names of the command line */
  const options = {};
  if (wanted.includes('level')) options.level = app.get('book.level');
  if (wanted.includes('depth')) options.depth = app.get('book.depth');
  if (wanted.includes('error')) options.error = limit('book.error');
  if (wanted.includes('errorSum')) options.sum = limit('book.errorSum');
  if (wanted.includes('leaf')) options['leaf-error'] = limit('book.leaf');
  if (wanted.includes('games'))
    options.games = String(form.get('games'))
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
  if (data.kind === 'learn') {
    const start = learnFrom(app);
    if (start) options.start = start;
  }
  if (form.get('loops')) options.loops = Number(form.get('loops'));
  if (form.get('level')) options.level = Number(form.get('level'));
  if (form.get('egbk')) options['egbk-level'] = Number(form.get('egbk'));
  /** @type {any} an opened book, or a file */
  let book = books.current?.book;
  if (data.kind === 'merge') options.with = data.file;
  if (data.kind === 'import') book = data.file;
  let kind = KINDS[data.kind] ?? data.kind;
  if (wanted.includes('output')) {
    const from = data.file ?? books.current?.file;
    const format = String(form.get('format') ?? 'egbk3');
    const named = String(form.get('output') ?? '').trim();
    options.output = named ? { root: from?.root ?? '', path: named } : outputFile(data.kind, from, format);
    if (format === 'edax' && form.get('search')) {
      kind = 'export-search';
      delete options.level;
    }
  }
  return [kind, { book, options }];
}

/** Kinds of the back end for those of this page that have other names. @type {Record<string, string>} */
const KINDS = { learnGames: 'learn', fixEdax: 'fix-edax' };
