// All dialogs by their names; loaded when the first is opened.

import { libraryImportDialog, newFolderDialog, textDialog, usageDialog } from '../common/dialog-shared.js';
import { tabFilesDialog } from '../common/dialog-tab-files.js';
import { html } from '../vendor/lit-html-3.3.3.js';
import { t } from '../common/i18n.js';
import { editorDialog } from './dialog-editor.js';
import { bookEditDialog, bookOpenDialog, bookRegisterDialog, filesDialog, jobDialog } from './dialogs-book.js';
import { engineDialog } from './dialogs-engine.js';
import { endGameDialog, gameInfoDialog, newGameDialog, saveDialog } from './dialogs-game.js';
import { exportDialog, imageDialog, importDialog } from './dialogs-text.js';

/** @typedef {import('./actions.js').Actions} Actions */
/** @typedef {import('../common/dialogs.js').Content} Content */

/** @param {Actions} actions @returns {Content} */
const licencesDialog = (actions) => ({
  title: t('fn.licences'),
  body: html`<div class="prose">
    <p>${t('licence.own')}</p>
    <p>${t('licence.lit')}</p>
    <p><a href="/vendor/LICENSE-lit" target="_blank" rel="noopener">LICENSE-lit</a></p>
    <p>${t('licence.font')}</p>
    <p><a href="/shogi/glyphs/LICENSE-OFL" target="_blank" rel="noopener">LICENSE-OFL</a></p>
    <p class="quiet">${t('licence.build', { build: actions.app.link.hello?.build ?? '' })}</p>
  </div>`,
});

/** @type {Record<string, (actions: Actions, data: any) => Content>} */
export const DIALOGS = {
  newGame: newGameDialog,
  endGame: endGameDialog,
  gameInfo: gameInfoDialog,
  saveGame: saveDialog,
  import: importDialog,
  export: exportDialog,
  image: imageDialog,
  text: textDialog,
  editor: editorDialog,
  newFolder: newFolderDialog,
  libraryImport: libraryImportDialog,
  files: filesDialog,
  bookOpen: bookOpenDialog,
  tabFiles: tabFilesDialog,
  bookEdit: bookEditDialog,
  bookRegister: bookRegisterDialog,
  engine: engineDialog,
  job: jobDialog,
  help: (actions) => usageDialog(actions, ['play', 'walk', 'research', 'paste', 'book', 'jobs']),
  licences: licencesDialog,
};
