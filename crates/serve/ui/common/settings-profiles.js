// Named sets of settings, and all settings as one file.

import { html } from '../vendor/lit-html-3.3.3.js';
import { t } from './i18n.js';
import { field } from './widgets.js';

/** @typedef {import('./page-actions.js').PageActions<any>} Actions */

/** @param {Actions} actions */
export function profileSettings(actions) {
  return html`${Object.keys(actions.table.profiles).map((kind) => profiles(actions, kind))}
    <section>
      <h2>${t('settings.all.title')}</h2>
      <p class="quiet">${t('settings.all.what')}</p>
      <p class="buttons">
        <button type="button" class="button" @click=${() => actions.run('exportSettings')}>
          ${t('fn.exportSettings')}
        </button>
        <button type="button" class="button" @click=${() => actions.run('importSettings')}>
          ${t('fn.importSettings')}
        </button>
        <button type="button" class="button" @click=${() => actions.app.settings.replace({})}>
          ${t('settings.reset')}
        </button>
      </p>
    </section>`;
}

/** @param {Actions} actions @param {string} kind */
function profiles(actions, kind) {
  const { app } = actions;
  const setting = `profiles.${kind}`;
  const known = app.get(setting);
  const save = (/** @type {string} */ name) => app.settings.set(setting, { ...known, [name]: snapshot(actions, kind) });
  return html`<section>
    <h2>${t(`profiles.${kind}`)}</h2>
    <ul class="profiles">
      ${Object.keys(known).map(
        (name) =>
          html`<li>
            <b>${name}</b>
            <button type="button" class="button small" @click=${() => use(actions, kind, known[name])}>
              ${t('profiles.use')}
            </button>
            <button type="button" class="button small" @click=${() => save(name)}>${t('profiles.overwrite')}</button>
            <button
              type="button"
              class="button small"
              @click=${() => app.settings.set(setting, Object.fromEntries(Object.entries(known).filter(([other]) => other !== name)))}
            >
              ${t('profiles.delete')}
            </button>
          </li>`,
      )}
    </ul>
    <form
      class="inline"
      @submit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        const name = field(event, 'name').trim();
        if (!name) return;
        save(name);
        /** @type {HTMLFormElement} */ (event.currentTarget).reset();
      }}
    >
      <label>${t('profiles.name')} <input name="name" maxlength="60" required /></label
      ><button class="button">${t('profiles.save')}</button>
    </form>
  </section>`;
}

/** @param {Actions} actions @param {string} kind */
function snapshot({ app, table }, kind) {
  const names = Object.keys(app.settings.defaults).filter((name) =>
    table.profiles[kind].some((prefix) => name.startsWith(prefix)),
  );
  return Object.fromEntries(names.map((name) => [name, app.get(name)]));
}

/** @param {Actions} actions @param {string} kind @param {Record<string, any>} values */
function use({ app, table }, kind, values) {
  for (const [name, value] of Object.entries(values)) {
    if (table.profiles[kind].some((prefix) => name.startsWith(prefix)) && name in app.settings.defaults)
      app.settings.set(name, value);
  }
  app.say(t('profiles.used'));
}
