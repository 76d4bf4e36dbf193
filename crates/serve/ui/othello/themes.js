// Names of the palettes of the board that the style sheet knows.

export const PALETTES = ['standard', 'deutan', 'tritan', 'mono'];
