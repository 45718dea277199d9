/** Checks source files against a table of rooms: which room may import which, and which may use the outside world. */
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { COMPUTED, type Facts, type Import, type Use } from './source-facts.ts';

/** What a room may import. Names of packages cover their sub-paths; builtins are listed without `node:`. */
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

/**
 * Uses that are allowed only below some paths, or never below some: `Date` as a value, `Date.now`, or `Date*` for any
 * use of it. Paths are below src/.
 */
export interface AmbientRule {
  readonly uses: readonly string[];
  readonly only?: readonly string[];
  readonly never?: readonly string[];
}

export interface Architecture {
  readonly rooms: Readonly<Record<string, Room>>;
  readonly ambient: readonly AmbientRule[];
  readonly exceptions: readonly Exception[];
  /** Room → its folders, the highest first: a file imports its own folder and lower ones only, types included. '' is the room itself. */
  readonly floors: Readonly<Record<string, readonly string[]>>;
  /** The maximum of source files in one folder. */
  readonly mostFiles: number;
  /** File → the entry of another surface that it may lazily import. */
  readonly doors: Readonly<Record<string, string>>;
  readonly forbiddenNames: RegExp;
  readonly forbiddenText: RegExp;
  /** Packages that may only be imported as a namespace. */
  readonly namespaces: readonly string[];
}

/** The room of a file: `model`, `surfaces/cli`, `index.ts`; undefined if it is in no room. */
const roomOf = (path: string, rooms: Architecture['rooms']): string | undefined =>
  Object.keys(rooms).find((room) => isBelow(path, room));

const isBelow = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);
const isBelowAny = (path: string, places: readonly string[]): boolean => places.some((place) => isBelow(path, place));

const packageOf = (from: string): string => from.split('/', from.startsWith('@') ? 2 : 1).join('/');

/** Every violation of a file, as `path:line what is wrong`. Paths are below src/. */
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
  if (to === room) return judgeFloor(path, target, room, architecture.floors[room]);
  if (isBelowAny(target, architecture.rooms[room]?.rooms ?? [])) return undefined;
  const isDoor = one.way === 'lazy' && target === architecture.doors[path];
  return isDoor ? undefined : `${room} may not import ${to}`;
}

/** The folder of a room that a file is in: the longest of the room's floors that it is below. */
function floorOf(path: string, room: string, floors: readonly string[]): string {
  const below = floors.filter((floor) => floor === '' || isBelow(path, `${room}/${floor}`));
  return below.toSorted((a, b) => b.length - a.length)[0] ?? '';
}

function judgeFloor(path: string, target: string, room: string, floors: readonly string[] = ['']): string | undefined {
  const [from, to] = [floorOf(path, room, floors), floorOf(target, room, floors)];
  return floors.indexOf(from) <= floors.indexOf(to)
    ? undefined
    : `${room}/${from} may not import ${room}/${to}, which is above it`;
}

/** Violations of folders: a folder in no list of floors, a folder that is too full, a barrel. */
export function folderViolations(paths: readonly string[], { floors, mostFiles }: Architecture): string[] {
  const folders = [...new Set(paths.map((path) => posix.dirname(path)))];
  const filesIn = (folder: string): number => paths.filter((path) => posix.dirname(path) === folder).length;
  const barrels = paths.filter((path) => posix.basename(path) === 'index.ts' && path !== 'index.ts');
  const nowhere = folders.filter((folder) => {
    const room = Object.keys(floors).find((one) => isBelow(folder, one));
    const isPlaced = (floor: string): boolean => (floor === '' ? folder === room : isBelow(folder, `${room}/${floor}`));
    return room !== undefined && floors[room]?.some(isPlaced) !== true;
  });
  return [
    ...folders
      .filter((folder) => filesIn(folder) > mostFiles)
      .map((folder) => `${folder} holds ${filesIn(folder)} source files; ${mostFiles} are the limit`),
    ...barrels.map((path) => `${path} is a barrel`),
    ...nowhere.map((folder) => `${folder} has no place in the list of floors`),
  ];
}

/** Cycles of imports, types included, without lazy imports. Each is a list of paths in alphabetical order. */
export function importCycles(facts: readonly Facts[]): string[][] {
  const graph = new Map(
    facts.map(({ path, imports }) => [
      path,
      imports
        .filter(({ from, way }) => from.startsWith('.') && way !== 'lazy')
        .map(({ from }) => posix.join(posix.dirname(path), from)),
    ]),
  );
  const reaches = new Map([...graph.keys()].map((path) => [path, reachable(path, graph)]));
  const isMutual = (a: string, b: string): boolean =>
    reaches.get(a)?.has(b) === true && reaches.get(b)?.has(a) === true;
  const inCycle = [...graph.keys()].filter((path) => isMutual(path, path)).toSorted();
  const cycles = inCycle.map((path) => inCycle.filter((other) => isMutual(path, other)));
  return [...new Map(cycles.map((cycle) => [cycle.join(), cycle])).values()];
}

function reachable(start: string, graph: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set<string>();
  const next = [...(graph.get(start) ?? [])];
  for (let path = next.pop(); path !== undefined; path = next.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    next.push(...(graph.get(path) ?? []));
  }
  return found;
}

/** `Date*` covers any use of `Date`; any other rule only exactly its use. */
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
