/**
 * Sets up the isolation of a member's program: collects what it may see, starts the socket to its team, and probes
 * bubblewrap. Isolation of a model's shell commands is in `open-shell-isolation.ts`.
 */
import { loaderVariables } from '../../model/agent/loader-variables.ts';
import { relative } from 'node:path';
import process from 'node:process';
import {
  INSIDE_ROOT,
  isKept,
  isolatedProgramArgv,
  COVER_CONTENTS,
  KEPT_FILES,
  KEPT_NAMES,
  mountsAtHome,
  type ProgramIsolate,
  type ProgramSandbox,
  type ProgramSandboxNow,
} from '../../policy/sandbox/program-isolation.ts';
import type { Lend } from '../../model/team/lend.ts';
import type { ShownTree } from '../../policy/sandbox/lent-path.ts';
import { isTeamError } from '../../model/text/errors.ts';
import { HIDDEN_NAMES } from '../../policy/sandbox/workspace-path.ts';
import type { IsolationSetting } from '../../policy/sandbox/shell-isolation.ts';
import { isServed } from '../../os/local-server.ts';
import { bubblewrap, findProgram } from '../../os/program-path.ts';
import { noteProved } from '../../store/user/proved-isolation.ts';
import { keyPath } from '../../store/user/seal.ts';
import { coverNames, recordsFolder } from '../../store/workspace/kept-stubs.ts';
import { keepNames } from '../../store/workspace/kept-names.ts';
import { makeMountPoints } from '../../store/workspace/mount-points.ts';
import { makeMemberPlace } from '../../store/workspace/member-place.ts';
import { entriesAt, homeOf, realPath, withProbeDirectory } from '../../store/workspace/sandbox-host.ts';
import { heldNames, keptPaths, type Covering } from './kept-paths.ts';
import { heldGits } from './nested-repositories.ts';
import { openBroker, type CommandLine } from './broker.ts';
import { closing, inheritedTrouble } from './inherited-files.ts';
import { isBelow } from './lent-paths.ts';
import { ownProgramsIn } from './own-programs.ts';
import { groundsOf, type Grounds } from './program-grounds.ts';
import {
  isolationRequired,
  lastingWeakness,
  NOT_INSTALLED,
  probeWeakness,
  requireUnfit,
  SETS_ID,
} from './bubblewrap.ts';

type Variables = Readonly<Record<string, string | undefined>>;

interface ProgramIsolationOptions {
  readonly setting: IsolationSetting;
  readonly root: string;
  /** The root is a member's own tree, and is shown elsewhere. */
  readonly shown?: ShownTree | undefined;
  readonly isWritable: boolean;
  /** The member's own directory, which is its home inside; without one, a directory for the time of the isolation. */
  readonly ownHome?: string | undefined;
  /** Writable besides the workspace: a login that is renewed; only paths that exist. */
  readonly shared: readonly string[];
  /** What the user lends; the other rules hold for it, too. */
  readonly lend?: Lend | undefined;
  /** The team's folders, which are not there inside. */
  readonly team: readonly string[];
  /** Folders of the host that are read-only inside, such as that of the plan. */
  readonly readable: readonly string[];
  /** Below the team's folders, and read-only inside: what earlier tasks of a pipeline made. */
  readonly handed: readonly string[];
  /** Absolute paths that its command names: itself, its script. They are lent with what they need. */
  readonly programs: readonly string[];
  /** What the member's commands get outside, with its token. */
  readonly member: {
    readonly name: string;
    readonly team: string;
    readonly environment: Readonly<Record<string, string>>;
  };
  /** The command line, for what the program asks of its team. */
  readonly commandLine: CommandLine;
  /** The environment of this process: where programs and the user's home are. */
  readonly environment: Variables;
}

export interface HeldProgram {
  readonly kind: 'up';
  /** The home inside, as a path of the host. */
  readonly home: string;
  /** The workspace inside, if it is shown at another path than that of the host. */
  readonly shownAt?: string | undefined;
  readonly hold: ProgramIsolate;
  /** Call it after each turn. @returns a sentence for each link of the workspace that the program had replaced */
  readonly mend: () => readonly string[];
  readonly close: () => Promise<void>;
}

type ProgramIsolation = HeldProgram | { readonly kind: 'missing'; readonly why: string };

