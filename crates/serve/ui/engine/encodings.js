// Records in files of the encodings before UTF-8. Modules have no tables of them, but every browser has.

/** In the order in which a server tries them. */
const JAPANESE = ['shift_jis', 'euc-jp'];

/**
 * A message to the module: the bytes of a record as text, where they are in one of these encodings.
 * @template {{op: string, bytes?: string}} Message
 * @param {Message} message @returns {Message}
 */
export function withDecodedText(message) {
  if (message.op !== 'import' || typeof message.bytes !== 'string') return message;
  const { bytes, ...rest } = message;
  const text = decoded(bytes);
  return text === null ? message : /** @type {any} */ ({ ...rest, text });
}

/** @param {string} base64 @returns {string | null} */
function decoded(base64) {
  for (const encoding of JAPANESE) {
    try {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
      if (!text.includes('\0')) return text;
    } catch {
      // Another one, or what the module makes of it.
    }
  }
  return null;
}
