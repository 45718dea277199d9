/**
 * Runs git; every git of ours goes through here. No program that the repository names is run (no hook, monitor or
 * filter, nothing in a submodule, no fetch), and the user's index and working tree are only read.
 */
import { totalmem } from 'node:os';
import process from 'node:process';
import { childEnvironment } from '../../agents/agent-registry.ts';
import { startProcess } from '../../agents/programs/process.ts';
import { prlimitPath, type Marker } from '../../os/mark-environment.ts';
import { findProgram, pathOutside } from '../../os/program-path.ts';
import type { FileRead } from '../../os/process-files.ts';
import { watchReads } from './read-watch.ts';
import { treeIsolation, type TreeFiles } from './tree-git.ts';

export interface GitWhere {
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array | undefined;
  /** Bytes at the end of its output that are kept; without it, output that is larger than can be kept is a failure. */
  readonly keptBytes?: number;
  /** The repository and its configuration are ours: it names no program. */
  readonly isOurs?: boolean;
  /** It works on files that a member may exchange for links meanwhile. */
  readonly tree?: TreeFiles;
  /** For git that a lead runs: it ends with the lead. */
  readonly marker?: Marker;
}

export interface GitAnswer {
  /** -1 if there is no git, or it was ended. */
  readonly code: number;
  readonly text: string;
  /** The same, as bytes. */
  readonly data: Buffer;
  /** Bytes that it printed. */
  readonly bytes: number;
  /** The first line of its error output that is no hint. */
  readonly said: string;
  /** It was ended because it took too long, or would: it would again. */
  readonly isLate?: boolean;
}

const PATIENCE_MS = 60_000;
const KEPT_BYTES = 256 * 1024 * 1024;
const MOST_FILTER_BYTES = 16 * 1024 * 1024;

const SETTINGS = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.quotepath=off',
  'core.logAllRefUpdates=false',
  // A clone may contain a directory that is a bare repository, whose configuration names programs (git 2.38 and newer).
  'safe.bareRepository=explicit',
  'submodule.recurse=false',
  'diff.ignoreSubmodules=all',
];
const ALWAYS = ['--no-pager', ...SETTINGS.flatMap((setting) => ['-c', setting])];
/** For a shell whose `$0` is git; none of these words means anything to a shell. */
const GIT_ALIKE = `git() { "$0" ${ALWAYS.join(' ')} "$@"; }`;

/**
 * A repository may say that objects are elsewhere, and name the program that gets them; or that another object stands
 * for one, or that another commit or none is before it: a safety point would not be what was kept. Of a clone that is
 * really shallow nothing of ours reads what is missing.
 */
const BELIEVES_NOTHING = {
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_GRAFT_FILE: '/dev/null',
  GIT_SHALLOW_FILE: '',
};

/** These read the content of no file of the working tree, so no filter runs. `write-tree` does: it refreshes the index. */
const WITHOUT_FILES = new Set([
  'fetch',
  'rev-parse',
  'update-ref',
  'commit-tree',
  'for-each-ref',
  'cat-file',
  'diff-tree',
  'config',
  'rev-list',
  'ls-tree',
  'check-attr',
]);

/** Options of `ls-files` with which it compares no file with the index. */
const NAMES_ONLY = new Set(['-z', '-v', '--stage', '--others', '--exclude-standard']);

/** @param args may begin with settings, `-c key=value` */
function readsFiles(args: readonly string[]): boolean {
  const at = args.findIndex((word, place) => place % 2 === 0 && word !== '-c');
  const [command = '', ...words] = args.slice(at);
  const end = words.indexOf('--');
  if (command === 'ls-files') return !(end < 0 ? words : words.slice(0, end)).every((word) => NAMES_ONLY.has(word));
  return !WITHOUT_FILES.has(command);
}

