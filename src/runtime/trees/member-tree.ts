/**
 * A member's own tree: at each claim it becomes the common state, and what the member makes of it is kept as an attempt.
 * Nothing in it is overwritten or removed that is not kept before.
 */
import type { SharedCommit } from '../../model/board/shared-commit.ts';
import type { LandingTask, Attempt, ClaimedTask } from '../../model/board/task.ts';
import type { Name } from '../../model/text/names.ts';
import { cwdOf } from '../../store/team/team-reader.ts';
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
} from '../../store/trees/vault.ts';
import { lendTo, lentIn, setUp, type TreeUse } from './tree-needs.ts';
import { changeMessage } from './change-message.ts';
import { TreeOutputs } from './tree-outputs.ts';
import type { TreeOwner } from '../../store/files/paths.ts';
import { everyChange, GitFailure, LateGit, withoutRepositories, type EveryChange } from '../process/git-tree.ts';
import type { GitWhere } from '../process/git.ts';
import { become, nestedRepository, snapshot } from './tree-snapshot.ts';
import { keepCommit } from './kept-objects.ts';
import { mergeTrees } from './merge.ts';
import { fetchCommit, shareCommit } from './shared-commits.ts';
import { inTree, inVault, VaultRefs } from './vault.ts';
import { commitOf, commitTree, isKnownTree, treeOf } from './vault-commits.ts';

/** A change that a member made: absent if its tree is as it began. */
export interface KeptChange {
  readonly attempt: Attempt;
  /** Relative to the working directory. */
  readonly files: readonly string[];
}

/** What lies in a tree. */
interface TreeLook {
  readonly tree: string;
  /** A commit of it; undefined if it is as it was. */
  readonly commit: string | undefined;
  /** How it differs from the commit before it; undefined if there is none. */
  readonly change: EveryChange | undefined;
}

/** Waits for both, also if one fails: a git that goes on would meet the next try. */
async function both<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
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
      const isPassing = error instanceof GitFailure && !(error instanceof NestedRepository || error instanceof LateGit);
      if (!isPassing || left === 0 || signal.aborted) throw error;
      await realClock.sleep(TRY_AGAIN_MS, signal);
    }
}

export class MemberTree {
  readonly #store: TeamStore;
  readonly #member: Name;
  readonly #project: string;
  readonly #refs: VaultRefs;
  readonly #outputs: TreeOutputs;
  /** The claim that it was made for, and the state that it began from. */
  #begun: { readonly claim: string; readonly base: string } | undefined;
  /** The state of a team in a store that this machine has, with all of its objects. */
  #common: SharedCommit | undefined;
  /** Repositories in the index as it is now, to be left out; unknown after any trouble. */
  #without: readonly string[] | undefined;

