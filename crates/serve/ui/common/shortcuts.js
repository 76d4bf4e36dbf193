// Names of keys and the table of shortcuts. Pure; `keyboard.js` listens to the keys.

/**
 * What the names of keys are made from, of a keyboard event.
 * @typedef {{key: string, ctrlKey: boolean, altKey: boolean, shiftKey: boolean, metaKey: boolean}} Keys
 */

/** @typedef {Record<string, string[]>} Table keys of each function by its id */

/** @type {Record<string, string>} */
const NAMES = {
  ArrowLeft: 'Left',
  ArrowRight: 'Right',
  ArrowUp: 'Up',
  ArrowDown: 'Down',
  ' ': 'Space',
  Escape: 'Esc',
  '+': 'Plus',
};

const MODIFIERS = [
  'Control',
  'Alt',
  'Shift',
  'Meta',
  'AltGraph',
  'CapsLock',
  'Dead',
  'Process',
  'Unidentified',
  'Hangul',
  'HanjaMode',
  'KanjiMode',
];

/**
 * The name of what is pressed, like `Ctrl+Shift+S`, `Left`, `?`; empty for a modifier alone. The command key of a Mac counts
 * as Ctrl.
 * @param {Keys} event
 */
export function keyName(event) {
  if (MODIFIERS.includes(event.key)) return '';
  const key = NAMES[event.key] ?? (event.key.length === 1 ? event.key.toUpperCase() : event.key);
  const letterOrNamed = event.key.length > 1 || event.key === ' ' || /^[A-Z]$/.test(key);
  return [
    event.ctrlKey || event.metaKey ? 'Ctrl+' : '',
    event.altKey ? 'Alt+' : '',
    event.shiftKey && letterOrNamed ? 'Shift+' : '',
    key,
  ].join('');
}

/**
 * The function that a key calls, or null.
 * @param {Table} table @param {string} name
 */
export function functionOf(table, name) {
  return Object.keys(table).find((id) => table[id].includes(name)) ?? null;
}

/**
 * The table of the defaults with the user's changes over it. A default that a change has taken elsewhere is left out.
 * @param {Table} defaults @param {Table} changes
 * @returns {Table}
 */
export function merged(defaults, changes) {
  const taken = new Set(
    Object.entries(changes)
      .filter(([id]) => id in defaults)
      .flatMap(([, keys]) => keys),
  );
  return Object.fromEntries(
    Object.entries(defaults).map(([id, keys]) => [id, changes[id] ?? keys.filter((key) => !taken.has(key))]),
  );
}

/**
 * Gives a function one more key.
 * @param {Table} defaults @param {Table} changes @param {string} id @param {string} name
 * @returns {{changes: Table} | {takenBy: string}} refused where another function has the key
 */
export function assign(defaults, changes, id, name) {
  const table = merged(defaults, changes);
  const takenBy = functionOf(table, name);
  if (takenBy && takenBy !== id) return { takenBy };
  const keys = table[id] ?? [];
  return { changes: { ...changes, [id]: keys.includes(name) ? keys : [...keys, name] } };
}

/**
 * Takes a key away from a function.
 * @param {Table} defaults @param {Table} changes @param {string} id @param {string} name
 * @returns {Table} the changes
 */
export function unassign(defaults, changes, id, name) {
  return { ...changes, [id]: (merged(defaults, changes)[id] ?? []).filter((key) => key !== name) };
}

/**
 * Whether a key must be left alone: while an input method composes, or while the user writes into a field.
 * @param {{isComposing: boolean, keyCode?: number, target: EventTarget | null}} event
 */
export function isTyping(event) {
  if (event.isComposing || event.keyCode === 229) return true;
  const target = /** @type {any} */ (event.target);
  return Boolean(
    target?.closest?.(
      'textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=range], [type=button])',
    ),
  );
}