export async function git(args: readonly string[], where: GitWhere): Promise<GitAnswer> {
  if (where.isOurs === true || !readsFiles(args)) return run(args, where);
  const listed = await run(['config', '--null', '--show-scope', '--get-regexp', '^filter\\.'], {
    ...where,
    keptBytes: MOST_FILTER_BYTES,
  });
  // 1: there are none.
  if (listed.code !== 0 && listed.code !== 1) return listed;
  if (listed.bytes >= MOST_FILTER_BYTES) return { ...listed, code: -1, said: 'the repository has too many filters' };
  return run(args, { ...where, env: { ...where.env, ...withoutOwnFilters(listed.text) } });
}

/** Git only warns of a folder that it cannot read, and adds the rest; its words, in English, are all that says so. */
const ADD = `if [ -n "$LC_ALL" ]; then LC_CTYPE=$LC_ALL; export LC_CTYPE; unset LC_ALL; fi
LANGUAGE= LC_MESSAGES=C
export LANGUAGE LC_MESSAGES
said=$("$@" 2>&1)
code=$?
case $said in *'could not open directory '*) code=128 said="cannot read \${said#*could not open directory }";; esac
if [ $code -ne 0 ]; then printf '%s\\n' "$said" >&2; exit $code; fi
git write-tree`;

/**
 * Adds files to an index in a repository of ours, and writes its tree if that did not fail. One program does both: an
 * isolation takes longer to start than git. A folder that cannot be read is a failure: its files would be missing in
 * silence.
 *
 * @param args of `git add`
 * @returns the answer of both; its text is the name of the tree
 */
export const addAndWriteTree = (args: readonly string[], where: GitWhere): Promise<GitAnswer> =>
  run(['add', ...args], where, { script: ADD });

const MERGE = `ours=$1 theirs=$2
shift 2
tree=$("$@") || exit
git rev-list --objects --no-object-names "$theirs" "$tree" --not "$ours" "$ours^{tree}" || exit 128
echo "$tree"`;

/**
 * Merges two commits in a repository of ours. One program also lists what is new: starting git takes longer than
 * merging.
 *
 * @returns what `theirs` and the merge have and `ours` has not, an object a line, and last the tree; code 1 for a
 *   conflict, 129 if git is older than 2.38, another one if an object of `theirs` is missing
 */
export const mergeAndList = (ours: string, theirs: string, where: GitWhere): Promise<GitAnswer> =>
  run(['merge-tree', '--write-tree', '--no-messages', ours, theirs], where, { script: MERGE, words: [ours, theirs] });

/**
 * The variables that take a repository's own filters away: each gets the value of the user's own configuration, or
 * none.
 */
function withoutOwnFilters(listed: string): Record<string, string> {
  const words = listed.split('\0');
  const entries = words.flatMap((scope, at) => {
    const [key = '', ...value] = (words[at + 1] ?? '').split('\n');
    return at % 2 === 0 && key !== ''
      ? [{ isOwn: scope === 'local' || scope === 'worktree', key, value: value.join('\n') }]
      : [];
  });
  const users = new Map(entries.filter(({ isOwn }) => !isOwn).map(({ key, value }) => [key, value]));
  const keys = [...new Set(entries.filter(({ isOwn }) => isOwn).map(({ key }) => key))];
  const settings = keys.flatMap((key, at): [string, string][] => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, users.get(key) ?? (key.endsWith('.required') ? 'false' : '')],
  ]);
  return { ...Object.fromEntries<string>(settings), GIT_CONFIG_COUNT: String(keys.length) };
}

/** Git reads a `.gitignore` whole; one of many gigabytes must not take the memory of the machine. */
const MOST_DATA = Math.max(2 * 2 ** 30, Math.floor(totalmem() / 2));

/** Adds the limit to a command, which may be one of prlimit already. */
function limited(argv: readonly string[]): readonly string[] {
  const prlimit = prlimitPath();
  if (prlimit === undefined) return argv;
  const end = argv[0] === prlimit ? argv.indexOf('--') : 0;
  const [before, rest] = end > 0 ? [argv.slice(0, end), argv.slice(end + 1)] : [[prlimit], argv];
  return [...before, `--data=${MOST_DATA}`, '--', ...rest];
}

