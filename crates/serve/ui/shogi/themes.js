// Names of the looks of the board that the style sheet knows.

export const PALETTES = ['wood', 'plain', 'slate', 'deutan', 'contrast'];
