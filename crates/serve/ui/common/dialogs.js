// The dialogs: one `<dialog>` element that shows the open one. Enter takes, Esc leaves.

import { html, nothing, render } from '../vendor/lit-html-3.3.3.js';
import { t } from './i18n.js';

/** @typedef {import('./page-actions.js').PageActions<any>} Actions */
/** What a dialog shows. @typedef {{title: string, body: any, wide?: boolean, keys?: (event: KeyboardEvent) => void}} Content */

/** The dialogs by their names, once they are loaded: a page that opens none does not wait for them. @type {Record<string, (actions: Actions, data: any) => Content> | null} */
let dialogs = null;

/** What the open dialog does with keys. @type {((event: KeyboardEvent) => void) | undefined} */
let onKey;

/** The dialog that is on the screen. @type {any} */
let shown = null;

/** Shows, renews or closes the dialog. @param {HTMLDialogElement} element @param {Actions} actions */
export function renderDialog(element, actions) {
  const { dialog } = actions;
  if (dialog && !dialogs) {
    actions.table.loadDialogs().then(
      (table) => {
        dialogs = table;
        actions.app.changed('view');
      },
      (error) => actions.app.sayError(error),
    );
    return;
  }
  if (!dialog || !dialogs || !(dialog.name in dialogs)) {
    if (element.open) element.close();
    shown = null;
    render(nothing, element);
    return;
  }
  const { title, body, wide, keys } = dialogs[dialog.name](actions, dialog.data);
  onKey = keys;
  element.classList.toggle('wide', Boolean(wide));
  element.dataset.name = dialog.name;
  if (shown !== dialog) render(nothing, element);
  render(
    html`<header class="dialog-head">
        <h2 id="dialog-title">${title.replace(/…$/, '')}</h2>
        <button
          type="button"
          class="button icon"
          aria-label=${t('dialog.close')}
          title=${t('dialog.close')}
          @click=${() => actions.close()}
        >
          ✕
        </button>
      </header>
      <div class="dialog-body" tabindex="0" role="group" aria-labelledby="dialog-title">${body}</div>`,
    element,
  );
  if (shown !== dialog) {
    shown = dialog;
    if (!element.open) {
      element.onkeydown = (event) => onKey?.(event);
      element.showModal();
    }
    /** @type {HTMLElement | null} */ (
      element.querySelector('[autofocus]') ?? element.querySelector('.dialog-body')
    )?.focus();
  }
}
