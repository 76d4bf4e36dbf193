// Drawings on buttons.

import { html, svg } from '../vendor/lit-html-3.3.3.js';

const PATHS = {
  first: 'M5 4V16M16 4L8 10L16 16Z',
  back: 'M14 4L6 10L14 16Z',
  forward: 'M6 4L14 10L6 16Z',
  last: 'M15 4V16M4 4L12 10L4 16Z',
  folder: 'M2.5 5H8L10 7H17.5V15.5H2.5Z',
  undo: 'M8 4L3.5 8.5L8 13M4 8.5H12.5a4 4 0 0 1 0 8H8',
};

/** @param {keyof typeof PATHS} name */
export const icon = (name) =>
  html`<svg class="icon-drawing icon-${name}" viewBox="0 0 20 20" aria-hidden="true">
    ${svg`<path d=${PATHS[name]}></path>`}
  </svg>`;
