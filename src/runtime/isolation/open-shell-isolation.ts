/**
 * Shell isolation: bubblewrap around a command. It is not trusted but tested: a probe inside it tries what is
 * forbidden, and only if all of that fails does the isolation count. Where it has worked once, it is needed.
 */
import { dirname } from 'node:path';
import process from 'node:process';
import {
  isVisible,
  isolatedShellArgv,
  type ShellSurroundings,
  type IsolationSetting,
} from '../../policy/sandbox/shell-isolation.ts';
import { keyPlaces, KEYLESS } from '../../policy/sandbox/home-keys.ts';
import type { LentPaths } from '../../policy/sandbox/lent-path.ts';
import type { ShellIsolation } from '../../policy/sandbox/effective-sandbox.ts';
import type { Lend } from '../../model/team/lend.ts';
import { bubblewrap } from '../../os/program-path.ts';
import {
  entriesAt,
  entriesIn,
  homeOf,
  networkNamespace,
  realPath,
  withProbeDirectory,
} from '../../store/workspace/sandbox-host.ts';
import { temporaryPlaces } from '../../store/files/scratch.ts';
import { heldPlaces } from '../../store/workspace/nested-repositories.ts';
import { userConfigFolder } from '../../store/user/own-folders.ts';
import { noteProved } from '../../store/user/proved-isolation.ts';
import { keyPath } from '../../store/user/seal.ts';
import {
  callFilterFile,
  isolationRequired,
  lastingWeakness,
  NOT_INSTALLED,
  probeWeakness,
  requireUnfit,
  SETS_ID,
} from './bubblewrap.ts';
import { closing, inheritedTrouble } from './inherited-files.ts';
import { isBelow, lentPaths, secretsOf } from './lent-paths.ts';
import { lentToolchains } from './lent-toolchains.ts';
import { heldGits } from './nested-repositories.ts';
import { ownProgramsIn } from './own-programs.ts';
import { treeLends } from './tree-lends.ts';

