// All dialogs by their names; loaded when the first is opened.

import {
  bitboardDialog,
  exportDialog,
  gameInfoDialog,
  importDialog,
  randomDialog,
  saveDialog,
} from './dialogs-games.js';
import { libraryImportDialog, newFolderDialog, textDialog } from '../common/dialog-shared.js';
import { tabFilesDialog } from '../common/dialog-tab-files.js';
import { editorDialog } from './dialog-editor.js';
import { imageDialog } from './dialog-image.js';
import { openingsDialog } from './dialog-openings.js';
import { bookEditDialog, bookOpenDialog, jobDialog } from './dialogs-book.js';
import { helpDialog, licencesDialog } from './dialogs-help.js';

/** @typedef {import('./actions.js').Actions} Actions */
/** @typedef {import('../common/dialogs.js').Content} Content */

/** @type {Record<string, (actions: Actions, data: any) => Content>} */
export const DIALOGS = {
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
  tabFiles: tabFilesDialog,
  bookEdit: bookEditDialog,
  job: jobDialog,
  help: helpDialog,
  licences: licencesDialog,
};
