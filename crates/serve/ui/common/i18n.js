// The words of the page in the user's language: flat JSON files of `lang/`, and languages that users added.

import { wordsInPage } from './engine-files.js';

/** @typedef {Record<string, string>} Strings */

export const SHIPPED = ['ja', 'en', 'zh-CN', 'zh-TW'];

/** @type {Map<string, Strings>} */
const loaded = new Map();
/** @type {Set<() => void>} */
const listeners = new Set();
/** The folder below `lang` with the words of the page itself, which go over those that pages share; none for the othello page. */
let part = '';

/** @type {Strings} */
let strings = {};
let fallback = strings;
let current = '';

/**
 * The text of a key with `{name}` filled in. A key that is missing in the language is taken from English.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
export function t(key, values) {
  const text = strings[key] ?? fallback[key] ?? key;
  return values ? text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole)) : text;
}

export const language = () => current;

/** @param {number} value @param {Intl.NumberFormatOptions} [options] */
export const number = (value, options) =>
  new Intl.NumberFormat(current.startsWith('x-') || !current ? 'en' : current, options).format(value);

/** A value in discs with its sign; zero has none. @param {number} value */
export const signed = (value) => (value > 0 ? `+${number(value)}` : value < 0 ? `−${number(-value)}` : '0');

/** Called after each change of the language. @param {() => void} listener */
export function onLanguage(listener) {
  listeners.add(listener);
}

/** The shipped language that fits the browser's list best. @param {readonly string[]} wanted */
export function bestLanguage(wanted) {
  for (const tag of wanted) {
    const lower = tag.toLowerCase();
    if (lower.startsWith('zh')) return /hant|tw|hk|mo/.test(lower) ? 'zh-TW' : 'zh-CN';
    const found = SHIPPED.find((code) => lower.split('-')[0] === code);
    if (found) return found;
  }
  return 'en';
}

/** Says which page's words are wanted besides the shared ones. @param {string} folder */
export function usePart(folder) {
  part = folder;
}

/** @param {string} code @returns {Promise<Strings>} */
export async function loadStrings(code) {
  const known = loaded.get(code);
  if (known) return known;
  const file = `${code.toLowerCase()}.json`;
  const [shared, own] = await Promise.all([loadFile(file), part ? loadFile(`${part}/${file}`) : {}]);
  const words = { ...shared, ...own };
  loaded.set(code, words);
  return words;
}

/** @param {string} file @returns {Promise<Strings>} */
async function loadFile(file) {
  const inPage = wordsInPage(`lang/${file}`);
  if (inPage) return inPage;
  const answer = await fetch(new URL(`../lang/${file}`, import.meta.url));
  if (!answer.ok) throw new Error(`lang/${file}: ${answer.status}`);
  return answer.json();
}

/** Makes a language of the user's known. @param {string} code @param {Strings} words */
export function addLanguage(code, words) {
  loaded.set(code, words);
}

/** Languages that can be chosen, with their own names. @param {Record<string, Strings>} added */
export function languages(added) {
  const names = { ja: '日本語', en: 'English', 'zh-CN': '简体中文', 'zh-TW': '繁體中文' };
  return [
    ...Object.entries(names),
    ...Object.entries(added).map(([code, words]) => [code, words['language.name'] ?? code]),
  ];
}

/** Switches the language and tells all who listen. @param {string} code */
export async function setLanguage(code) {
  [strings, fallback] = await Promise.all([loadStrings(code), loadStrings('en')]);
  current = code;
  document.documentElement.lang = code;
  for (const listener of listeners) listener();
}
