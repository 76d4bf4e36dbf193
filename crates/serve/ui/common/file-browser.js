// The files of the back end's roots, from which one is chosen.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { number, t } from './i18n.js';
import { icon } from './icons.js';

/** @typedef {import('./page-actions.js').PageActions<any>} Actions */

/**
 * Files of the server's roots, from which one is chosen.
 * @param {Actions} actions @param {any} data keeps where the list is @param {string[]} kinds kinds that can be chosen
 * @param {(root: string, path: string) => any} take
 */
export function fileBrowser(actions, data, kinds, take) {
  const { app } = actions;
  const list = async (/** @type {string} */ root, /** @type {string} */ path) => {
    try {
      const answer = await app.link.ask('files.list', { root, path });
      Object.assign(data, { root, path, entries: answer.entries, more: answer.more });
    } catch (error) {
      app.sayError(error);
    }
    app.changed('view');
  };
  if (!data.roots) {
    data.roots = [];
    app.link.ask('files.roots').then(
      async (/** @type {any} */ answer) => {
        data.roots = answer.roots;
        if (answer.roots.length > 0) await list(answer.roots[0].root, '');
      },
      (/** @type {unknown} */ error) => app.sayError(error),
    );
  }
  const below = (/** @type {string} */ name) => (data.path ? `${data.path}/${name}` : name);
  const up = data.path ? data.path.split('/').slice(0, -1).join('/') : null;
  return html`<div class="row">
      ${data.roots.map((/** @type {any} */ root) => html`<button type="button" class="segment" aria-pressed=${String(root.root === data.root)} @click=${() => list(root.root, '')}>${root.name}</button>`)}
    </div>
    <p class="mono">/${data.path ?? ''}</p>
    <ul class="files">
      ${up === null ? nothing : html`<li><button type="button" class="link" @click=${() => list(data.root, up)}>${icon('back')} ${t('files.up')}</button></li>`}
      ${(data.entries ?? []).map(
        (/** @type {any} */ entry) =>
          html`<li>
            ${
              entry.kind === 'folder'
                ? html`<button type="button" class="link" @click=${() => list(data.root, below(entry.name))}>
                    ${icon('folder')} ${entry.name}
                  </button>`
                : html`<button
                      type="button"
                      class="link"
                      ?disabled=${!kinds.includes(entry.kind)}
                      @click=${() => take(data.root, below(entry.name))}
                    >
                      ${entry.name}
                    </button>
                    <small class="quiet">${size(Number(entry.size))}</small>`
            }
          </li>`,
      )}
      ${data.entries && data.entries.length === 0 ? html`<li class="quiet">${t('files.empty')}</li>` : nothing}
      ${data.more ? html`<li class="quiet">…</li>` : nothing}
    </ul>`;
}

/** A size in words. @param {number} bytes */
export const size = (bytes) =>
  bytes < 1e6 ? `${number(Math.ceil(bytes / 1000))} kB` : `${number(bytes / 1e6, { maximumFractionDigits: 1 })} MB`;
