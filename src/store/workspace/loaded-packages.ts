/** Which installed packages a program loads: some by name, and all that these depend on, as far as they are there. */
import { join } from 'node:path';
import { isMap } from '../../model/text/document-problem.ts';
import { jsonOf } from '../../model/text/plain-fields.ts';
import { namesIn, realPath, smallText } from './sandbox-host.ts';

const NAME = /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*$/;
const DEPENDENCIES = ['dependencies', 'optionalDependencies', 'peerDependencies'];

/**
 * @param folders of packages (`node_modules`), in which a package and what it depends on may lie
 * @param names of packages, and of scopes (`@opentelemetry`), which stand for all of their packages
 * @returns their directories; a package within the directory of another one is not named
 */
export function loadedPackages(folders: readonly string[], names: readonly string[]): string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  const left = names.flatMap((name) => placesOf(folders, name));
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    const { folder, name } = next;
    const place = join(folder, name);
    const inside = seen.has(place) ? [] : namesIn(place);
    seen.add(place);
    if (inside.length === 0) continue;
    const scope = scopeOf(name);
    if (scope === name || !found.has(join(folder, scope))) found.add(place);
    const more = isScope(name) ? inside.map((one) => `${name}/${one}`) : dependenciesOf(place);
    // Some installers put a link there, and what the package depends on beside where it leads.
    const beside = realPath(place).endsWith(`/${name}`) ? [realPath(place).slice(0, -name.length - 1)] : [];
    left.push(...more.filter((one) => NAME.test(one)).flatMap((one) => placesOf([...beside, ...folders], one)));
  }
  return [...found];
}

interface Place {
  readonly folder: string;
  readonly name: string;
}

const placesOf = (folders: readonly string[], name: string): Place[] =>
  [...new Set(folders)].map((folder) => ({ folder, name }));

/** Of a package without one: its name. */
const scopeOf = (name: string): string => name.replace(/\/.*$/, '');
const isScope = (name: string): boolean => name.startsWith('@') && !name.includes('/');

function dependenciesOf(place: string): string[] {
  const manifest = jsonOf(smallText(join(place, 'package.json')) ?? '');
  if (!isMap(manifest)) return [];
  return DEPENDENCIES.flatMap((key) => (isMap(manifest[key]) ? Object.keys(manifest[key]) : []));
}