const unstarted = (said: string): GitAnswer => ({ code: -1, text: '', data: Buffer.alloc(0), bytes: 0, said });

interface Script {
  /** In its words: `$@` is the command, `git` runs another one alike. */
  readonly script: string;
  /** Its first arguments, before the command. */
  readonly words?: readonly string[];
}

/** @param inside a shell script that runs the command, and others after it */
async function run(args: readonly string[], where: GitWhere, inside?: Script): Promise<GitAnswer> {
  const { cwd, signal, env = {}, keptBytes = KEPT_BYTES, marker } = where;
  const inherited = childEnvironment('exec', { parent: process.env });
  // Git finds the filters of the user's configuration there, too.
  const PATH = pathOutside(pathOutside(inherited['PATH'] ?? ''), cwd);
  const program = findProgram('git', PATH) ?? 'git';
  const { tree } = where;
  const isolation =
    tree === undefined || !readsFiles(args)
      ? undefined
      : await treeIsolation(
          {
            ...tree,
            index: env['GIT_INDEX_FILE'] ?? '',
            program,
            environment: { ...inherited, PATH },
            setting: async (name) => (await run(['config', '--type=path', '--get', name], where)).text.trim(),
          },
          args,
        );
  if (typeof isolation === 'string') return unstarted(isolation);
  const first = [program, ...(isolation?.settings ?? []), ...ALWAYS, ...args];
  const plain =
    inside === undefined
      ? first
      : ['/bin/sh', '-c', `${GIT_ALIKE}\n${inside.script}`, program, ...(inside.words ?? []), ...first];
  const argv = isolation?.wrap(plain) ?? plain;
  const marked = marker?.mark(argv);
  const request = {
    argv: limited(marked?.argv ?? argv),
    env: {
      ...inherited,
      // An empty one is the working directory.
      PATH: PATH || '/',
      ...marked?.env,
      GIT_OPTIONAL_LOCKS: '0',
      ...BELIEVES_NOTHING,
      ...env,
    },
    cwd,
    signal,
    stdin: where.stdin,
    timeoutMs: PATIENCE_MS,
  };
  const started = await startProcess(request, { keptBytes });
  if (!started.ok) return unstarted(started.failure.message);
  const reads = watchReads(started.process.pid, () => void started.process.stop());
  let bytes = 0;
  for (let output = await started.process.next(); output; output = await started.process.next())
    if (output.stream === 'stdout') bytes += output.bytes.length;
  const end = await started.process.ended;
  reads.close();
  const held = reads.held();
  const complaints = end.stderr.toString('utf8').trim().split('\n');
  const complaint = complaints.find((line) => !line.startsWith('hint: '))?.replace(/\.$/, '') ?? '';
  const cured = withCure(complaint);
  // A part of a list would read as all of it.
  const isCut = where.keptBytes === undefined && bytes > keptBytes;
  const ended = end.kind === 'timeout' ? `git took more than ${PATIENCE_MS / 1_000} s${atLast(reads.last())}` : cured;
  const said = isCut ? `git printed more than ${keptBytes / 2 ** 20} MiB` : (held?.why ?? ended);
  return {
    code: end.kind === 'exited' && !isCut ? end.code : -1,
    text: end.stdout.toString('utf8'),
    data: end.stdout,
    bytes,
    said,
    isLate: held === undefined ? end.kind === 'timeout' : held.kind === 'large',
  };
}

/** Git says in a hint of several lines how a repository that belongs to another user is accepted. */
const withCure = (complaint: string): string =>
  complaint.replace(
    /^fatal: detected dubious ownership in repository at '(.+)'$/,
    (said, path: string) =>
      `${said}, which belongs to another user (\`git config --global --add safe.directory ${quotedWord(path)}\` accepts it)`,
  );

/** A word as a shell reads it. */
export const quotedWord = (word: string): string =>
  /^[\w./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

const atLast = (read: FileRead | undefined): string => (read === undefined ? '' : `, at last for ${read.path}`);
