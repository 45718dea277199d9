/**
 * A member's own tree: at each claim it becomes the common state, and what the member makes of it is kept as an attempt.
 * Nothing in it is overwritten or removed that is not kept before.
 */
import type { LandingTask, Attempt, ClaimedTask } from '../../model/board/task.ts';
import type { Name } from '../../model/text/names.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { realClock } from '../../os/system-clock.ts';
import { newId } from '../../store/files/new-ids.ts';
import {
  forgetIndex,
  freeRef,
  hasTree,
  hasVault,
  makeOwnGit,
  readyTree,
  setTreeAside,
} from '../../store/team/vault.ts';
import { lendTo, lentIn, setUp, type TreeUse } from './tree-needs.ts';
import { TreeOutputs } from './tree-outputs.ts';
import type { TreeOwner } from '../../store/files/paths.ts';
import {
  GitFailure,
  requireGit,
  stubsBelow,
  treeChanges,
  withoutRepositories,
  type TreeChange,
} from '../process/git-tree.ts';
import { git, type GitWhere } from '../process/git.ts';
import {
  commitOf,
  commitTree,
  inTree,
  inVault,
  keepCommit,
  mergeTrees,
  treeOf,
  VaultRefs,
  type VaultGit,
} from './vault.ts';

/** A change that a member made: absent if its tree is as it began. */
export interface KeptChange {
  readonly attempt: Attempt;
  /** Relative to the working directory. */
  readonly files: readonly string[];
}

const OURS = ['.teams', '.tasks'].map((folder) => `:(exclude,top,glob)**/${folder}/**`);

/**
 * The files of a tree as a git tree.
 *
 * @param how.lend what it borrows of the project
 * @param how.from what it began from, for a tree whose index was forgotten: files that are tracked and ignored are in it
 * @throws GitFailure
 */
export async function snapshot(
  where: GitWhere,
  { lend, from }: { readonly lend: readonly string[]; readonly from?: string | undefined },
): Promise<string> {
  if (from !== undefined) requireGit(await git(['read-tree', from], where), 'git read-tree');
  // `.teams` of the project itself stays as it was; nothing else of ours is below.
  const ours = (await notIgnored([...stubsBelow(where.cwd), ...lend], where)).map(
    (path) => `:(exclude,top,literal)${path}`,
  );
  const without = [...OURS, ...ours, ...(await withoutRepositories(where))];
  requireGit(await git(['add', '-A', '--', ':/', ...without], where), 'git add');
  return requireGit(await git(['write-tree'], where), 'git write-tree');
}

/** Git refuses to leave out by name what it ignores anyway; a member may have changed what it ignores. */
async function notIgnored(paths: readonly string[], where: GitWhere): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const { code, said } = await git(['check-ignore', '--quiet', '--', path], where);
    if (code === 1) found.push(path);
    else if (code !== 0) throw new GitFailure(`git check-ignore: ${said}`);
  }
  return found;
}

/** Makes the files of a tree those of a git tree; ignored files stay. @throws GitFailure */
const become = async (tree: string, where: GitWhere): Promise<string> =>
  requireGit(await git(['read-tree', '--reset', '-u', tree], where), 'git read-tree');

/** A repository within the tree would be kept as its name alone. */
export const nestedRepository = (changes: readonly TreeChange[]): string | undefined =>
  changes.find((change) => change.to?.mode === '160000' && change.from?.mode !== '160000')?.path;

/** Makes a tree that holds nothing to be kept show a commit, for gates. @throws GitFailure */
export async function showCommit(
  store: TeamStore,
  of: '.queue' | '.lead',
  commit: string,
  how: VaultGit,
): Promise<void> {
  readyTree(store.paths, of);
  const where = inTree(store.paths, of, how);
  // What gates made of tracked files goes; what git ignores stays, as in every working directory.
  await snapshot(where, { lend: lentIn(store) });
  await become(commit, where);
}

/** What git would keep as a name alone. */
class NestedRepository extends GitFailure {}

/** A git that was killed, or that met a passing trouble, is started again before anything is given up. */
const TRIES = 3;
const TRY_AGAIN_MS = 100;

async function again<T>(signal: AbortSignal, work: (isFirst: boolean) => Promise<T>): Promise<T> {
  for (let left = TRIES - 1; ; left -= 1)
    try {
      return await work(left === TRIES - 1);
    } catch (error) {
      if (!(error instanceof GitFailure) || error instanceof NestedRepository || left === 0 || signal.aborted)
        throw error;
      await realClock.sleep(TRY_AGAIN_MS, signal);
    }
}

