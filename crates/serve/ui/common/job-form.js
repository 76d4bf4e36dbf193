// One form for all kinds of jobs, made of what the back end says of their options.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { t } from './i18n.js';
import { fileBrowser } from './file-browser.js';
import { byGroup, jobKinds, jobOptions } from './job-kinds.js';

/** @typedef {import('./job-kinds.js').Kind} Kind */
/** @typedef {import('./job-kinds.js').Option} Option */
/** @typedef {import('./page-actions.js').PageActions<any> & {jobs: import('./jobs.js').Jobs}} Actions */

/**
 * What a page knows of opened books and engines.
 * @typedef {object} Known
 * @property {{book: string, name: string}[]} books
 * @property {string} book the one that is chosen at first
 * @property {{root: string, path: string} | null} file of that book, which jobs on books take at first
 * @property {{engine: string, name: string}[]} engines
 */

/** Buttons of all kinds, by group. @param {Actions} actions */
export function jobButtons(actions) {
  const { app } = actions;
  if (!app.link.can('programs')) return nothing;
  const kinds = kindsOf(actions);
  return html`<section>
    <h2>${t('jobs.start')}</h2>
    ${byGroup(kinds).map(
      ([group, list]) =>
        html`<h3>${groupName(group)}</h3>
          <p class="buttons">
            ${list.map(
              (kind) =>
                html`<button
                  type="button"
                  class="button small"
                  ?disabled=${!kind.available}
                  title=${kind.reason ?? kind.help}
                  @click=${() => actions.open('job', { kind: kind.kind })}
                >
                  ${kind.command}
                </button>`,
            )}
          </p>`,
    )}
  </section>`;
}

/** @param {string} group */
function groupName(group) {
  const text = t(`jobs.group.${group}`);
  return text === `jobs.group.${group}` ? group : text;
}

/** @type {Kind[] | null} */
let all = null;

/** The kinds that are known; they are asked for when somebody looks. @param {Actions} actions @returns {Kind[]} */
function kindsOf({ app }) {
  if (!all) {
    all = [];
    jobKinds(app).then((kinds) => {
      all = kinds.length > 0 ? kinds : null;
      app.changed('view');
    });
  }
  return all ?? [];
}

/** @param {Actions} actions @param {any} data `kind`: its name, or the end of its name @param {Known} known @returns {import('./dialogs.js').Content} */
export function jobDialog(actions, data, known) {
  const kind = kindsOf(actions).find((one) => one.kind === data.kind || one.kind.endsWith(`.${data.kind}`));
  if (!kind) return { title: t('jobs.start'), body: html`<p class="quiet" role="status">${t('jobs.noKind')}</p>` };
  data.values ??= firstValues(kind, known);
  data.book ??= known.book;
  const headings = [...new Set(kind.options.map((option) => option.heading))];
  return {
    title: kind.command,
    wide: true,
    body: html`<form @submit=${(/** @type {Event} */ event) => submit(actions, kind, data, event)}>
      <p>${kind.help}</p>
      ${kind.available ? nothing : html`<p class="error-text">${kind.reason ?? ''}</p>`}
      ${headings.map((heading) => {
        const fields = kind.options.filter((option) => option.heading === heading);
        const rows = fields.map((option) => optionField(actions, option, data, known));
        return heading === null
          ? rows
          : html`<details>
              <summary>${heading}</summary>
              ${rows}
            </details>`;
      })}
      ${data.error ? html`<p class="error-text" role="alert">${data.error}</p>` : nothing}
      <p class="buttons">
        <button class="button strong" ?disabled=${!kind.available || waitsForRoots(kind, data)}>
          ${t('job.start')}</button
        ><button type="button" class="button" @click=${() => actions.close()}>${t('dialog.cancel')}</button>
      </p>
    </form>`,
  };
}

/** The book that is open is what a job on books reads at first. @param {Kind} kind @param {Known} known @returns {Record<string, any>} */
function firstValues(kind, { file }) {
  const option = kind.options.find((one) => one.required && ['file', 'files'].includes(one.takes));
  if (kind.group !== 'book' || !option || !file) return {};
  return { [option.name]: option.takes === 'files' ? [file] : file };
}

/** @param {Actions} actions @param {Kind} kind @param {any} data @param {Event} event */
async function submit(actions, kind, data, event) {
  event.preventDefault();
  const form = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
  /** @type {Record<string, any>} */
  const values = { ...data.values };
  for (const option of kind.options) {
    if (!FILES.includes(option.takes)) values[option.name] = form.get(option.name);
    else if (option.takes.startsWith('new_') || option.takes === 'grown_file') {
      const path = String(form.get(option.name) ?? '').trim();
      values[option.name] = path ? { root: String(form.get(`${option.name}.root`) ?? ''), path } : null;
    }
  }
  const { options, missing } = jobOptions(kind, values);
  const wantsBook = kind.options.some((option) => option.takes === 'book');
  data.error = missing.length > 0 ? t('job.missing', { names: missing.join(', ') }) : '';
  if (!data.error) {
    const book = wantsBook ? { book: data.book || null } : {};
    const started = await actions.jobs.start(kind.kind, { ...book, options });
    if (started !== null) {
      actions.close();
      actions.openTab('jobs');
      return;
    }
  }
  actions.app.changed('view');
}

