// Copying and pasting, with a way around where the clipboard is not offered (a page that does not come from this machine).

/**
 * Copies a text.
 * @param {string} text
 * @returns {Promise<boolean>} false where the browser refuses
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'off-screen';
    document.body.append(area);
    area.select();
    const copied = document.execCommand('copy');
    area.remove();
    return copied;
  }
}

/**
 * The text of the clipboard, or null where the browser does not give it.
 */
export async function readText() {
  try {
    return await navigator.clipboard.readText();
  } catch {
    return null;
  }
}

/**
 * Copies a picture.
 * @param {Blob} png
 * @returns {Promise<boolean>}
 */
export async function copyPicture(png) {
  try {
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': png })]);
    return true;
  } catch {
    return false;
  }
}

/** Saves a file through the browser. @param {Blob | string} content @param {string} name @param {string} [type] */
export function download(content, name, type = 'text/plain') {
  const blob = typeof content === 'string' ? new Blob([content], { type }) : content;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Local date and time for names of files, like `2026_01_31_09_05_00`. */
export function stamp(now = new Date()) {
  const two = (/** @type {number} */ n) => String(n).padStart(2, '0');
  return [now.getFullYear(), now.getMonth() + 1, now.getDate(), now.getHours(), now.getMinutes(), now.getSeconds()]
    .map(two)
    .join('_');
}
