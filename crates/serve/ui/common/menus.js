// The menus at the top, made from the table of functions.

import { html, nothing } from '../vendor/lit-html-3.3.3.js';
import { t } from './i18n.js';

/** @typedef {import('./page-actions.js').PageActions<any>} Actions */

let open = '';

/** @param {Actions} actions */
export function menuBar(actions) {
  const keys = actions.keys;
  return html`<div
    class="menubar"
    role="menubar"
    aria-label=${t('menu.all')}
    @keydown=${(/** @type {KeyboardEvent} */ event) => barKeys(actions, event)}
    @focusout=${(/** @type {FocusEvent} */ event) => {
      if (
        open &&
        !(/** @type {Element} */ (event.currentTarget).contains(/** @type {Node | null} */ (event.relatedTarget)))
      )
        show(actions, '');
    }}
  >
    ${actions.table.menus.map((menu, i) => {
      const functions = actions.table.functions.filter((fn) => fn.menu === menu && actions.offered(fn));
      if (functions.length === 0) return nothing;
      return html`<div class="menu" role="none">
        <button
          type="button"
          role="menuitem"
          class="menu-name"
          aria-haspopup="menu"
          aria-expanded=${open === menu}
          tabindex=${i === 0 ? 0 : -1}
          data-menu=${menu}
          @click=${() => show(actions, open === menu ? '' : menu)}
          @pointerenter=${() => open && open !== menu && show(actions, menu)}
        >
          ${t(`menu.${menu}`)}
        </button>
        ${
          open === menu
            ? html`<div class="menu-list" role="menu" aria-label=${t(`menu.${menu}`)}>
                ${functions.map(
                  (fn) =>
                    html` <button
                      type="button"
                      role=${fn.on ? 'menuitemcheckbox' : 'menuitem'}
                      tabindex="-1"
                      class="menu-item"
                      aria-disabled=${!actions.usable(fn)}
                      aria-checked=${fn.on ? String(fn.on(actions)) : nothing}
                      data-fn=${fn.id}
                      @click=${() => choose(actions, fn.id)}
                    >
                      <span class="check" aria-hidden="true">${fn.on?.(actions) ? '✓' : ''}</span
                      ><span class="name">${t(`fn.${fn.id}`)}</span> <kbd>${keys[fn.id]?.[0] ?? ''}</kbd>
                    </button>`,
                )}
              </div>`
            : nothing
        }
      </div>`;
    })}
  </div>`;
}

/** @param {Actions} actions @param {string} menu */
function show(actions, menu) {
  open = menu;
  actions.app.changed('view');
}

/** @param {Actions} actions @param {string} id */
function choose(actions, id) {
  const fn = actions.functionById(id);
  if (!fn || !actions.usable(fn)) return;
  if (!fn.on) open = '';
  actions.run(id);
}

/** @param {Actions} actions @param {KeyboardEvent} event */
function barKeys(actions, event) {
  const bar = /** @type {Element} */ (event.currentTarget);
  const target = /** @type {HTMLElement} */ (event.target);
  const names = /** @type {HTMLElement[]} */ ([...bar.querySelectorAll('.menu-name')]);
  const items = /** @type {HTMLElement[]} */ ([...bar.querySelectorAll('.menu-item')]);
  const at = names.findIndex((name) => name.dataset.menu === (open || target.dataset.menu));
  /** @param {number} step */
  const sideways = (step) => {
    const name = names[(at + step + names.length) % names.length];
    if (open) show(actions, name.dataset.menu ?? '');
    actions.app.afterDrawing(() => (open ? (first(bar) ?? name) : name).focus());
  };
  const item = items.indexOf(target);
  if (event.key === 'ArrowRight') sideways(1);
  else if (event.key === 'ArrowLeft') sideways(-1);
  else if (event.key === 'Escape' && open) {
    show(actions, '');
    names[at]?.focus();
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    if (!open) {
      show(actions, target.dataset.menu ?? '');
      actions.app.afterDrawing(() => first(bar)?.focus());
    } else {
      const step = event.key === 'ArrowDown' ? 1 : -1;
      items[item < 0 ? (step > 0 ? 0 : items.length - 1) : (item + step + items.length) % items.length]?.focus();
    }
  } else return;
  event.preventDefault();
}

/** @param {Element} bar */
const first = (bar) => /** @type {HTMLElement | null} */ (bar.querySelector('.menu-item'));

/** Closes an open menu. @param {Actions} actions */
export function closeMenus(actions) {
  if (open) show(actions, '');
}

export const menuOpen = () => open !== '';
