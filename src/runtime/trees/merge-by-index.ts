/**
 * Merges two commits with a git before 2.38, which has no `merge-tree --write-tree`: three trees in an index of its own,
 * and each file that both changed line by line. It knows no renames: such a file conflicts.
 */
import { join } from 'node:path';
import { bytesOf, GitFailure, isNamed, requireGit } from '../process/git-tree.ts';
import { git, type GitWhere } from '../process/git.ts';
import { putScratch, withScratch } from '../../store/files/scratch.ts';

/** A merge of two commits, as a tree. On a conflict its files have marks. */
export interface Merged {
  readonly tree: string;
  /** Paths that conflict; empty for a clean merge. */
  readonly conflicts: readonly string[];
  /** What git says about them. */
  readonly said: readonly string[];
}

interface Entry {
  readonly mode: string;
  readonly hash: string;
}
type Stage = 'base' | 'ours' | 'theirs';
const STAGES: Readonly<Record<string, Stage>> = { 1: 'base', 2: 'ours', 3: 'theirs' };

/** One path in up to three versions. */
type Versions = Readonly<Partial<Record<Stage, Entry>>>;

/** @throws GitFailure */
export const mergeByIndex = async (ours: string, theirs: string, where: GitWhere): Promise<Merged> =>
  withScratch(async (folder) => {
    const at = { ...where, env: { ...where.env, GIT_INDEX_FILE: join(folder, 'index') } };
    const { text, code } = await git(['merge-base', ours, theirs], at);
    if (code !== 0) throw new GitFailure('git merge-base: the changes have no common beginning');
    requireGit(await git(['read-tree', '-i', '-m', '--aggressive', text.trim(), ours, theirs], at), 'git read-tree');
    const entries = entriesIn(requireGit(await git(['ls-files', '--stage', '-z'], at), 'git ls-files'));
    const folders = new Set([...entries.keys()].flatMap(foldersOf));
    const said: string[] = [];
    const conflicts: string[] = [];
    for (const [path, versions] of entries) {
      if (versions === 'merged') continue;
      const { entry, why } = await settled(versions, { folder, labels: { ours, theirs } }, at);
      const kept = folders.has(path) ? undefined : entry;
      const clash = kept === entry ? why : 'a file here is a folder there';
      await put(path, kept, at);
      if (clash === undefined) continue;
      conflicts.push(path);
      said.push(`CONFLICT (${clash}): Merge conflict in ${path}`);
    }
    return { tree: requireGit(await git(['write-tree'], at), 'git write-tree'), conflicts, said };
  }, where.cwd);

function entriesIn(listed: string): Map<string, Versions | 'merged'> {
  const found = new Map<string, Versions | 'merged'>();
  for (const line of listed.split('\0').filter(Boolean)) {
    const tab = line.indexOf('\t');
    const [mode = '', hash = '', stage = ''] = line.slice(0, tab).split(' ');
    const path = line.slice(tab + 1);
    const name = STAGES[stage];
    const before = found.get(path) ?? {};
    if (name === undefined || before === 'merged') found.set(path, 'merged');
    else found.set(path, { ...before, [name]: { mode, hash } });
  }
  return found;
}

const foldersOf = (path: string): string[] =>
  path.split('/').flatMap((_, at, parts) => (at === 0 ? [] : [parts.slice(0, at).join('/')]));

interface Settling {
  readonly folder: string;
  readonly labels: { readonly ours: string; readonly theirs: string };
}

/** @returns what stands at the path, and why it conflicts */
async function settled(
  { base, ours, theirs }: Versions,
  place: Settling,
  where: GitWhere,
): Promise<{ readonly entry: Entry | undefined; readonly why?: string }> {
  if (ours === undefined || theirs === undefined) {
    const entry = ours ?? theirs;
    // Beside a folder of that name git leaves open also what only one side changed.
    if (base === undefined) return { entry };
    const isSame = entry?.hash === base.hash && entry.mode === base.mode;
    return isSame ? { entry: undefined } : { entry, why: 'modify/delete' };
  }
  if (!isFile(ours) || !isFile(theirs) || (base !== undefined && !isFile(base)))
    return { entry: ours, why: 'distinct types' };
  const { hash, isClean } = await mergedLines({ base, ours, theirs }, place, where);
  const mode = ours.mode === base?.mode ? theirs.mode : ours.mode;
  return { entry: { mode, hash }, ...(isClean ? {} : { why: base === undefined ? 'add/add' : 'content' }) };
}

const isFile = ({ mode }: Entry): boolean => mode.startsWith('100');
/** What `merge-file` answers for a file that is not text. */
const NO_TEXT = 255;

async function mergedLines(
  { base, ours, theirs }: { readonly base: Entry | undefined; readonly ours: Entry; readonly theirs: Entry },
  { folder, labels }: Settling,
  where: GitWhere,
): Promise<{ readonly hash: string; readonly isClean: boolean }> {
  // One side may have changed its mode only.
  if (ours.hash === theirs.hash || theirs.hash === base?.hash) return { hash: ours.hash, isClean: true };
  if (ours.hash === base?.hash) return { hash: theirs.hash, isClean: true };
  const files = { ours: join(folder, 'ours'), base: join(folder, 'base'), theirs: join(folder, 'theirs') };
  putScratch(files.base, base === undefined ? new Uint8Array() : await bytesOf(base, where));
  putScratch(files.ours, await bytesOf(ours, where));
  putScratch(files.theirs, await bytesOf(theirs, where));
  const marks = [labels.ours, 'base', labels.theirs].flatMap((label) => ['-L', label]);
  const { code, said } = await git(['merge-file', '-q', ...marks, files.ours, files.base, files.theirs], where);
  if (code < 0) throw new GitFailure(`git merge-file: ${said}`);
  if (code === NO_TEXT) return { hash: ours.hash, isClean: false };
  const hashed = await git(['hash-object', '-w', '--no-filters', files.ours], where);
  return { hash: requireGit(hashed, 'git hash-object'), isClean: code === 0 };
}

async function put(path: string, entry: Entry | undefined, where: GitWhere): Promise<void> {
  if (!isNamed(path)) throw new GitFailure(`the name of a file that both changed is no UTF-8: ${path}`);
  // Its versions go, whichever they are.
  requireGit(await git(['update-index', '--force-remove', '--', path], where), 'git update-index');
  if (entry === undefined) return;
  const added = await git(['update-index', '--add', '--cacheinfo', `${entry.mode},${entry.hash},${path}`], where);
  requireGit(added, 'git update-index');
}
