// Languages of the user's own: a copy of a language as a file, and a file as a language.

import { download } from './clipboard.js';
import { language, loadStrings, t } from './i18n.js';
import { pickFile } from './page-actions.js';

/** @typedef {import('./page-actions.js').PageActions<any>} Actions */

/** Saves the words of the language of the page as a file. */
export async function exportLanguage() {
  download(
    JSON.stringify(await loadStrings(language()), null, 1),
    `${language().toLowerCase()}.json`,
    'application/json',
  );
}

/** Takes a language from a file. @param {Actions} actions */
export function addLanguageFile({ app }) {
  pickFile('.json,application/json', async (file) => {
    try {
      const words = JSON.parse(await file.text());
      const known = await loadStrings('en');
      const wrong = Object.entries(words).find(([key, text]) => !(key in known) || typeof text !== 'string');
      if (wrong || !words['language.name'])
        throw new Error(t('settings.badLanguage', { key: wrong?.[0] ?? 'language.name' }));
      const code = `x-${file.name.replace(/\.json$/i, '').toLowerCase()}`;
      app.settings.set('languages', { ...app.get('languages'), [code]: words });
      app.settings.set('lang', code);
    } catch (error) {
      app.sayError(error);
    }
  });
}
