// The dialogs: one `<dialog>` element that shows the open one. Enter takes, Esc leaves.

import { html, nothing, render } from '../vendor/lit-html-3.3.3.js';
import { t } from '../common/i18n.js';
import { bitboardDialog, exportDialog, gameInfoDialog, importDialog, newFolderDialog, randomDialog, saveDialog, textDialog } from './dialogs-games.js';
import { editorDialog } from './dialog-editor.js';
import { imageDialog } from './dialog-image.js';
import { openingsDialog } from './dialog-openings.js';
import { bookEditDialog, bookOpenDialog, jobDialog, libraryImportDialog } from './dialogs-book.js';
import { helpDialog, licencesDialog } from './dialogs-help.js';

/** @typedef {import('./actions.js').Actions} Actions */
/** What a dialog shows. @typedef {{title: string, body: any, wide?: boolean, keys?: (event: KeyboardEvent) => void}} Content */

/** @type {Record<string, (actions: Actions, data: any) => Content>} */
const DIALOGS = {
  import: importDialog,
  bitboards: bitboardDialog,
  random: randomDialog,
  gameInfo: gameInfoDialog,
  saveGame: saveDialog,
  export: exportDialog,
  text: textDialog,
  newFolder: newFolderDialog,
  libraryImport: libraryImportDialog,
  editor: editorDialog,
  image: imageDialog,
  openings: openingsDialog,
  bookOpen: bookOpenDialog,
  bookEdit: bookEditDialog,
  job: jobDialog,
  help: helpDialog,
  licences: licencesDialog,
};

/** What the open dialog does with keys. @type {((event: KeyboardEvent) => void) | undefined} */
let onKey;

/** The dialog that is on the screen. @type {any} */
let shown = null;

/** Shows, renews or closes the dialog. @param {HTMLDialogElement} element @param {Actions} actions */
export function renderDialog(element, actions) {
  const { dialog } = actions;
  if (!dialog || !(dialog.name in DIALOGS)) {
    if (element.open) element.close();
    shown = null;
    render(nothing, element);
    return;
  }
  const { title, body, wide, keys } = DIALOGS[dialog.name](actions, dialog.data);
  onKey = keys;
  element.classList.toggle('wide', Boolean(wide));
  element.dataset.name = dialog.name;
  if (shown !== dialog) render(nothing, element);
  render(html`<header class="dialog-head"><h2 id="dialog-title">${title}</h2><button type="button" class="button icon" aria-label=${t('dialog.close')} title=${t('dialog.close')} @click=${() => actions.close()}>✕</button></header>
    <div class="dialog-body" tabindex="-1">${body}</div>`, element);
  if (shown !== dialog) {
    shown = dialog;
    if (!element.open) {
      element.onkeydown = (event) => onKey?.(event);
      element.showModal();
    }
    /** @type {HTMLElement | null} */ (element.querySelector('[autofocus]') ?? element.querySelector('.dialog-body'))?.focus();
  }
}
