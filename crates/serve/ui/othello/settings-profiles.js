// Named sets of settings, and all settings as one file.

import { html } from '../vendor/lit-html-3.3.3.js';
import { t } from '../common/i18n.js';
import { PROFILE_PREFIXES } from './defaults.js';
import { field } from './widgets.js';

/** @typedef {import('./actions.js').Actions} Actions */

/** @param {Actions} actions */
export function profileSettings(actions) {
  return html`${/** @type {(keyof typeof PROFILE_PREFIXES)[]} */ (Object.keys(PROFILE_PREFIXES)).map((kind) => profiles(actions, kind))}
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

/** @param {Actions} actions @param {keyof typeof PROFILE_PREFIXES} kind */
function profiles({ app }, kind) {
  const setting = `profiles.${kind}`;
  const known = app.get(setting);
  const save = (/** @type {string} */ name) => app.settings.set(setting, { ...known, [name]: snapshot(app, kind) });
  return html`<section>
    <h2>${t(`profiles.${kind}`)}</h2>
    <ul class="profiles">
      ${Object.keys(known).map(
        (name) =>
          html`<li>
            <b>${name}</b>
            <button type="button" class="button small" @click=${() => use(app, kind, known[name])}>
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

/** @param {import('./app.js').App} app @param {keyof typeof PROFILE_PREFIXES} kind */
function snapshot(app, kind) {
  const names = Object.keys(app.settings.defaults).filter((name) =>
    PROFILE_PREFIXES[kind].some((prefix) => name.startsWith(prefix)),
  );
  return Object.fromEntries(names.map((name) => [name, app.get(name)]));
}

/** @param {import('./app.js').App} app @param {keyof typeof PROFILE_PREFIXES} kind @param {Record<string, any>} values */
function use(app, kind, values) {
  for (const [name, value] of Object.entries(values)) {
    if (PROFILE_PREFIXES[kind].some((prefix) => name.startsWith(prefix)) && name in app.settings.defaults)
      app.settings.set(name, value);
  }
  app.say(t('profiles.used'));
}