export class MemberTree {
  readonly #store: TeamStore;
  readonly #member: Name;
  readonly #refs: VaultRefs;
  readonly #outputs: TreeOutputs;
  /** The claim that it was made for, and the state that it began from. */
  #begun: { readonly claim: string; readonly base: string } | undefined;

  constructor(store: TeamStore, member: Name) {
    this.#store = store;
    this.#member = member;
    this.#refs = new VaultRefs(store);
    this.#outputs = new TreeOutputs(store, member);
  }

  /**
   * Sees to it that there is a tree, before anything is claimed.
   *
   * @throws GitFailure
   */
  open(signal: AbortSignal): Promise<void> {
    return again(signal, () => this.#open(signal));
  }

  async #open(signal: AbortSignal): Promise<void> {
    const { disk, paths } = this.#store;
    if (!hasVault(disk, paths)) throw new GitFailure(`team ${paths.name} has no trees yet: \`teams run\` makes them`);
    if (hasTree(disk, paths, this.#member) && (await this.#at(signal)) !== undefined) return;
    const main = await commitOf(this.#refs.main, inVault(paths, { signal }));
    if (main === undefined) throw new GitFailure(`team ${paths.name} has no common state`);
    await this.#show(main, main, signal);
  }

  /**
   * At a claim: keeps what lies there, then shows the common state; after a change that came back, with that change.
   * What the tree needs besides is there then.
   *
   * @throws GitFailure, SetupFailure, StoreError
   */
  async begin(task: ClaimedTask, use: TreeUse, signal: AbortSignal): Promise<void> {
    const claim = `${task.id}.${task.claim.epoch}`;
    // The same claim goes on after an answer of the lead.
    if (this.#begun?.claim === claim) return;
    const { paths } = this.#store;
    const own = inVault(paths, { signal });
    const main = await commitOf(this.#refs.main, own);
    if (main === undefined) throw new GitFailure(`team ${paths.name} has no common state`);
    await this.#keepRemains(`${task.id}.${task.claim.epoch}`, signal);
    const begins = await again(signal, () => this.#begins(task, main, own));
    await again(signal, () => this.#show(main, begins, signal));
    await lendTo(this.#store, this.#member, use.isMounted, signal);
    // What it changed of files that git does not ignore is no change of the member.
    if (await setUp(this.#store, this.#member, use.run))
      await again(signal, () => this.#showAgain(main, begins, signal));
    await this.#outputs.bring(task, { signal });
    this.#begun = { claim, base: main };
  }

  /** A command is just run again; an agent goes on with its own change, where it conflicts with marks, if git can read it. */
  async #begins({ bounced, work }: ClaimedTask, main: string, own: GitWhere): Promise<string> {
    if (bounced === undefined || bounced.cause === 'unreadable' || work.run !== undefined) return main;
    const { tree } = await mergeTrees(main, bounced.attempt.commit, own);
    return commitTree({ tree, parents: [main], message: 'A change that came back, on what landed' }, own);
  }

  /**
   * Keeps the change of the present claim.
   *
   * @returns undefined if nothing changed
   * @throws GitFailure
   */
  keep(task: ClaimedTask, signal: AbortSignal): Promise<KeptChange | undefined> {
    return again(signal, (isFirst) => this.#keep(task, isFirst, signal));
  }

  async #keep(task: ClaimedTask, isFirst: boolean, signal: AbortSignal): Promise<KeptChange | undefined> {
    const base = this.#begun?.base;
    if (base === undefined) throw new GitFailure('the tree was not made for this claim');
    const { paths } = this.#store;
    this.#ready(isFirst);
    const where = inTree(paths, this.#member, { signal });
    const tree = await snapshot(where, { lend: this.#lend, from: isFirst ? undefined : base });
    await this.#outputs.keep(task, tree, { signal });
    if (tree === (await treeOf(base, where))) return undefined;
    const changes = await treeChanges(base, tree, where);
    const inner = nestedRepository(changes);
    if (inner !== undefined)
      throw new NestedRepository(`${inner} is a git repository of its own, which cannot land; remove its .git`);
    const message = `${task.subject}\n\nTeams-Task: ${task.id}\nTeams-Attempt: ${task.id}.${task.claim.epoch}\nTeams-Member: ${this.#member}`;
    const commit = await commitTree({ tree, parents: [base], message }, where);
    const ref = this.#refs.attempt(task.id, task.claim.epoch);
    freeRef(paths, ref);
    await keepCommit(paths, { ref, commit, known: base }, where);
    requireGit(await git(['update-ref', this.#refs.at(this.#member), commit], where), 'git update-ref');
    return { attempt: { commit, base }, files: changes.map(({ path }) => path) };
  }

  /** What lies in the tree and is in no attempt: half done work of a claim that ended, files of a turn about mail. */
  async #keepRemains(before: string, signal: AbortSignal): Promise<void> {
    const { disk, paths, events } = this.#store;
    if (!hasTree(disk, paths, this.#member)) return;
    try {
      await again(signal, (isFirst) => this.#keepWhatLies(before, isFirst, signal));
    } catch (error) {
      if (!(error instanceof GitFailure) || signal.aborted) throw error;
      const aside = setTreeAside(disk, paths, this.#member, before);
      events.append({ type: 'tree.set_aside', member: this.#member, text: `${error.message}; ${aside}` });
    }
  }

  async #keepWhatLies(before: string, isFirst: boolean, signal: AbortSignal): Promise<void> {
    const { paths, events } = this.#store;
    this.#ready(isFirst);
    const where = inTree(paths, this.#member, { signal });
    const at = await this.#at(signal);
    const tree = await snapshot(where, { lend: this.#lend, from: isFirst ? undefined : at });
    if (at !== undefined && tree === (await treeOf(at, where))) return;
    const inner = at === undefined ? undefined : nestedRepository(await treeChanges(at, tree, where));
    if (inner !== undefined) throw new NestedRepository(`${inner} is a git repository of its own`);
    const message = `What lay in the tree of ${this.#member} before ${before}`;
    const commit = await commitTree({ tree, parents: at === undefined ? [] : [at], message }, where);
    const ref = this.#refs.left(this.#member, before);
    freeRef(paths, ref);
    await keepCommit(paths, { ref, commit, known: at ?? this.#refs.root }, where);
    requireGit(await git(['update-ref', this.#refs.at(this.#member), commit], where), 'git update-ref');
    events.append({ type: 'tree.kept', member: this.#member, text: `${ref} is ${commit}` });
  }

  /**
   * No lock of a killed git of this member's is in the way.
   *
   * @param isFirst a second try reads all files again: the index may name an object that is gone
   */
  #ready(isFirst = true): void {
    readyTree(this.#store.paths, this.#member);
    if (!isFirst) forgetIndex(this.#store.paths, this.#member);
    freeRef(this.#store.paths, this.#refs.at(this.#member));
  }

  /**
   * Keeps what lies there when its member works no more: of a process that was killed, for example.
   *
   * @throws GitFailure
   */
  keepRest(signal: AbortSignal): Promise<void> {
    return this.#keepRemains(`end-${newId(this.#store.clock.now())}`, signal);
  }

  get #lend(): readonly string[] {
    return lentIn(this.#store);
  }

  #at(signal: AbortSignal): Promise<string | undefined> {
    return commitOf(this.#refs.at(this.#member), inVault(this.#store.paths, { signal }));
  }

  async #showAgain(head: string, commit: string, signal: AbortSignal): Promise<void> {
    this.#ready();
    await snapshot(inTree(this.#store.paths, this.#member, { signal }), { lend: this.#lend });
    await this.#show(head, commit, signal);
  }

  /** @param head what its own git calls the last commit */
  async #show(head: string, commit: string, signal: AbortSignal): Promise<void> {
    const { disk, paths } = this.#store;
    const of: TreeOwner = this.#member;
    this.#ready();
    const where = inTree(paths, of, { signal });
    await become(commit, where);
    const ref = this.#refs.at(of);
    if (commit === head) requireGit(await git(['update-ref', ref, commit], where), 'git update-ref');
    else await keepCommit(paths, { ref, commit, known: head }, where);
    makeOwnGit(disk, paths, of, { commit: head, sha256: head.length === 64 });
  }
}

/** The key of an attempt in the message of the commit with which it landed. */
export const attemptKey = ({ id, claims }: Pick<LandingTask, 'id' | 'claims'>): string => `${id}.${claims}`;
