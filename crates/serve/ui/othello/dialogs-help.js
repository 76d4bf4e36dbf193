// How the page is used, and the licences of what is in it.

import { html } from '../vendor/lit-html-3.3.3.js';
import { t } from '../common/i18n.js';
import { FUNCTIONS, MENUS } from './functions.js';

/** @typedef {import('./actions.js').Actions} Actions */

/** @param {Actions} actions @returns {import('../common/dialogs.js').Content} */
export function helpDialog(actions) {
  const { keys } = actions;
  return {
    title: t('fn.usage'),
    wide: true,
    body: html`<div class="prose">
        ${['play', 'walk', 'values', 'paste', 'book', 'jobs'].map((part) => html`<p>${t(`help.${part}`)}</p>`)}
      </div>
      <h3>${t('keys.title')}</h3>
      <div class="key-columns">
        ${MENUS.map((menu) => {
          const functions = FUNCTIONS.filter((fn) => fn.menu === menu && actions.offered(fn) && keys[fn.id].length > 0);
          return functions.length === 0
            ? ''
            : html`<section>
                <h4>${t(`menu.${menu}`)}</h4>
                <dl>
                  ${functions.map(
                    (fn) =>
                      html`<dt>${keys[fn.id].map((key) => html`<kbd>${key}</kbd> `)}</dt>
                        <dd>${t(`fn.${fn.id}`)}</dd>`,
                  )}
                </dl>
              </section>`;
        })}
      </div>`,
  };
}

/** @param {Actions} actions @returns {import('../common/dialogs.js').Content} */
export function licencesDialog(actions) {
  return {
    title: t('fn.licences'),
    body: html`<div class="prose">
      <p>${t('licence.own')}</p>
      <p>${t('licence.lit')}</p>
      <p><a href="/vendor/LICENSE-lit" target="_blank" rel="noopener">LICENSE-lit</a></p>
      <p class="quiet">${t('licence.build', { build: actions.app.link.hello?.build ?? '' })}</p>
    </div>`,
  };
}
