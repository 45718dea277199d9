/** Where this package's own programs are: beside `dist/`, or beside `src/` when it runs from source. */
import { dirname, join } from 'node:path';
import process from 'node:process';
import type { ShelfKind } from '../../store/files/paths.ts';

const here = import.meta.filename;
const [inDist, inSource] = [here.lastIndexOf('/dist/'), here.lastIndexOf('/src/')];
export const packageRoot = here.slice(0, Math.max(inDist, inSource));

const NODE: readonly string[] = [process.execPath, '--disable-proto=delete'];

/** The directory of our `teams` command, which comes first on the PATH of what a teammate starts. */
export const binDirectory = join(packageRoot, 'bin');

/** The path of the JSON Schema of a kind of file. */
export const schemaFile = (kind: 'config' | 'plan'): string => join(packageRoot, 'schemas', `${kind}.json`);

/** Roles, pipelines and templates of the package: beside the code that runs, built or not. */
export const shippedFolder = (kind: ShelfKind): string =>
  join(packageRoot, inDist > inSource ? 'dist' : 'src', 'shipped', kind);

/**
 * argv of a teammate process.
 *
 * @param cwd where a member of a host works
 */
export const teammateCommand = (root: string, team: string, member: string, cwd?: string): [string, ...string[]] => [
  process.execPath,
  ...NODE.slice(1),
  join(binDirectory, 'teammate.cjs'),
  root,
  team,
  member,
  ...(cwd === undefined ? [] : [cwd]),
];

/** argv of a reaper process. */
export const reaperCommand: [string, ...string[]] = [
  process.execPath,
  ...NODE.slice(1),
  join(binDirectory, 'reaper.cjs'),
];

/** The program of the verbs that are called all the time. */
export const frequentBundle = join(packageRoot, 'dist', 'frequent.cjs');

/** The program of a subagent's thread. */
export const subagentProgram = join(packageRoot, 'dist', 'subagent.js');

/** The program of the thread that lists a project's files. */
export const scanProgram = join(packageRoot, 'dist', 'scan.js');

/** argv of a command line of ours in a process of its own. */
export const commandLine = (...args: string[]): [string, ...string[]] => [
  process.execPath,
  join(binDirectory, 'teams.js'),
  ...args,
];

/** A PATH with our command first, and with the Node that runs this process. */
export const pathWithUs = (path: string): string =>
  [binDirectory, path, dirname(process.execPath)].filter(Boolean).join(':');
