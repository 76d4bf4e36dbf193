// Listens to the keys and calls the functions of the table of shortcuts.

import { functionOf, isTyping, keyName } from './shortcuts.js';

/**
 * @param {object} calls
 * @param {() => import('./shortcuts.js').Table} calls.table
 * @param {(id: string) => boolean} calls.run whether the function ran
 * @param {(id: string) => void} calls.released a key of a function was let go
 */
export function listen({ table, run, released }) {
  /** The functions whose keys are down. @type {Map<string, string>} */
  const down = new Map();
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || isTyping(event) || document.querySelector('dialog[open]')) return;
    const name = keyName(event);
    const id = name && functionOf(table(), name);
    if (!id || leaveToFocus(event, name)) return;
    if (name === 'Ctrl+C' && String(getSelection())) return;
    // The text of the clipboard comes with the `paste` event, without asking for a permission.
    if (name === 'Ctrl+V') return;
    if (run(id)) event.preventDefault();
    down.set(event.code, id);
  });
  document.addEventListener('keyup', (event) => {
    const id = down.get(event.code);
    down.delete(event.code);
    if (id) released(id);
  });
  window.addEventListener('blur', () => {
    for (const id of down.values()) released(id);
    down.clear();
  });
}

/** Enter, Space and the arrows belong to the button, slider, menu or board square that has the focus. @param {KeyboardEvent} event @param {string} name */
function leaveToFocus(event, name) {
  const target = /** @type {Element | null} */ (event.target);
  if (['Space', 'Enter'].includes(name))
    return Boolean(target?.closest('button, summary, a, input, [role=gridcell], [role=tab], [role^=menuitem]'));
  if (!/^(Left|Right|Up|Down|Home|End)$/.test(name)) return false;
  return Boolean(
    target?.closest('input, [role=gridcell], [role=tab], [role^=menuitem], [role=slider], [role=treeitem]'),
  );
}
