// Programs that the back end can start as jobs, and what a form says as their options. Pure but for asking.

/** @typedef {{name: string, takes: string, required: boolean, repeated: boolean, value: string | null, default: string | null, choices: string[], help: string, heading: string | null}} Option */
/** @typedef {{kind: string, program: string, command: string, group: string, lane: string, available: boolean, reason: string | null, pause: string, help: string, options: Option[]}} Kind */
/** @typedef {{root: string, path: string}} File */

/** @type {WeakMap<object, Kind[]>} */
const known = new WeakMap();

/** The kinds of jobs, asked for once. @param {import('./page-app.js').PageApp<any>} app @returns {Promise<Kind[]>} */
export async function jobKinds(app) {
  const kinds = known.get(app) ?? (await app.ask('job.kinds'))?.kinds ?? [];
  if (kinds.length > 0) known.set(app, kinds);
  return kinds;
}

/**
 * The values of a form as the options of a job.
 * @param {Kind} kind
 * @param {Record<string, string | boolean | File | File[] | null | undefined>} values by the names of the options
 * @returns {{options: Record<string, any>, missing: string[]}} `missing`: required options without a value
 */
export function jobOptions(kind, values) {
  /** @type {Record<string, any>} */
  const options = {};
  const missing = [];
  for (const option of kind.options) {
    if (option.takes === 'book') continue;
    const value = optionValue(option, values[option.name]);
    if (value !== undefined) options[option.name] = value;
    else if (option.required) missing.push(option.name);
  }
  return { options, missing };
}

/** What a field says, `undefined` where it says nothing. @param {Option} option @param {any} value */
function optionValue(option, value) {
  switch (option.takes) {
    case 'switch':
      return value ? true : undefined;
    case 'files':
      return value?.length > 0 ? value : undefined;
    case 'file':
    case 'folder':
    case 'new_file':
    case 'new_folder':
    case 'grown_file':
      return value?.path ? value : undefined;
    case 'lines': {
      const lines = splitLines(value);
      return lines.length > 0 ? lines : undefined;
    }
    default: {
      if (option.repeated) {
        const lines = splitLines(value);
        return lines.length > 0 ? lines : undefined;
      }
      const text = String(value ?? '').trim();
      return text === '' || (text === option.default && !option.required) ? undefined : text;
    }
  }
}

/** @param {any} value */
const splitLines = (value) =>
  String(value ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** Kinds by their group, in the order in which the groups come. @param {Kind[]} kinds @returns {[string, Kind[]][]} */
export function byGroup(kinds) {
  /** @type {Map<string, Kind[]>} */
  const groups = new Map();
  for (const kind of kinds) groups.set(kind.group, [...(groups.get(kind.group) ?? []), kind]);
  return [...groups];
}
