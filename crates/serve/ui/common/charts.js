// Small charts of numbers as SVG: curves with their error, histograms, bars of shares.

import { html, nothing, svg } from '../vendor/lit-html-3.3.3.js';
import { number } from './i18n.js';
import { range, scale, ticks } from './chart-scale.js';

const SIZE = { width: 640, height: 190, left: 56, right: 12, top: 10, bottom: 22 };

/** A number as short as a tick has to be. @param {number} value */
const short = (value) =>
  Math.abs(value) >= 10_000 ? number(value, { notation: 'compact' }) : number(value, { maximumSignificantDigits: 4 });

/**
 * A curve.
 * @param {string} title @param {[number, number][]} points @param {{error?: [number, number][], x?: (value: number) => string}} [more]
 */
export function curve(title, points, { error, x: nameX = short } = {}) {
  if (points.length === 0) return nothing;
  const [x0, x1] = range(points.map(([x]) => x));
  const half = new Map(error ?? []);
  const [y0, y1] = range(points.flatMap(([x, y]) => [y - (half.get(x) ?? 0), y + (half.get(x) ?? 0)]));
  const toX = scale(x0, x1, SIZE.left, SIZE.width - SIZE.right);
  const toY = scale(y0, y1, SIZE.height - SIZE.bottom, SIZE.top);
  const line = points.map(([x, y], i) => `${i ? 'L' : 'M'}${toX(x).toFixed(1)} ${toY(y).toFixed(1)}`).join('');
  const above = points.map(([x, y]) => `${toX(x).toFixed(1)} ${toY(y + (half.get(x) ?? 0)).toFixed(1)}`);
  const below = points.map(([x, y]) => `${toX(x).toFixed(1)} ${toY(y - (half.get(x) ?? 0)).toFixed(1)}`).reverse();
  const last = points[points.length - 1];
  return html`<figure class="graph">
    <figcaption>
      ${title}: ${short(last[1])}${half.has(last[0]) ? ` ± ${short(half.get(last[0]) ?? 0)}` : ''}
    </figcaption>
    <svg class="graph-svg chart" viewBox="0 0 ${SIZE.width} ${SIZE.height}" role="img" aria-label=${title}>
      ${ticks(y0, y1).map(
        (
          value,
        ) => svg`<line class="grid" x1=${SIZE.left} x2=${SIZE.width - SIZE.right} y1=${toY(value)} y2=${toY(value)}></line>
        <text class="tick" x=${SIZE.left - 6} y=${toY(value) + 4} text-anchor="end">${short(value)}</text>`,
      )}
      ${ticks(x0, x1, 6).map((value) => svg`<text class="tick" x=${toX(value)} y=${SIZE.height - 5} text-anchor="middle">${nameX(value)}</text>`)}
      ${half.size > 0 ? svg`<path class="band strength-2" d=${`M${above.join('L')}L${below.join('L')}Z`}></path>` : nothing}
      <path class="series main" d=${line}></path>
      ${points.length === 1 ? svg`<circle class="dot main sure" cx=${toX(last[0])} cy=${toY(last[1])} r="3"></circle>` : nothing}
    </svg>
  </figure>`;
}

/** A histogram. @param {string} title @param {{from: number, width: number, counts: string[]}} data */
export function histogram(title, { from, width, counts }) {
  const values = counts.map(Number);
  const most = Math.max(1, ...values);
  const toX = scale(0, values.length, SIZE.left, SIZE.width - SIZE.right);
  const toY = scale(0, most, SIZE.height - SIZE.bottom, SIZE.top);
  const every = Math.ceil(values.length / 8);
  return html`<figure class="graph">
    <figcaption>${title}</figcaption>
    <svg class="graph-svg chart" viewBox="0 0 ${SIZE.width} ${SIZE.height}" role="img" aria-label=${title}>
      ${ticks(0, most, 4).map(
        (
          value,
        ) => svg`<line class="grid" x1=${SIZE.left} x2=${SIZE.width - SIZE.right} y1=${toY(value)} y2=${toY(value)}></line>
        <text class="tick" x=${SIZE.left - 6} y=${toY(value) + 4} text-anchor="end">${short(value)}</text>`,
      )}
      ${values.map(
        (
          value,
          i,
        ) => svg`<rect class="chart-bar" x=${toX(i) + 0.5} width=${Math.max(0.5, toX(i + 1) - toX(i) - 1)} y=${toY(value)} height=${toY(0) - toY(value)}>
          <title>${short(from + i * width)}–${short(from + (i + 1) * width)}: ${number(value)}</title></rect>`,
      )}
      ${values.map((_, i) => (i % every === 0 ? svg`<text class="tick" x=${toX(i)} y=${SIZE.height - 5} text-anchor="middle">${short(from + i * width)}</text>` : nothing))}
    </svg>
  </figure>`;
}

/** Counts as parts of one bar, with their names below. @param {string} title @param {{name: string, n: string}[]} counts @param {(name: string) => string} nameOf */
export function shares(title, counts, nameOf) {
  const total = counts.reduce((sum, one) => sum + Number(one.n), 0);
  if (total === 0) return nothing;
  let at = 0;
  const parts = counts.map((one, i) => {
    const width = (Number(one.n) / total) * 600;
    const part = svg`<rect class=${`share-part part-${i % 6}`} x=${at} y="0" width=${Math.max(0, width - 1)} height="18"><title>${nameOf(one.name)}: ${number(Number(one.n))}</title></rect>`;
    at += width;
    return part;
  });
  return html`<figure class="graph">
    <figcaption>${title}</figcaption>
    <svg class="share-svg" viewBox="0 0 600 18" preserveAspectRatio="none" role="img" aria-label=${title}>${parts}</svg>
    <p class="legend">
      ${counts.map(
        (one, i) =>
          html`<span
            ><i class="part-key part-${i % 6}" aria-hidden="true"></i> ${nameOf(one.name)} ${number(Number(one.n))}
            (${number(Number(one.n) / total, { style: 'percent', maximumFractionDigits: 1 })})</span
          >`,
      )}
    </p>
  </figure>`;
}