/** Whether it is not known yet where a file can be written. @param {Kind} kind @param {any} data */
const waitsForRoots = (kind, data) => kind.options.some((option) => NEW.includes(option.takes)) && !data.roots?.length;

const NEW = ['new_file', 'new_folder', 'grown_file'];
const FILES = ['file', 'files', 'folder', 'new_file', 'new_folder', 'grown_file'];

/** @param {Actions} actions @param {Option} option @param {any} data @param {Known} known */
function optionField(actions, option, data, known) {
  const label = html`<span><b>${option.name}</b>${option.required ? ' *' : ''} <small>${option.help}</small></span>`;
  switch (option.takes) {
    case 'switch':
      return html`<label class="check-row"><input type="checkbox" name=${option.name} />${label}</label>`;
    case 'book':
      return html`<label class="field"
        >${label}<select
          @change=${(/** @type {Event} */ event) => {
            data.book = /** @type {HTMLSelectElement} */ (event.target).value;
          }}
        >
          ${known.books.map((book) => html`<option value=${book.book} ?selected=${book.book === data.book}>${book.name}</option>`)}
        </select></label
      >`;
    case 'engine':
      return html`<label class="field"
        >${label}<select name=${option.name}>
          ${[{ engine: 'embedded', name: 'embedded' }, ...known.engines.filter((one) => one.engine !== 'own')].map((one) => html`<option value=${one.engine}>${one.name}</option>`)}
        </select></label
      >`;
    case 'lines':
      return html`<label class="field">${label}<textarea name=${option.name} rows="4" class="mono"></textarea></label>`;
    case 'file':
    case 'folder':
    case 'files':
      return filesField(actions, option, data, label);
    case 'new_file':
    case 'new_folder':
    case 'grown_file':
      return newFile(actions, option, data, label);
    default:
      return valueField(option, label);
  }
}

/** @param {Option} option @param {any} label */
function valueField(option, label) {
  if (option.choices.length > 0)
    return html`<label class="field"
      >${label}<select name=${option.name}>
        ${option.default === null ? html`<option value=""></option>` : nothing}
        ${option.choices.map((choice) => html`<option value=${choice} ?selected=${choice === option.default}>${choice}</option>`)}
      </select></label
    >`;
  return option.repeated
    ? html`<label class="field"
        >${label}<textarea name=${option.name} rows="2" class="mono" placeholder=${option.value ?? ''}></textarea>
      </label>`
    : html`<label class="field"
        >${label}<input name=${option.name} placeholder=${option.default ?? option.value ?? ''} autocomplete="off"
      /></label>`;
}

/** Files that are there. @param {Actions} actions @param {Option} option @param {any} data @param {any} label */
function filesField(actions, option, data, label) {
  const { app } = actions;
  const several = option.takes === 'files';
  const chosen = data.values[option.name];
  const list = several ? (chosen ?? []) : chosen ? [chosen] : [];
  data.browsers ??= {};
  const at = (data.browsers[option.name] ??= {});
  const set = (/** @type {any} */ value) => {
    data.values[option.name] = value;
    app.changed('view');
  };
  return html`<fieldset>
    <legend>${label}</legend>
    ${list.map(
      (/** @type {any} */ file) =>
        html`<span class="key-chip"
          ><code>${file.path}</code
          ><button
            type="button"
            aria-label=${t('keys.remove', { key: file.path })}
            @click=${() => set(several ? list.filter((/** @type {any} */ other) => other !== file) : null)}
          >
            ×
          </button></span
        > `,
    )}
    <details>
      <summary>${t('job.file')}</summary>
      ${fileBrowser(actions, at, ['book', 'record', 'other'], (root, path) => set(several ? [...list, { root, path }] : { root, path }))}
      ${
        at.root && (option.takes === 'folder' || several)
          ? html`<button
              type="button"
              class="button small"
              @click=${() => set(several ? [...list, { root: at.root, path: at.path ?? '' }] : { root: at.root, path: at.path ?? '' })}
            >
              ${t('job.thisFolder')}
            </button>`
          : nothing
      }
    </details>
  </fieldset>`;
}

/** A file to be written. @param {Actions} actions @param {Option} option @param {any} data @param {any} label */
function newFile({ app }, option, data, label) {
  if (!data.roots) {
    data.roots = [];
    app.ask('files.roots').then((/** @type {any} */ answer) => {
      data.roots = answer?.roots ?? [];
      app.changed('view');
    });
  }
  return html`<label class="field"
    >${label}<span class="range"
      ><select name=${`${option.name}.root`} aria-label=${`${option.name} ${t('games.folder')}`}>
        ${data.roots.map((/** @type {any} */ root) => html`<option value=${root.root}>${root.name}</option>`)}</select
      >/<input name=${option.name} class="mono" autocomplete="off" placeholder=${option.value ?? ''}
    /></span>
  </label>`;
}
