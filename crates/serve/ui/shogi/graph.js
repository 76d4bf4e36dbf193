// The graphs of scores and of thinking times, with the bands of mistakes and a line to drag.

import { html, nothing, svg } from '../vendor/lit-html-3.3.3.js';
import { number, signed, t } from '../common/i18n.js';
import { GRAPH, areaPath, height, lastPly, linePath, plyToX, timeTop, toY, xToPly } from './graph-geometry.js';
import { BLACK, sideName } from './position.js';
import { scoreText } from './score-text.js';

/** @typedef {import('./actions.js').Actions} Actions */
/** @typedef {import('./tree.js').Node} Node */

/** @param {Actions} actions @param {'value' | 'time'} kind */
export function graph(actions, kind) {
  const { app } = actions;
  const line = app.tree.line();
  const last = lastPly(line.length - 1);
  const ply = app.tree.ply();
  const x = plyToX(ply, last);
  const title = t(`graph.${kind}`);
  return html`<figure class="graph">
    <figcaption>${title}</figcaption>
    <svg
      class="graph-svg ${kind}"
      viewBox="0 0 ${GRAPH.width} ${GRAPH.height}"
      role="slider"
      tabindex="0"
      aria-label=${title}
      aria-valuemin="0"
      aria-valuemax=${line.length - 1}
      aria-valuenow=${ply}
      aria-valuetext=${describe(actions)}
      @pointerdown=${(/** @type {PointerEvent} */ event) => drag(actions, event, last)}
      @pointermove=${(/** @type {PointerEvent} */ event) => event.buttons && drag(actions, event, last)}
      @keydown=${(/** @type {KeyboardEvent} */ event) => keys(actions, event)}
    >
      ${kind === 'value' ? values(actions, line, last) : times(line, last)}
      ${marks(last).map((n) => svg`<text class="tick" x=${plyToX(n, last)} y=${GRAPH.height - 6} text-anchor="middle">${n}</text>`)}
      <line class="cursor" x1=${x} x2=${x} y1=${GRAPH.top - 4} y2=${GRAPH.height - GRAPH.bottom}></line>
      <circle class="handle" cx=${x} cy=${GRAPH.top} r="7"></circle>
    </svg>
  </figure>`;
}

/** Plies that are named below the graph. @param {number} last */
function marks(last) {
  const step = last <= 60 ? 10 : last <= 150 ? 20 : 50;
  return Array.from({ length: Math.floor(last / step) + 1 }, (_, i) => i * step);
}

/** @param {Actions} actions */
function describe({ app }) {
  const { current } = app.tree;
  const value = current.score ? scoreText(current.score) : t('graph.unknown');
  return `${app.tree.ply()} ${app.nameOf(current)} ${value}`;
}

/** @param {Actions} actions @param {Node[]} line @param {number} last */
function values({ app }, line, last) {
  const scale = app.get('show.graphScale');
  const main = app.tree.mainLine();
  const fork = line.findIndex((node, i) => node !== main[i]);
  const points = (/** @type {Node[]} */ nodes, /** @type {number} */ from) =>
    nodes.flatMap((node, i) => (node.score ? [{ ply: from + i, value: height(node.score, scale), node }] : []));
  const own = points(fork > 0 ? main : line, 0);
  const branch = fork > 0 ? points(line.slice(fork - 1), fork - 1) : [];
  const names =
    scale === 'win'
      ? ['100%', '75%', '50%', '25%', '0%']
      : [1, 0.5, 0, -0.5, -1].map((share) => signed(share * Number(scale)));
  return svg`
    ${line.map((node, i) => (node.found?.judge ? svg`<rect class="judge-band ${node.found.judge}" x=${plyToX(i - 0.5, last)} width=${Math.max(2, plyToX(1, last) - plyToX(0, last))} y=${GRAPH.top} height=${GRAPH.height - GRAPH.top - GRAPH.bottom}><title>${i} ${app.nameOf(node)} ${t(`judge.${node.found.judge}`)}</title></rect>` : nothing))}
    ${[1, 0.5, 0, -0.5, -1].map((value, i) => svg`<line class="grid ${value === 0 ? 'zero' : ''}" x1=${GRAPH.left} x2=${GRAPH.width - GRAPH.right} y1=${toY(value)} y2=${toY(value)}></line><text class="tick" x=${GRAPH.left - 6} y=${toY(value) + 4} text-anchor="end">${names[i]}</text>`)}
    <path class="area" d=${areaPath(own, last)}></path>
    <path class="series main" d=${linePath(own, last)}></path>
    ${branch.length > 0 ? svg`<path class="series branch" d=${linePath(branch, last)}></path>` : nothing}
    ${own.map((point) => (point.node.found?.judge || own.length < 3 ? svg`<circle class="dot main sure" cx=${plyToX(point.ply, last)} cy=${toY(point.value)} r="3"></circle>` : nothing))}`;
}

/** @param {Node[]} line @param {number} last */
function times(line, last) {
  const known = line.flatMap((node, i) =>
    node.time !== null && node.time > 0 && node.parent
      ? [{ ply: i, seconds: node.time / 1000, side: node.parent.position.side }]
      : [],
  );
  const top = timeTop(known.map((one) => one.seconds));
  const width = Math.max(1.2, ((GRAPH.width - GRAPH.left - GRAPH.right) / last) * 0.8);
  return svg`
    ${[0, 0.5, 1].map((share) => svg`<line class="grid" x1=${GRAPH.left} x2=${GRAPH.width - GRAPH.right} y1=${toY(share, 'base')} y2=${toY(share, 'base')}></line><text class="tick" x=${GRAPH.left - 6} y=${toY(share, 'base') + 4} text-anchor="end">${number(share * top)}</text>`)}
    ${known.map(({ ply, seconds, side }) => {
      const y = toY(seconds / top, 'base');
      return svg`<rect class="bar ${sideName(side)}" x=${plyToX(ply, last) - width / 2} width=${width} y=${y} height=${GRAPH.height - GRAPH.bottom - y}><title>${ply}: ${t(side === BLACK ? 'black' : 'white')} ${number(seconds, { maximumFractionDigits: 1 })}</title></rect>`;
    })}`;
}

/** @param {Actions} actions @param {PointerEvent} event @param {number} last */
function drag(actions, event, last) {
  const element = /** @type {SVGSVGElement} */ (event.currentTarget);
  if (event.type === 'pointerdown') element.setPointerCapture(event.pointerId);
  const box = element.getBoundingClientRect();
  actions.app.walk((tree) => tree.goToPly(xToPly(((event.clientX - box.left) / box.width) * GRAPH.width, last)));
}

/** @param {Actions} actions @param {KeyboardEvent} event */
function keys(actions, event) {
  /** @type {Record<string, string>} */
  const functions = {
    ArrowLeft: 'back',
    ArrowRight: 'forward',
    Home: 'first',
    End: 'last',
    PageUp: 'backTen',
    PageDown: 'forwardTen',
  };
  if (event.key in functions) {
    actions.run(functions[event.key]);
    event.preventDefault();
  }
}
