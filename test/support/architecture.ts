/** Judges source files against a table of rooms: who may import whom, and who may touch the world. */
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { COMPUTED, type Facts, type Import, type Use } from './source-facts.ts';

/** What a room may import. Names of packages cover their sub-paths; `node:` is left out of builtins. */
export interface Room {
  /** Rooms, or single files, by their path below src/. */
  readonly rooms: readonly string[];
  readonly packages?: readonly string[];
  /** Packages too heavy for a start: only by `import()`, or as types. */
  readonly lazyPackages?: readonly string[];
  readonly builtins?: readonly string[];
}

/** One file that may do what its room may not. */
export interface Exception {
  readonly path: string;
  readonly builtins?: readonly string[];
  readonly uses?: readonly string[];
  readonly why: string;
}

/** Uses (`Date` as a value, `Date.now`, or `Date*` for whatever is done with it) that are allowed only below some paths, or never below some; paths are below src/. */
export interface AmbientRule {
  readonly uses: readonly string[];
  readonly only?: readonly string[];
  readonly never?: readonly string[];
}

export interface Architecture {
  readonly rooms: Readonly<Record<string, Room>>;
  readonly ambient: readonly AmbientRule[];
  readonly exceptions: readonly Exception[];
  /** Files that may lazily import the entry of another surface. */
  readonly doors: readonly string[];
  readonly forbiddenNames: RegExp;
  readonly forbiddenText: RegExp;
  /** Packages that may only be imported as a namespace. */
  readonly namespaces: readonly string[];
}

/** Where a file stands: `model`, `surfaces/cli`, `index.ts`; undefined if it is in no room. */
const roomOf = (path: string, rooms: Architecture['rooms']): string | undefined =>
  Object.keys(rooms).find((room) => isBelow(path, room));

const isBelow = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);
const isBelowAny = (path: string, places: readonly string[]): boolean => places.some((place) => isBelow(path, place));

const packageOf = (from: string): string => from.split('/', from.startsWith('@') ? 2 : 1).join('/');

/** Every offence of a file, as `path:line what is wrong`. Paths are below src/. */
export function violations({ path, text, imports, uses }: Facts, architecture: Architecture): string[] {
  const room = roomOf(path, architecture.rooms);
  const excepted = architecture.exceptions.filter((exception) => exception.path === path);
  const isExcepted = ({ what }: Use): boolean => excepted.some((exception) => exception.uses?.includes(what));
  const at = (line: number, why: string | undefined): string[] => (why === undefined ? [] : [`${path}:${line} ${why}`]);
  return [
    ...at(1, room === undefined ? 'stands in no room' : undefined),
    ...at(1, architecture.forbiddenNames.test(path) ? 'has a name that says nothing' : undefined),
    ...imports.flatMap((one) =>
      at(one.line, room === undefined ? undefined : judgeImport(path, room, one, architecture)),
    ),
    ...uses.filter((one) => !isExcepted(one)).flatMap((one) => at(one.line, judgeUse(path, one, architecture.ambient))),
    ...text.split('\n').flatMap((line, index) => at(index + 1, judgeText(line, architecture.forbiddenText))),
  ];
}

function judgeImport(path: string, room: string, one: Import, architecture: Architecture): string | undefined {
  const { from } = one;
  const law = architecture.rooms[room];
  if (from === COMPUTED) return 'imports a computed address';
  if (from.startsWith('.')) return judgeNeighbour(path, room, one, architecture);
  if (isBuiltin(from))
    return judgeBuiltin(room, from, [...(law?.builtins ?? []), ...exceptBuiltins(path, architecture)]);
  const name = packageOf(from);
  const isLazy = law?.lazyPackages?.includes(name) ?? false;
  if (!isLazy && !law?.packages?.includes(name)) return `${room} may not import ${name}`;
  if (isLazy && one.way === 'static') return `${room} may import ${name} only lazily`;
  if (architecture.namespaces.includes(name) && !one.isNamespace && one.way === 'static')
    return `imports ${name} by name, not as a namespace`;
  return undefined;
}

const exceptBuiltins = (path: string, { exceptions }: Architecture): readonly string[] =>
  exceptions.flatMap((exception) => (exception.path === path ? (exception.builtins ?? []) : []));

function judgeBuiltin(room: string, from: string, builtins: readonly string[]): string | undefined {
  if (!from.startsWith('node:')) return `imports ${from} without node:`;
  return builtins.includes(from.slice('node:'.length)) ? undefined : `${room} may not import ${from}`;
}

function judgeNeighbour(path: string, room: string, one: Import, architecture: Architecture): string | undefined {
  const target = posix.join(posix.dirname(path), one.from);
  const to = roomOf(target, architecture.rooms);
  if (to === undefined) return `imports ${target}, which stands in no room`;
  if (to === room || isBelowAny(target, architecture.rooms[room]?.rooms ?? [])) return undefined;
  const isDoor = architecture.doors.includes(path) && one.way === 'lazy' && target === `${to}/main.ts`;
  return isDoor && to.startsWith('surfaces/') ? undefined : `${room} may not import ${to}`;
}

/** `Date*` covers whatever is done with `Date`; any other rule only the very same use. */
const covers = (rule: string, use: string): boolean =>
  rule.endsWith('*') ? /^(?:new )?(\w+)/.exec(use)?.[1] === rule.slice(0, -1) : rule === use;

function judgeUse(path: string, { what }: Use, rules: readonly AmbientRule[]): string | undefined {
  const broken = rules.find(
    ({ uses, only, never }) =>
      uses.some((use) => covers(use, what)) &&
      ((only !== undefined && !isBelowAny(path, only)) || (never !== undefined && isBelowAny(path, never))),
  );
  return broken === undefined ? undefined : `may not use ${what}`;
}

function judgeText(line: string, forbidden: RegExp): string | undefined {
  const found = forbidden.exec(line);
  return found === null ? undefined : `may not say ${found[0]}`;
}
