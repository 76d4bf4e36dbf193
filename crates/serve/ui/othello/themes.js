// Names of the themes and palettes that the style sheets know.

export const THEMES = ['auto', 'light', 'dark', 'contrast'];
export const PALETTES = ['standard', 'deutan', 'tritan', 'mono'];

/** @param {string} theme @param {string} palette */
export function applyTheme(theme, palette) {
  document.documentElement.dataset.theme = THEMES.includes(theme) ? theme : 'auto';
  document.documentElement.dataset.palette = PALETTES.includes(palette) ? palette : 'standard';
}
