// The graphs of values and of lost discs, with branches, level bands and a line to drag.

import { html, nothing, svg } from '../vendor/lit-html-3.3.3.js';
import { number, signed, t } from '../common/i18n.js';
import { GRAPH, linePath, lossSums, plyToX, scaleTop, ticks, valueToY, xToPly } from './graph-geometry.js';
import { bandText, bandsOf } from './levels.js';
import { BLACK, WHITE, sideName, squareName } from './rules.js';
import { GameTree } from './tree.js';

/** @typedef {import('./tree.js').Node} Node */
/** @typedef {import('./actions.js').Actions} Actions */
/** @typedef {import('./graph-geometry.js').Kind} Kind */
/** @typedef {{name: string, points: {ply: number, value: number, sure: boolean}[]}} Series */

/** @param {Actions} actions @param {Kind} kind */
export function graph(actions, kind) {
  const { app } = actions;
  const { tree } = app;
  const hidden = !app.get('show.graph');
  const main = tree.mainLine();
  const line = tree.line();
  const branched = !tree.onMainLine() || line[line.length - 1] !== main[main.length - 1];
  const branch = branched ? line : null;
  const series = {
    value: () => valueSeries(main, branch, app.get('show.graphRandom') ? 0 : tree.randomUntil),
    loss: () => lossSeries(main, branch),
    time: () => timeSeries(line),
  }[kind]();
  const top = scaleTop(
    series.flatMap((one) => one.points.map((point) => point.value)),
    kind,
  );
  const { ply } = tree.position;
  const x = plyToX(ply);
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
      aria-valuemax="60"
      aria-valuenow=${ply}
      aria-valuetext=${describe(tree.current)}
      @pointerdown=${(/** @type {PointerEvent} */ event) => drag(actions, event)}
      @pointermove=${(/** @type {PointerEvent} */ event) => event.buttons && drag(actions, event)}
      @keydown=${(/** @type {KeyboardEvent} */ event) => keys(actions, event)}
    >
      ${kind === 'value' && app.get('show.graphBands') && !hidden ? bands(app.get('ai.level')) : nothing}
      ${ticks(top, kind).map(
        (value) => svg`<line class="grid ${value === 0 ? 'zero' : ''}" x1=${GRAPH.left} x2=${GRAPH.width - GRAPH.right}
        y1=${valueToY(value, top, kind)} y2=${valueToY(value, top, kind)}></line>
        <text class="tick" x=${GRAPH.left - 6} y=${valueToY(value, top, kind) + 4} text-anchor="end">${kind === 'value' ? signed(value) : number(value)}</text>`,
      )}
      ${[0, 10, 20, 30, 40, 50, 60].map((n) => svg`<text class="tick" x=${plyToX(n)} y=${GRAPH.height - 6} text-anchor="middle">${n}</text>`)}
      ${
        hidden
          ? hiddenPoints(main, top, kind)
          : series.map((one) => (kind === 'time' ? bars(one, top) : curve(one, top, kind)))
      }
      <line class="cursor" x1=${x} x2=${x} y1=${GRAPH.top - 4} y2=${GRAPH.height - GRAPH.bottom}></line>
      <circle class="handle" cx=${x} cy=${GRAPH.top} r="7"></circle>
    </svg>
    ${hidden ? nothing : html`<p class="legend">${series.map((one) => html`<span class="key ${one.name}">${t(`graph.series.${one.name}`)}</span>`)}</p>`}
  </figure>`;
}

/** @param {Node} node */
function describe(node) {
  const value = node.eval ? t('graph.at', { value: signed(node.eval.v) }) : t('graph.unknown');
  return `${t('info.ply', { n: node.position.ply })} ${node.move >= 0 ? squareName(node.move) : ''} ${value}`;
}

/** @param {Series} one @param {number} top @param {Kind} kind */
const curve = (one, top, kind) =>
  svg`<path class="series ${one.name}" d=${linePath(one.points, top, kind)}></path>
    ${
      kind === 'value'
        ? one.points.map(
            (point) => svg`<circle class="dot ${one.name} ${point.sure ? 'sure' : ''}" cx=${plyToX(point.ply)}
          cy=${valueToY(point.value, top, kind)} r="3.2"></circle>`,
          )
        : nothing
    }`;

/** @param {Series} one @param {number} top */
const bars = (one, top) =>
  one.points.map(({ ply, value }) => {
    const y = valueToY(value, top, 'time');
    return svg`<rect class="bar ${one.name}" x=${plyToX(ply) - 3.5} width="7" y=${y} height=${GRAPH.height - GRAPH.bottom - y}>
      <title>${t('graph.seconds', { ply, n: number(value, { maximumFractionDigits: 1 }) })}</title></rect>`;
  });

/** Seconds thought for each move whose time is known. @param {Node[]} line @returns {Series[]} */
function timeSeries(line) {
  return [BLACK, WHITE].map((side) => ({
    name: sideName(side),
    points: line
      .filter((node) => node.time > 0 && node.parent?.position.side === side)
      .map((node) => ({ ply: node.position.ply, value: node.time / 1000, sure: true })),
  }));
}

/** @param {Node[]} main @param {Node[] | null} branch @param {number} from @returns {Series[]} */
function valueSeries(main, branch, from) {
  const points = (/** @type {Node[]} */ line) =>
    line
      .filter((node) => node.eval && node.position.ply >= from)
      .map((node) => ({
        ply: node.position.ply,
        value: /** @type {any} */ (node.eval).v,
        sure: Boolean(node.eval?.exact || node.eval?.book),
      }));
  const fork = branch ? branch.findIndex((node, i) => node !== main[i]) : -1;
  return [
    { name: 'main', points: points(main) },
    ...(branch && fork > 0 ? [{ name: 'branch', points: points(branch.slice(fork - 1)) }] : []),
  ];
}

/** @param {Node[]} main @param {Node[] | null} branch @returns {Series[]} */
function lossSeries(main, branch) {
  const sums = (/** @type {Node[]} */ line, /** @type {string} */ prefix) => {
    const losses = GameTree.losses(line);
    const moves = line
      .slice(1)
      .map((node, i) => ({ ply: node.position.ply, side: line[i].position.side, loss: losses[i + 1] }));
    return [BLACK, WHITE].map((side) => ({
      name: prefix + sideName(side),
      points: lossSums(moves, side).map((point) => ({ ...point, sure: false })),
    }));
  };
  return [...sums(main, ''), ...(branch ? sums(branch, 'branch-') : [])];
}

/** @param {number} level */
function bands(level) {
  return bandsOf(level).map((band) => {
    const from = plyToX(Math.max(0, 60 - band.most_empties));
    const to = plyToX(Math.min(60, 61 - band.least_empties));
    const strength = band.to_end ? (band.prob >= 100 ? 3 : 2) : 1;
    return svg`<rect class="band strength-${strength}" x=${from} y=${GRAPH.top} width=${Math.max(0, to - from)} height=${GRAPH.height - GRAPH.top - GRAPH.bottom}>
      <title>${bandText(band)}</title></rect>
      ${to - from > 58 ? svg`<text class="band-text" x=${(from + to) / 2} y=${GRAPH.height - GRAPH.bottom - 5} text-anchor="middle">${bandText(band)}</text>` : nothing}`;
  });
}

/** @param {Node[]} line @param {number} top @param {Kind} kind */
function hiddenPoints(line, top, kind) {
  return line.map(
    (node) =>
      svg`<circle class="dot hidden" cx=${plyToX(node.position.ply)} cy=${valueToY(0, top, kind)} r="2.5"></circle>`,
  );
}

/** @param {Actions} actions @param {PointerEvent} event */
function drag(actions, event) {
  const element = /** @type {SVGSVGElement} */ (event.currentTarget);
  if (event.type === 'pointerdown') element.setPointerCapture(event.pointerId);
  const box = element.getBoundingClientRect();
  actions.app.walk((tree) => tree.goToPly(xToPly(((event.clientX - box.left) / box.width) * GRAPH.width)));
}

/** @param {Actions} actions @param {KeyboardEvent} event */
function keys(actions, event) {
  /** @type {Record<string, string>} */
  const functions = { ArrowLeft: 'back', ArrowRight: 'forward', Home: 'first', End: 'last' };
  if (event.key in functions) {
    actions.run(functions[event.key]);
    event.preventDefault();
  }
}
