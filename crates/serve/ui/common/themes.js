// Which theme and palette the style sheets show.

import { THEMES } from './page-actions.js';

/** @param {string} theme @param {string} palette @param {string[]} palettes the first is taken for one that is not known */
export function applyTheme(theme, palette, palettes) {
  document.documentElement.dataset.theme = THEMES.includes(theme) ? theme : 'auto';
  document.documentElement.dataset.palette = palettes.includes(palette) ? palette : palettes[0];
}
