// Openings that the engine has to play, as the user writes them: one transcript a line, with a weight after it. Pure.

import { play, squareName, startPosition } from './rules.js';
import { parseTranscript } from './notation.js';

/**
 * @param {string} text lines like `f5d6c3d3c4 2`; without a number the weight is 1; `#` begins a remark
 * @returns {{openings: {moves: string[], weight: number}[], errors: number[]}} errors: numbers of the lines that are wrong
 */
export function parseForced(text) {
  /** @type {{moves: string[], weight: number}[]} */
  const openings = [];
  /** @type {number[]} */
  const errors = [];
  text.split('\n').forEach((line, i) => {
    const plain = line.replace(/#.*/, '').trim();
    if (!plain) return;
    const match = /^([a-h1-8\s]*?)(?:[\s,]+(\d+(?:\.\d+)?))?$/i.exec(plain);
    const moves = match ? parseTranscript(match[1]) : null;
    if (!match || !moves || moves.length === 0 || !legal(moves)) errors.push(i + 1);
    else openings.push({ moves: moves.map(squareName), weight: Number(match[2] ?? 1) });
  });
  return { openings, errors };
}

/** @param {number[]} moves */
function legal(moves) {
  let position = startPosition();
  for (const move of moves) {
    const next = play(position, move);
    if (!next) return false;
    position = next.position;
  }
  return true;
}

/**
 * One of the openings, the heavier the likelier.
 * @param {{moves: string[], weight: number}[]} openings
 * @param {number} random from 0 to below 1
 */
export function pickByWeight(openings, random) {
  let rest = random * openings.reduce((sum, opening) => sum + opening.weight, 0);
  return openings.find((opening) => (rest -= opening.weight) < 0) ?? null;
}