export interface ShellIsolationProbe {
  readonly isolation: ShellIsolation;
  /** Why there is none; undefined if there is one, or none is wanted. */
  readonly why?: string;
  /** The argv of a command inside the isolation; only for `up`. */
  readonly around: (
    root: string,
    isWritable: boolean,
    argv: readonly string[],
    how?: Pick<ShellSurroundings, 'hasNetwork' | 'showsKeys' | 'shown'>,
  ) => readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

interface ShellIsolationOptions {
  readonly setting: IsolationSetting;
  /** The workspace. */
  readonly root: string;
  /** Of this process: where programs and the user's home are. */
  readonly environment: Environment;
  /** What the user lends; absent: nothing. */
  readonly lend?: Lend | undefined;
  /** The team's folders, of which nothing can be lent. */
  readonly team?: readonly string[];
  /** What of these can be read all the same. */
  readonly handed?: readonly string[] | undefined;
}

/**
 * A script that tries what must not work, first what depends on no rights of the user and no room on a disk. Its arguments: a file outside the workspace, a directory among the temporary
 * files, the pid of the process that watches the command, the host's network namespace.
 */
const PROBE = `
over() { echo "$1"; exit 1; }
[ -e "$2" ] && over 'it sees the temporary files of others'
( : > "$1" ) 2>/dev/null && { rm -f "$1"; over 'it writes outside the workspace'; }
kill -0 "$3" 2>/dev/null && over 'it reaches processes outside'
cat "/proc/$3/environ" >/dev/null 2>&1 && over 'it reads the environment of processes outside'
case "$(readlink /proc/self/ns/net)" in "$4"|'') over 'it is in the network of the host';; esac
( : >> /proc/sys/kernel/core_pattern ) 2>/dev/null && over 'it may change the kernel'
${SETS_ID}
echo held
`;

/**
 * Looks for bubblewrap and tests it.
 *
 * @throws AgentError `AGENT_UNAVAILABLE` (exit 5) if isolation is required and does not work, if it works on this machine
 * and not in this workspace, and for what may not be lent
 */
export async function openShellIsolation(options: ShellIsolationOptions): Promise<ShellIsolationProbe> {
  const { setting, root, environment } = options;
  if (setting === 'off') return { isolation: 'off', around: unwrapped };
  const bwrap = bubblewrap(environment);
  const at = realPath(root);
  const held = bwrap === undefined ? [] : [...(await heldGits(at)), ...ownProgramsIn(at, environment)];
  const surroundingsOf = surroundingsBy(options, held);
  const tried = () => weakness(bwrap ?? '', surroundingsOf(root, true), environment);
  const why = bwrap === undefined ? NOT_INSTALLED : (inheritedTrouble(environment) ?? (await lastingWeakness(tried)));
  if (bwrap !== undefined && why === undefined) {
    noteProved(environment);
    return {
      isolation: 'up',
      around(at, isWritable, argv, how = {}) {
        const surroundings = surroundingsOf(at, isWritable);
        const lent = treeLends(surroundings.root, how.shown);
        return isolatedShellArgv(bwrap, { ...surroundings, ...how, lent }, argv);
      },
    };
  }
  if (setting === 'required') throw isolationRequired(why);
  if (bwrap !== undefined && why !== undefined)
    await requireUnfit(why, environment, () => worksElsewhere(bwrap, surroundingsOf(root, true), environment));
  return { isolation: 'missing', why: why ?? 'it was not tried', around: unwrapped };
}

/** Whether it works in a directory without files. */
const worksElsewhere = (bwrap: string, surroundings: ShellSurroundings, environment: Environment): Promise<boolean> =>
  withProbeDirectory(async (root) => {
    const empty = { ...surroundings, root, inRoot: new Map(), nested: [] };
    return (await weakness(bwrap, empty, environment)) === undefined;
  });

const unwrapped: ShellIsolationProbe['around'] = (_root, _isWritable, argv) => argv;

type SurroundingsOf = (root: string, isWritable: boolean) => ShellSurroundings;

/** Collects the paths anew for each command, because files may have changed. */
function surroundingsBy(
  { environment, lend, team = [], handed = [], root: workspace }: ShellIsolationOptions,
  gits: readonly string[],
): SurroundingsOf {
  const home = homeOf(environment);
  const secrets = secretsOf(environment, team);
  const lent = (root: string) => lentPaths(lend, { home, root, secrets });
  const at = realPath(workspace);
  const nested = (real: string) =>
    heldPlaces(real, gits).flatMap(({ id, ...place }) => (id === undefined ? [] : [{ ...place, id }]));
  // What may not be lent is refused at once.
  lent(at);
  const keys = [...keyPlaces(home, environment), userConfigFolder(environment), dirname(keyPath(environment))];
  const needs = neededBelow(keys, { home, root: at, secrets, environment });
  return (root, isWritable) => {
    const real = realPath(root);
    return {
      root: real,
      isWritable,
      inRoot: entriesIn(real),
      nested: real === at ? nested(real) : [],
      filter: callFilterFile(environment),
      closing: closing(environment),
      handed: entriesAt(handed).map(({ path }) => path),
      keys: entriesAt(keys),
      temporary: temporaryBeside(home, real),
      lend: withNeeds(lent(real), needs),
    };
  };
}

/** A directory of temporary files as TMPDIR names it. It may be around the workspace, as `/tmp` may be. */
function temporaryBeside(home: string, root: string): string | undefined {
  const [place] = entriesAt(temporaryPlaces(root).slice(0, 1));
  const isAround = (path: string): boolean => entriesAt([home]).some((one) => isBelow(one.path, path));
  return place === undefined || isAround(place.path) || !isVisible(place.path, { root }) ? undefined : place.path;
}

/** Of what appears empty: files of git without keys, and toolchains, which some installers put there. */
function neededBelow(
  keys: readonly string[],
  around: { home: string; root: string; secrets: string[]; environment: Environment },
): string[] {
  const isHidden = (path: string): boolean => keys.some((key) => isBelow(path, key));
  const entries = (around.environment['PATH'] ?? '').split(':');
  // Looking takes a tenth of a second.
  const tools = entries.some(isHidden) ? lentToolchains({ ...around, programs: [] }).filter(isHidden) : [];
  return [...KEYLESS.map((name) => `${around.home}/${name}`), ...tools];
}

const withNeeds = ({ read, write }: LentPaths, needs: readonly string[]): LentPaths => ({
  read: [...entriesAt(needs).map(({ path }) => ({ from: path, at: path })), ...read],
  write,
});

/** @returns what the probe could do, or why it did not run; undefined if the isolation works */
async function weakness(
  bwrap: string,
  surroundings: ShellSurroundings,
  environment: Environment,
): Promise<string | undefined> {
  const places = [homeOf(environment), '/etc'].filter((path) => isVisible(path, surroundings));
  return withProbeDirectory(async (canary) => {
    const outside = `${places[0] ?? '/usr'}/.teams-probe-${process.pid}`;
    const script = ['/bin/sh', '-c', PROBE, 'probe', outside, canary, String(process.pid), networkNamespace()];
    return probeWeakness(isolatedShellArgv(bwrap, { ...surroundings, isProbe: true }, script), environment);
  });
}