/**
 * A script that tries what must not work. Its arguments: a file outside the workspace, the user's key, a process outside.
 */
const PROBE = `
over() { echo "$1"; exit 1; }
mount -o remount,bind,rw / 2>/dev/null
mount -o remount,rw / 2>/dev/null
( : > /.teams-probe ) 2>/dev/null && { rm -f /.teams-probe; over 'it writes beside the root'; }
( : > "$1" ) 2>/dev/null && { rm -f "$1"; over 'it writes outside the workspace'; }
[ -e "$2" ] && over 'it sees the key of the user'
[ -e "$4" ] && over 'it sees the folder of the team'
kill -0 "$3" 2>/dev/null && over 'it reaches processes outside'
cat "/proc/$3/environ" >/dev/null 2>&1 && over 'it reads the environment of processes outside'
( : >> /proc/sys/kernel/core_pattern ) 2>/dev/null && over 'it may change the kernel'
${SETS_ID}
echo held
`;

/**
 * @throws AgentError `AGENT_UNAVAILABLE` (exit 5) if isolation is required and does not work, or if it works on this
 *   machine and not in this workspace
 */
export async function openProgramIsolation(options: ProgramIsolationOptions): Promise<ProgramIsolation> {
  const bwrap = bubblewrap(options.environment);
  const opened = bwrap === undefined ? unfit(NOT_INSTALLED) : await open(bwrap, options);
  const { environment } = options;
  if ('hold' in opened) noteProved(environment);
  if ('hold' in opened) return opened;
  const { why, isUnfit } = opened;
  if (options.setting === 'required') throw isolationRequired(why);
  if (bwrap !== undefined && !isUnfit) await requireUnfit(why, environment, () => worksElsewhere(bwrap, options));
  return { kind: 'missing', why };
}

interface Trouble {
  readonly why: string;
  /** By its place alone, which no program changes: the home, for example, is in the workspace. */
  readonly isUnfit: boolean;
}

const unfit = (why: string): Trouble => ({ why, isUnfit: true });

/** Whether it works in a directory without files. */
const worksElsewhere = (bwrap: string, options: ProgramIsolationOptions): Promise<boolean> =>
  withProbeDirectory(async (root) => {
    const bare = {
      shown: undefined,
      ownHome: undefined,
      lend: undefined,
      team: [],
      shared: [],
      readable: [],
      handed: [],
    };
    const opened = await open(bwrap, { ...options, ...bare, root, programs: [] });
    if (!('hold' in opened)) return false;
    await opened.close();
    return true;
  });

/** @returns the isolation, or why there is none */
async function open(bwrap: string, options: ProgramIsolationOptions): Promise<HeldProgram | Trouble> {
  const { environment } = options;
  const [root, home] = [realPath(options.root), homeOf(environment)];
  const [realHome] = entriesAt([home]);
  if (realHome === undefined) return unfit(`the home directory ${home} does not exist`);
  if (isBelow(realHome.path, root)) return unfit(`the workspace ${root} contains your home directory`);
  const place = makeMemberPlace({
    root,
    home,
    uid: process.getuid?.() === 0 ? INSIDE_ROOT : (process.getuid?.() ?? INSIDE_ROOT),
  });
  if (place === undefined) return unfit(`the workspace ${root} contains the directories for temporary files`);
  const steps: (() => Promise<void> | void)[] = [place.remove];
  const close = async (): Promise<void> => {
    for (const step of steps.splice(0).toReversed()) await step();
  };
  try {
    const { name: member, team } = options.member;
    const covered = [...KEPT_NAMES, ...HIDDEN_NAMES];
    const gits = [...(await heldGits(root, options.shown)), ...ownProgramsIn(root, environment, options.shown)];
    const names = [...covered.map((name) => `${root}/${name}`), ...gits];
    const kept = keepNames(root, covered, isKept);
    steps.push(() => void kept.mend());
    const later: { hold?: ProgramIsolate } = {};
    const broker = await openBroker({
      socket: place.socket,
      member,
      team,
      environment: options.member.environment,
      cwd: root,
      isolate: (...how) => {
        if (later.hold === undefined) throw new Error('The isolation is not open yet.');
        return later.hold(...how);
      },
      commandLine: options.commandLine,
    });
    steps.push(() => broker.close());
    const held = heldNames(root, gits);
    const stubs = await coverNames(recordsFolder(environment), place.socket, { root, names, held }, isServed);
    steps.push(() => stubs.remove(isServed));
    const covers = new Map(
      Object.entries({ ...KEPT_FILES, ...COVER_CONTENTS }).map(([name, content]) => [
        name,
        place.lend(`cover${name}`, content),
      ]),
    );
    const covering = { stubs, covers, gits, shown: options.shown };
    const grounds = groundsOf(options, { root, home, place });
    const hold: ProgramIsolate = (argv, env = {}, now = {}) =>
      isThere(argv, options)
        ? isolatedProgramArgv(bwrap, withHome(present(grounds, covering, env, options, now)), argv)
        : argv;
    later.hold = hold;
    const weak =
      inheritedTrouble(environment) ??
      (await lastingWeakness(() => weakness(bwrap, withHome(present(grounds, covering, {}, options, {})), options)));
    if (weak === undefined)
      return { kind: 'up', home: grounds.ownHome, shownAt: options.shown?.at, hold, mend: () => kept.mend(), close };
    await close();
    return { why: weak, isUnfit: false };
  } catch (error) {
    await close();
    // The user's own words cannot be followed: no isolation would be another thing than they say.
    if (isTeamError(error)) throw error;
    return { why: error instanceof Error ? error.message : String(error), isUnfit: false };
  }
}

