/** The changes that wait, merged one on top of the other on the common state, and what landed in it before. */
import { shownPath } from '../../model/text/safe-text.ts';
import { MOST_NAMED_FILES, type LandingTask } from '../../model/board/task.ts';
import type { LineEntry, Stacked } from '../../policy/landing/queue.ts';
import { trespass } from '../../policy/landing/trespass.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { grantsIn } from '../lead/boundaries.ts';
import { GitFailure, requireGit, treeChanges } from '../process/git-tree.ts';
import { git, type GitWhere } from '../process/git.ts';
import { changeMessage } from '../trees/change-message.ts';
import { markedFiles } from '../trees/conflict-marks.ts';
import { attemptKey } from '../trees/member-tree.ts';
import type { GatedPlan } from './gates.ts';
import { holdObjects } from '../trees/kept-objects.ts';
import { mergeCommit } from '../trees/merge.ts';
import { fetchCommit } from '../trees/shared-commits.ts';
import { VaultRefs } from '../trees/vault.ts';

export class LandingStack {
  readonly #store: TeamStore;
  readonly #plan: GatedPlan;
  readonly #refs: VaultRefs;
  /** By the two commits that they merge. */
  readonly #merges = new Map<string, LineEntry>();
  #landed: { readonly main: string; readonly commits: ReadonlyMap<string, string> } | undefined;

  constructor(store: TeamStore, plan: GatedPlan) {
    this.#store = store;
    this.#plan = plan;
    this.#refs = new VaultRefs(store);
  }

  /** The common state moved on by these changes: merges on the one before are forgotten. */
  moved(before: string, main: string, landed: readonly Stacked[]): void {
    this.#merges.clear();
    if (this.#landed?.main !== before) return;
    const commits = new Map(this.#landed.commits);
    for (const { task, commit } of landed) commits.set(attemptKey(task), commit);
    this.#landed = { main, commits };
  }

  /** A merge that was made may be what git fails on. */
  forget(): void {
    this.#merges.clear();
  }

  /** What does not fit is left out of what follows. @throws GitFailure */
  async on(main: string, tasks: readonly LandingTask[], own: GitWhere): Promise<LineEntry[]> {
    const stack: LineEntry[] = [];
    let top = main;
    for (const task of tasks) {
      const key = `${top} ${task.attempt.commit}`;
      const entry = this.#merges.get(key) ?? (await this.#merged(task, top, top === main, own));
      if (entry.kind !== 'failed') this.#merges.set(key, entry);
      stack.push({ ...entry, task });
      if (entry.kind === 'stacked') top = entry.commit;
    }
    return stack;
  }

  /** Others do not wait for a change that git fails on. */
  async #merged(task: LandingTask, top: string, isOnMain: boolean, own: GitWhere): Promise<LineEntry> {
    try {
      return await this.#merge(task, top, isOnMain, own);
    } catch (error) {
      if (!(error instanceof GitFailure) || own.signal.aborted) throw error;
      return { kind: 'failed', task, why: error.message };
    }
  }

  async #merge(task: LandingTask, top: string, isOnMain: boolean, own: GitWhere): Promise<LineEntry> {
    const { attempt } = task;
    if (attempt.bundle !== undefined)
      await fetchCommit(this.#store, { commit: attempt.commit, bundle: attempt.bundle }, own);
    const { files } = task.result;
    const named = this.#straysOf(task, files);
    if (named.length > 0) return stray(task, named);
    // Only an agent whose change came back has marks in its tree.
    const marked = task.bounced === undefined ? [] : await markedFiles(task.attempt, own);
    if (marked.length > 0)
      return {
        kind: 'conflict',
        task,
        files,
        onMain: true,
        why: `marks of a conflict are still in ${marked.join(', ')}: resolve them`,
      };
    // Of the change, so that the same merge made again is the same commit.
    const date = String(Math.floor(Date.parse(task.submitted_at) / 1_000));
    const { id, subject, by } = task;
    const message = changeMessage({ subject, task: id, attempt: attemptKey(task), member: by.member });
    const merged = await mergeCommit(top, task.attempt.commit, { message, date }, own);
    if ('conflicts' in merged) {
      const { conflicts, said } = merged;
      return {
        kind: 'conflict',
        task,
        files,
        onMain: isOnMain,
        why: `it conflicts with what landed meanwhile in ${conflicts.join(', ')}${said.length > 0 ? ` (${said.join('; ')})` : ''}`,
      };
    }
    const { tree, commit, objects } = merged;
    const unnamed = await this.#unnamedStrays(task, { top, tree }, own);
    if (unnamed.length > 0) return stray(task, unnamed);
    await holdObjects(this.#store.paths, { commit, known: top, objects }, own);
    return { kind: 'stacked', task, tree, commit };
  }

  /**
   * Strays that the record of the change does not name, by what would land: its member may run on another machine, and
   * what that says is no proof.
   */
  async #unnamedStrays(
    task: LandingTask,
    { top, tree }: { readonly top: string; readonly tree: string },
    own: GitWhere,
  ): Promise<string[]> {
    const isComplete = !this.#store.isShared && task.result.files.length < MOST_NAMED_FILES;
    if (isComplete || this.#plan.gates.ownership !== true) return [];
    const landing = await treeChanges(top, tree, own);
    return this.#straysOf(
      task,
      landing.map(({ path }) => path),
    );
  }

  #straysOf({ id, by, work }: LandingTask, changed: readonly string[]): string[] {
    if (this.#plan.gates.ownership !== true) return [];
    const store = this.#store;
    const granted = grantsIn(store).flatMap(({ member, files }) => (member === by.member ? files : []));
    const own = [...work.files, ...(work.artifact === undefined ? [] : [work.artifact])];
    const others = [...store.board.board.tasks.values()].flatMap((task) => (task.id === id ? [] : task.work.files));
    return trespass({ changed, own, granted, others });
  }

  /** Attempts that landed, by their key: the commit of each. */
  async landedIn(main: string, own: GitWhere): Promise<ReadonlyMap<string, string>> {
    if (main === this.#landed?.main) return this.#landed.commits;
    const before = this.#landed;
    const rows = await this.#log(`${before?.main ?? this.#refs.root}..${main}`, own);
    // Only what stands on the state that was looked at last continues its list.
    const isOnIt = before === undefined || rows.at(-1)?.parent === before.main;
    const fresh = isOnIt ? rows : await this.#log(`${this.#refs.root}..${main}`, own);
    const commits = new Map(isOnIt ? before?.commits : []);
    for (const { key, commit } of fresh) if (key !== '') commits.set(key, commit);
    this.#landed = { main, commits };
    return commits;
  }

  async #log(range: string, own: GitWhere): Promise<{ commit: string; parent: string; key: string }[]> {
    const format = '--format=%H,%P,%(trailers:key=Teams-Attempt,valueonly,separator=%x2C)';
    const listed = requireGit(await git(['log', '--first-parent', format, range], own), 'git log');
    return listed.split('\n').flatMap((row) => {
      const [commit = '', parents = '', key = ''] = row.split(',');
      return commit === '' ? [] : [{ commit, parent: parents.split(' ')[0] ?? '', key }];
    });
  }
}

function stray(task: LandingTask, strays: readonly string[]): LineEntry {
  const files = [...new Set([...task.result.files, ...strays])];
  const why = `${strays.map(shownPath).join(', ')} ${strays.length === 1 ? 'is' : 'are'} not among the files of the task: put it back, or ask the lead for it (boundary)`;
  return { kind: 'stray', task, files, why };
}
