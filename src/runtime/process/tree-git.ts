/**
 * Wraps git that works on a member's tree in an isolation (`policy/sandbox/git-isolation.ts`). Where bubblewrap does not
 * work, no member is held by it either, and git runs as it is.
 */
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { startProcess, type ProcessRequest } from '../../agents/programs/process.ts';
import { isolatedGitArgv, placesOfGit, type GitIsolation } from '../../policy/sandbox/git-isolation.ts';
import { bubblewrap } from '../../os/program-path.ts';
import { noteProved, wasProved } from '../../store/user/proved-isolation.ts';
import { borrowedObjects } from '../../store/workspace/repositories.ts';
import { realPath } from '../../store/workspace/sandbox-host.ts';

/** What git on a tree reads and writes. */
export interface TreeFiles {
  readonly tree: string;
  /** The repository of the team. */
  readonly vault: string;
}

interface TreeGit extends TreeFiles {
  readonly index: string;
  /** The path of git. */
  readonly program: string;
  readonly environment: ProcessRequest['env'];
  /** Asks git for a setting of the user's, without an isolation. @returns empty if there is none */
  readonly setting: (name: string) => Promise<string>;
}

/** @param args may begin with settings, `-c key=value` */
const writesTree = (args: readonly string[]): boolean =>
  args.includes('checkout-index') || (args.includes('read-tree') && args.includes('-u'));

const PROBE_MS = 20_000;
const HELD = 'held';
/** Whether bubblewrap worked once: then it is needed. */
let isHeld = false;
const ignoring = new Map<string, Promise<string>>();

interface HeldGit {
  /** Words of git that come first. */
  readonly settings: readonly string[];
  readonly wrap: (argv: readonly string[]) => readonly string[];
}

/**
 * @param args of git, for which it is wrapped
 * @returns how git is wrapped; undefined where bubblewrap does not work; or why git cannot run in it
 */
export async function treeIsolation(git: TreeGit, args: readonly string[]): Promise<HeldGit | string | undefined> {
  const bwrap = bubblewrap(git.environment);
  if (bwrap === undefined) return isHeld ? 'bubblewrap is gone' : undefined;
  const [tree, vault] = [realPath(git.tree), realPath(git.vault)];
  const ignored = await ignoreFile(git);
  const isolation: GitIsolation = {
    tree,
    vault,
    objects: borrowedObjects(join(vault, 'objects')),
    index: join(vault, git.index.slice(git.vault.length)),
    place: `/run/${randomBytes(16).toString('hex')}`,
    writesTree: writesTree(args),
    lent: [...placesOfGit(realPath(git.program)), ignored],
  };
  const why = isHeld ? undefined : await tried(isolatedGitArgv(bwrap, isolation, probeOf(git.program)), git);
  // A member may have used up what each start needs.
  if (why === '') return wasProved(process.env) ? 'bubblewrap does not work any more' : undefined;
  if (why !== undefined) return why;
  isHeld = true;
  noteProved(process.env);
  return {
    settings: ['-c', `core.excludesFile=${ignored}`],
    wrap: (argv) => isolatedGitArgv(bwrap, isolation, argv),
  };
}

const probeOf = (program: string): string[] => ['/bin/sh', '-c', `echo ${HELD}; exec "$0" --version`, program];

/** @returns why git does not work in it: empty if nothing does; undefined if it works */
async function tried(argv: readonly string[], { environment }: TreeGit): Promise<string | undefined> {
  const { signal } = new AbortController();
  const started = await startProcess({ argv, env: environment, cwd: '/', signal, timeoutMs: PROBE_MS });
  if (!started.ok) return '';
  const end = await started.process.ended;
  // A machine that is busy is none on which bubblewrap does not work.
  if (end.kind === 'timeout') return `bubblewrap did not answer within ${PROBE_MS / 1_000} s`;
  if (!end.stdout.toString('utf8').startsWith(HELD)) return '';
  const said = end.stderr.toString('utf8').trim().split('\n')[0] ?? '';
  return end.kind === 'exited' && end.code === 0 ? undefined : `git does not run isolated: ${said}`;
}

/** The user's own list of ignored files: the one that is configured, or the usual one. It may be missing. */
function ignoreFile({ vault, setting, environment }: TreeGit): Promise<string> {
  const { HOME = '', XDG_CONFIG_HOME = '' } = environment;
  const usual = join(XDG_CONFIG_HOME || join(HOME || process.cwd(), '.config'), 'git/ignore');
  const known = ignoring.get(vault);
  const found = known ?? setting('core.excludesFile').then((path) => (path === '' ? usual : resolve(vault, path)));
  ignoring.set(vault, found);
  return found;
}