/** Prepares the home at each start, since the program may have changed it. */
function withHome(sandbox: ProgramSandbox): ProgramSandbox {
  const { home, ownHome } = sandbox;
  const points = mountsAtHome(sandbox).flatMap(({ from, at }) =>
    entriesAt([from]).map(({ isDirectory }) => ({ below: relative(home, at), isDirectory })),
  );
  makeMountPoints(ownHome, points);
  return sandbox;
}

/** What depends on the moment of a start: which names are there, which files a task has, which descriptors are open. */
function present(
  grounds: Grounds,
  covering: Covering,
  env: Variables,
  options: ProgramIsolationOptions,
  { sandbox, isOffline = false }: ProgramSandboxNow,
): ProgramSandbox {
  const { root } = grounds;
  const isWritable = sandbox === undefined ? options.isWritable : sandbox !== 'read-only';
  const kept = keptPaths(root, isWritable, covering);
  const given = Object.entries(env).flatMap(([name, path]) =>
    name.startsWith('TEAMS_') &&
    path?.startsWith('/') === true &&
    options.team.some((one) => path.startsWith(`${one}/`))
      ? entriesAt([path])
      : [],
  );
  return {
    ...grounds,
    shown: options.shown,
    isWritable,
    isOffline,
    // What is missing can be covered only where it could be made, which is in a workspace that may be written.
    hidden: grounds.hidden.filter((path) => (isWritable && isBelow(path, root)) || entriesAt([path]).length > 0),
    kept,
    handed: [...new Set([...given, ...entriesAt(options.handed)].map(({ path }) => path))],
    closing: closing(options.environment),
    inside: Object.fromEntries(
      Object.entries(loaderVariables(env)).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
  };
}

/** A missing program is not wrapped, so that its own start reports the error, not bubblewrap's. */
const isThere = ([program]: readonly string[], { environment }: ProgramIsolationOptions): boolean =>
  program === undefined || program.includes('/') || findProgram(program, environment['PATH'] ?? '') !== undefined;

/** @returns what the probe could do, or why it did not run; undefined if the isolation works */
function weakness(
  bwrap: string,
  sandbox: ProgramSandbox,
  { environment, team }: ProgramIsolationOptions,
): Promise<string | undefined> {
  const outside = ['/etc', '/usr'].find((path) => !isBelow(sandbox.root, path)) ?? '/';
  const words = [
    `${outside}/.teams-probe-${process.pid}`,
    keyPath(environment),
    String(process.pid),
    `${team[0] ?? '/nowhere'}/config.json`,
  ];
  return probeWeakness(
    isolatedProgramArgv(bwrap, { ...sandbox, isProbe: true }, ['/bin/sh', '-c', PROBE, 'probe', ...words]),
    environment,
  );
}
