// The options of an engine.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { t } from '../common/i18n.js';

/** @typedef {import('./actions.js').Actions} Actions */
/** @typedef {import('../common/dialogs.js').Content} Content */

/** The options of an engine. @param {Actions} actions @param {{engine: string}} data @returns {Content} */
export function engineDialog(actions, data) {
  const { app, engines } = actions;
  const engine = engines.find(data.engine);
  const options = engine?.options ?? [];
  return {
    title: t('research.optionsOf', { name: engine?.name ?? data.engine }),
    body: html`<form
      @submit=${async (/** @type {Event} */ event) => {
        event.preventDefault();
        const form = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
        /** @type {Record<string, string>} */
        const changed = {};
        for (const option of options) {
          if (option.type === 'button') continue;
          const value =
            option.type === 'check' ? String(form.has(option.name)) : String(form.get(option.name) ?? option.value);
          if (value !== option.value) changed[option.name] = value;
        }
        if (Object.keys(changed).length === 0 || (await engines.set(data.engine, changed))) actions.close();
      }}
    >
      ${engine?.note ? html`<p class="verdict wrong">${engine.note}</p>` : nothing}
      ${
        options.length === 0
          ? html`<p class="quiet">${t('research.noOptions')}</p>
              ${engine?.state === 'idle' ? html`<p class="buttons"><button type="button" class="button" @click=${() => engines.start(data.engine)}>${t('research.start')}</button></p>` : nothing}`
          : options.map((option) =>
              option.type === 'button' ? pressRow(actions, data.engine, option) : optionRow(option),
            )
      }
      <p class="buttons">
        <button class="button strong">${t('dialog.ok')}</button>
        <button
          type="button"
          class="button"
          @click=${async () => {
            if (
              await engines.set(
                data.engine,
                Object.fromEntries(options.filter((one) => one.type !== 'button').map((one) => [one.name, null])),
              )
            )
              app.say(t('research.defaultsSet'));
          }}
        >
          ${t('settings.reset')}
        </button>
        <button
          type="button"
          class="button"
          @click=${async () => {
            if (await engines.clear(data.engine)) app.say(t('ai.cleared'));
          }}
        >
          ${t('research.clear')}
        </button>
      </p>
    </form>`,
  };
}

/** @param {Actions} actions @param {string} engine @param {import('./engines.js').Option} option */
const pressRow = ({ engines }, engine, option) =>
  html`<p class="buttons">
    <button type="button" class="button small" @click=${() => engines.set(engine, { [option.name]: null })}>
      ${option.name}
    </button>
  </p>`;

/** @param {import('./engines.js').Option} option */
function optionRow(option) {
  const changed = option.value !== option.default;
  const label = html`<span class="mono">${changed ? html`<b>${option.name}</b>` : option.name}</span>`;
  if (option.type === 'check')
    return html`<label class="check-row"
      ><input type="checkbox" name=${option.name} ?checked=${option.value === 'true'} />${label}</label
    >`;
  if (option.type === 'combo' || option.choices.length > 0)
    return html`<label class="select-row"
      >${label}<select name=${option.name}>
        ${option.choices.map((choice) => html`<option value=${choice} ?selected=${choice === option.value}>${choice}</option>`)}
      </select></label
    >`;
  return html`<label class="select-row"
    >${label}<input
      name=${option.name}
      type=${option.type === 'spin' ? 'number' : 'text'}
      min=${option.min ?? nothing}
      max=${option.max ?? nothing}
      .value=${option.value}
      title=${t('research.default', { value: option.default })}
  /></label>`;
}
