// A drawing of the page as a file of its own: SVG with all colours written out, and PNG of any size.

const STYLES = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-opacity',
  'stroke-dasharray',
  'stroke-linecap',
  'stroke-linejoin',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
  'dominant-baseline',
  'paint-order',
];

/**
 * A copy of an SVG element that looks the same without the page's style sheets. What is not shown is left out.
 * @param {SVGSVGElement} element
 * @param {number} width in pixels; the height follows from the viewBox
 * @returns {{text: string, width: number, height: number}}
 */
export function svgText(element, width) {
  const copy = /** @type {SVGSVGElement} */ (element.cloneNode(true));
  bake(element, copy);
  const box = element.viewBox.baseVal;
  const height = Math.round((width * box.height) / box.width);
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  return { text: new XMLSerializer().serializeToString(copy), width, height };
}

/** @param {Element} source @param {Element} copy */
function bake(source, copy) {
  const style = getComputedStyle(source);
  for (const { name } of [...copy.attributes]) {
    if (
      name === 'class' ||
      name === 'tabindex' ||
      name === 'role' ||
      name.startsWith('aria-') ||
      name.startsWith('data-')
    )
      copy.removeAttribute(name);
  }
  if (!['svg', 'g', 'defs', 'title'].includes(source.localName)) {
    for (const name of STYLES) {
      const value = style.getPropertyValue(name);
      if (value && value !== 'normal') copy.setAttribute(name, value);
    }
  } else if (style.opacity !== '1') {
    copy.setAttribute('opacity', style.opacity);
  }
  const children = [...source.children];
  const copies = [...copy.children];
  children.forEach((child, i) => {
    if (getComputedStyle(child).display === 'none') copies[i].remove();
    else bake(child, copies[i]);
  });
  for (const child of [...copy.childNodes]) if (child.nodeType === Node.COMMENT_NODE) child.remove();
}

/**
 * @param {SVGSVGElement} element
 * @param {number} width
 * @returns {Promise<Blob>}
 */
export async function pngBlob(element, width) {
  const { text, height } = svgText(element, width);
  const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = width;
    canvas.height = height;
    /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d')).drawImage(image, 0, 0, width, height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png');
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}