  /** @param project where its files lie on this machine */
  constructor(store: TeamStore, member: Name, project = cwdOf(store)) {
    this.#store = store;
    this.#member = member;
    this.#project = project;
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
    const main = await this.#main(signal);
    if (hasTree(disk, paths, this.#member) && (await this.#at(signal)) !== undefined) return;
    await this.#show(main, main, signal);
  }

  /** The common state, as this machine has it then. @throws GitFailure; StoreError `ENGINE_UNREACHABLE` */
  async #main(signal: AbortSignal): Promise<string> {
    const { board, disk, isShared, paths } = this.#store;
    const { common } = board.fold();
    if (isShared && common !== undefined) {
      await fetchCommit(this.#store, common, { signal });
      this.#common = common;
    }
    if (!hasVault(disk, paths)) throw new GitFailure(`team ${paths.name} has no trees yet: \`teams run\` makes them`);
    const main = isShared ? common?.commit : await commitOf(this.#refs.main, inVault(paths, { signal }));
    if (main === undefined) throw new GitFailure(`team ${paths.name} has no common state`);
    return main;
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
    const main = await again(signal, () => this.#main(signal));
    const own = inVault(this.#store.paths, { signal });
    // By its tree the end of the attempt knows whether something changed.
    await both(
      again(signal, () => treeOf(main, own)),
      this.#keepRemains(claim, signal),
    );
    const begins = await again(signal, () => this.#begins(task, main, own));
    await again(signal, () => this.#show(main, begins, signal));
    await lendTo(this.#store, this.#member, { project: this.#project, isMounted: use.isMounted }, signal);
    // What it changed of files that git does not ignore is no change of the member.
    if (await setUp(this.#store, this.#member, use.run))
      await again(signal, () => this.#showAgain(main, begins, signal));
    await this.#outputs.bring(task, { signal });
    this.#begun = { claim, base: main };
  }

  /** A command is just run again; an agent goes on with its own change, where it conflicts with marks, if git can read it. */
  async #begins({ bounced, work }: ClaimedTask, main: string, own: GitWhere): Promise<string> {
    if (bounced === undefined || bounced.cause === 'unreadable' || work.run !== undefined) return main;
    const { commit, bundle } = bounced.attempt;
    if (bundle !== undefined) await fetchCommit(this.#store, { commit, bundle }, own);
    const { tree } = await mergeTrees(main, commit, own);
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
    const { id, subject, claim } = task;
    const message = changeMessage({ subject, task: id, attempt: `${id}.${claim.epoch}`, member: this.#member });
    const look = await this.#look({ from: base, isFirst, message }, where);
    await this.#outputs.keep(task, look.tree, { signal });
    const { commit, change } = look;
    if (commit === undefined || change === undefined) return undefined;
    const inner = nestedRepository(change.files);
    if (inner !== undefined)
      throw new NestedRepository(`${inner} is a git repository of its own, which cannot land; remove its .git`);
    await this.#keepAs(this.#refs.attempt(task.id, task.claim.epoch), { ...look, commit, known: base }, where);
    const files = change.files.map(({ path }) => path);
    if (!this.#store.isShared) return { attempt: { commit, base }, files };
    const { bundle } = await shareCommit(this.#store, { commit, on: this.#common }, inVault(paths, { signal }));
    return { attempt: { commit, base, bundle }, files };
  }

  /** Commits what lies in the tree, on another commit. */
  async #look(
    { from, isFirst, message }: { from: string | undefined; isFirst: boolean; message: string },
    where: GitWhere,
  ): Promise<TreeLook> {
    const without = isFirst ? this.#without : undefined;
    this.#without = undefined;
    const read = { lend: this.#lend, from: isFirst ? undefined : from, without };
    const tree = await snapshot(where, read).catch((error: unknown) => {
      // Its git was killed with its isolation, and left its lock.
      if (error instanceof LateGit) readyTree(this.#store.paths, this.#member);
      throw error;
    });
    if (from === undefined)
      return { tree, commit: commitTree({ tree, parents: [], message }, where), change: undefined };
    if (isKnownTree(from, tree)) {
      this.#without = without;
      return { tree, commit: undefined, change: undefined };
    }
    const change = await everyChange(from, tree, where);
    const commit = change.files.length === 0 ? undefined : commitTree({ tree, parents: [from], message }, where);
    if (nestedRepository(change.files) === undefined) this.#without = without;
    return { tree, commit, change };
  }

  /** Keeps a commit under a name, and as what the tree is. */
  async #keepAs(
    ref: string,
    { tree, commit, change, known }: TreeLook & { commit: string; known: string },
    where: GitWhere,
  ): Promise<void> {
    const { paths } = this.#store;
    freeRef(paths, ref);
    const objects = change && [commit, tree, ...change.objects];
    await keepCommit(paths, { refs: [ref, this.#refs.at(this.#member)], commit, known, objects }, where);
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
    const message = `What lay in the tree of ${this.#member} before ${before}`;
    const look = await this.#look({ from: at, isFirst, message }, where);
    const { commit, change } = look;
    if (commit === undefined) return;
    const inner = change && nestedRepository(change.files);
    if (inner !== undefined) throw new NestedRepository(`${inner} is a git repository of its own`);
    const ref = this.#refs.left(this.#member, before);
    await this.#keepAs(ref, { ...look, commit, known: at ?? this.#refs.root }, where);
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
    const refs = [this.#refs.at(of)];
    // What a commit that landed has was looked at.
    const objects = commit === head ? [] : undefined;
    const kept = keepCommit(paths, { refs, commit, known: head, objects }, where);
    [this.#without] = await both(withoutRepositories(where), kept);
    makeOwnGit(disk, paths, of, { commit: head, sha256: head.length === 64 });
  }
}

/** The key of an attempt in the message of the commit with which it landed. */
export const attemptKey = ({ id, claims }: Pick<LandingTask, 'id' | 'claims'>): string => `${id}.${claims}`;
