// What the package.json files of a tree declare, and what package-lock.json (v1 to v3) beside them has locked, with the
// licences. Parses those files and no others, follows no path out of the tree, asks no registry.
import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const SECTIONS = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];
const LARGEST = 64_000_000;
const FOLDER = 'node_modules/';
export const NO_LICENCE = 'not stated here';

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const entriesOf = (value) => (isObject(value) ? Object.entries(value) : []);

/** The parsed object, undefined where there is no such file; throws for one that is not a JSON object. */
function readObject(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isFile()) return undefined;
  if (stat.size > LARGEST) throw new Error('over 64 MB');
  const value = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  if (!isObject(value)) throw new Error('not a JSON object');
  return value;
}

/** `licence` of a package.json or a lock entry: a string, or the older {type} and [{type}] forms. */
function licenceOf(entry) {
  const value = entry.license ?? entry.licenses;
  if (typeof value === 'string' && value !== '') return value;
  const types = [value].flat().map((one) => (isObject(one) ? one.type : one));
  const isStated = types.length > 0 && types.every((type) => typeof type === 'string');
  return isStated ? types.join(' OR ') : undefined;
}

/** The packages of a lock file: `packages` of v2 and v3 by their folder, else the nested `dependencies` of v1. */
function* installedBy(lock, folder) {
  if (isObject(lock.packages)) {
    for (const [at, entry] of Object.entries(lock.packages)) {
      const cut = at.lastIndexOf(FOLDER);
      if (cut === -1 || !isObject(entry) || entry.link === true) continue;
      const name = `${entry.name ?? at.slice(cut + FOLDER.length)}`;
      yield { name, version: `${entry.version ?? '?'}`, at: join(folder, at), entry };
    }
    return;
  }
  const waiting = [[folder, lock.dependencies]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [name, entry] of entriesOf(next[1])) {
      if (!isObject(entry)) continue;
      const at = join(next[0], 'node_modules', name);
      yield { name, version: `${entry.version ?? '?'}`, at, entry };
      waiting.push([at, entry.dependencies]);
    }
  }
}

/** `readObject`, with what could not be read noted in `unreadable` as [path, reason]. */
function tryRead(path, unreadable) {
  try {
    return readObject(path);
  } catch (error) {
    unreadable.push([path, error instanceof SyntaxError ? 'not valid JSON' : (error.code ?? error.message)]);
    return undefined;
  }
}

/** The licence that the lock file names, else the one in node_modules, where it is installed. */
function licenceAt(found, unreadable) {
  const named = licenceOf(found.entry);
  if (named !== undefined || found.at.startsWith('..')) return named ?? NO_LICENCE;
  const manifest = tryRead(join(found.at, 'package.json'), unreadable);
  return (manifest && licenceOf(manifest)) ?? NO_LICENCE;
}

const add = (map, key, value) => map.set(key, (map.get(key) ?? new Set()).add(value));

/** All manifests among the paths, and by package name the declared ranges and locked versions, by licence the packages. */
export function survey(paths) {
  const found = { manifests: [], ranges: new Map(), versions: new Map(), licences: new Map(), unreadable: [] };
  for (const path of paths.filter((one) => basename(one) === 'package.json').sort()) {
    const manifest = tryRead(path, found.unreadable);
    if (manifest === undefined) continue;
    const lock = tryRead(join(dirname(path), 'package-lock.json'), found.unreadable);
    const declared = SECTIONS.map((section) => entriesOf(manifest[section]));
    const counts = declared.map((entries) => entries.length);
    found.manifests.push({ path, counts, licence: licenceOf(manifest), isLocked: lock !== undefined });
    for (const [name, range] of declared.flat()) add(found.ranges, name, `${range}`);
    for (const one of lock === undefined ? [] : installedBy(lock, dirname(path))) {
      add(found.versions, one.name, one.version);
      add(found.licences, licenceAt(one, found.unreadable), `${one.name}@${one.version}`);
    }
  }
  return found;
}
