/**
 * The queue of a lead: look → judge → act, beside the loop that supervises. It merges what members submitted on top of
 * the common state, runs the gates on the result, moves the common state to exactly what they passed, and says on the
 * board what landed and what goes back (docs/isolation.md). A crash anywhere is mended by the next look: the ref is the
 * truth, the board follows it.
 */
import type { LandingTask } from '../../model/board/task.ts';
import type { Change } from '../../model/board/event.ts';
import type { Name } from '../../model/text/names.ts';
import { isTeamError } from '../../model/text/errors.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { gateSchema, type Gate, type TeamEvent } from '../../model/team/team-config.ts';
import { landingTasks } from '../../model/board/listed-tasks.ts';
import { line, next, type LineEntry, type QueueStep, type GateVerdict } from '../../policy/landing/queue.ts';
import { trespass } from '../../policy/landing/trespass.ts';
import { cwdOf } from '../../store/team/team-reader.ts';
import { behindTree, freeRef } from '../../store/team/vault.ts';
import { hashText } from '../../store/board/results.ts';
import { authorOf, type Speaker } from '../team/authentication.ts';
import { publishOutcome } from '../team/task-service.ts';
import { grantsIn } from '../lead/boundaries.ts';
import { GitFailure, requireGit } from '../process/git-tree.ts';
import { git, type GitWhere } from '../process/git.ts';
import { Waker } from '../process/waker.ts';
import {
  commitOf,
  commitTree,
  inVault,
  keepCommit,
  mergeTrees,
  treeOf,
  VaultRefs,
  type VaultGit,
} from '../trees/vault.ts';
import { attemptKey, MemberTree, showCommit } from '../trees/member-tree.ts';
import { runGates, type GateSession } from './gates.ts';
import { mirror } from './mirror.ts';

export interface LandingSession extends GateSession {
  readonly speaker: Speaker & { kind: 'lead' };
  tell(event: Omit<TeamEvent, 'at'> & { type: string }): void;
  /** Whether a process of this member runs. */
  isRunning(name: Name): boolean;
}

/** Changes that are judged together, at the beginning and at most. */
const BATCH = 8;
const LARGEST_BATCH = 16;
/** After an error of git or of the disk. */
const PATIENCE_MS = 2_000;
/** The copy in the project's repository is made at most this often. */
const MIRROR_MS = 5_000;
/** How long the last copy is tried, and the pause between two tries. */
const LAST_MIRROR_MS = 20_000;
const MIRROR_PAUSE_MS = 250;

interface Judged extends GateVerdict {
  readonly gates: readonly Gate[];
}

export class LandingQueue {
  readonly #session: LandingSession;
  readonly #plan: Plan;
  readonly #refs: VaultRefs;
  readonly #stop = new AbortController();
  readonly #waker: Waker;
  readonly #verdicts = new Map<string, Judged>();
  /** By the two commits that they merge. */
  readonly #merges = new Map<string, LineEntry>();
  readonly #gatesHash: string;
  #batch = BATCH;
  #mirrored = { at: Number.NEGATIVE_INFINITY, refs: '' };
  #running: Promise<void> = Promise.resolve();
  #lastTrouble = '';

  constructor(session: LandingSession, plan: Plan) {
    const { store, gates } = session;
    this.#session = session;
    this.#plan = plan;
    this.#refs = new VaultRefs(store);
    this.#waker = new Waker(store, [store.paths.log], this.#stop.signal);
    this.#gatesHash = hashText(JSON.stringify([plan.gates.build, plan.gates.test, plan.gates.lint, gates]));
  }

  /** Goes on until it is closed. */
  start(): void {
    this.#recall();
    this.#running = this.#run();
  }

  /** Ends the present step; nothing lands any more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Copies what is kept into the project's repository; call it when no member works any more. */
  async close(): Promise<void> {
    await this.stop();
    this.#waker.close();
    const { signal } = new AbortController();
    await this.#keepRests(signal);
    // The user's own git may hold a ref for a moment, and no later copy makes up for this one.
    const { clock } = this.#session.store;
    const deadline = clock.monotonic() + LAST_MIRROR_MS;
    let trouble = await this.#mirror(signal, true);
    while (trouble !== undefined && clock.monotonic() < deadline) {
      await clock.sleep(MIRROR_PAUSE_MS);
      trouble = await this.#mirror(signal, true);
    }
    if (trouble !== undefined) this.#session.tell({ type: 'landing.failed', text: trouble });
  }

  /** A killed member may have left work that no claim of it keeps any more. */
  async #keepRests(signal: AbortSignal): Promise<void> {
    const { store } = this.#session;
    for (const { name } of store.board.board.members.values()) {
      try {
        if (!this.#session.isRunning(name)) await new MemberTree(store, name).keepRest(signal);
      } catch (error) {
        if (!(error instanceof GitFailure) && !isTeamError(error)) throw error;
        this.#session.tell({ type: 'landing.failed', member: name, text: error.message });
      }
    }
  }

  /** The gates on the common state; run again only if nobody has judged it. */
  async judgeMain(): Promise<readonly Gate[]> {
    const { signal } = this.#stop;
    const main = await this.#asLead(
      (how) => commitOf(this.#refs.main, inVault(this.#session.store.paths, how)),
      signal,
    );
    if (main === undefined) return [];
    const { paths } = this.#session.store;
    const tree = await this.#asLead((how) => treeOf(main, inVault(paths, how)), signal);
    const known = this.#verdicts.get(tree);
    if (known !== undefined) return known.gates;
    return this.#gate(main, tree, signal);
  }

  async #run(): Promise<void> {
    const { clock } = this.#session.store;
    const { signal } = this.#stop;
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      try {
        if (await this.#step(signal)) continue;
        await this.#mirror(signal, false);
        this.#lastTrouble = '';
        await this.#waker.wait();
      } catch (error) {
        if (isOver()) return;
        if (!(error instanceof GitFailure) && !isTeamError(error)) throw error;
        // Told once, not at each try.
        if (error.message !== this.#lastTrouble) this.#session.tell({ type: 'landing.failed', text: error.message });
        this.#lastTrouble = error.message;
        await clock.sleep(PATIENCE_MS, signal);
      }
    }
  }

  /** @returns whether there was something to do */
  async #step(signal: AbortSignal): Promise<boolean> {
    const { store } = this.#session;
    const board = store.board.fold();
    if (board.lead.epoch !== this.#session.speaker.epoch || board.phase === 'paused') return false;
    if (landingTasks(board).length === 0) return false;
    return this.#asLead(async (how) => {
      const own = inVault(store.paths, how);
      // No git of this lead runs now.
      freeRef(store.paths, this.#refs.main);
      const main = await commitOf(this.#refs.main, own);
      if (main === undefined) throw new GitFailure('the team has no common state');
      const landed = await this.#landedIn(main, own);
      const mended = landingTasks(board).find((task) => landed.has(attemptKey(task)));
      if (mended !== undefined) {
        await this.#say({
          type: 'task.landed',
          task: mended.id,
          epoch: mended.claims,
          commit: landed.get(attemptKey(mended)) ?? main,
        });
        return true;
      }
      const stack = await this.#stack(line(board, this.#batch), main, own);
      return this.#act(next(stack, this.#verdicts), { main, stack, how, own }, signal);
    }, signal);
  }

  async #act(
    step: QueueStep,
    { main, stack, how, own }: { main: string; stack: readonly LineEntry[]; how: VaultGit; own: GitWhere },
    signal: AbortSignal,
  ): Promise<boolean> {
    switch (step.do) {
      case 'wait':
        return false;
      case 'gate': {
        const { tree, commit } = step.upTo;
        const gates = await this.#gate(commit, tree, signal);
        const isGreen = gates.every(({ result }) => result !== 'fail');
        this.#batch = isGreen ? Math.min(LARGEST_BATCH, this.#batch * 2) : Math.max(1, Math.floor(this.#batch / 2));
        return true;
      }
      case 'land': {
        requireGit(await git(['update-ref', this.#refs.main, step.upTo.commit, main], own), 'git update-ref');
        const landed = stack.slice(0, stack.indexOf(step.upTo) + 1);
        for (const entry of landed)
          if (entry.kind === 'stacked')
            await this.#say({
              type: 'task.landed',
              task: entry.task.id,
              epoch: entry.task.claims,
              commit: entry.commit,
            });
        this.#merges.clear();
        await this.#mirror(how.signal, false);
        return true;
      }
      case 'bounce': {
        const { entry, cause, why, files } = step;
        const { id, claims } = entry.task;
        await this.#say({
          type: 'task.bounced',
          task: id,
          epoch: claims,
          cause,
          why: why.slice(0, 4_096),
          files: files.slice(0, 1_000),
        });
        return true;
      }
    }
  }

  async #say(change: Change): Promise<void> {
    const { store, speaker } = this.#session;
    const { outcome } = store.board.append(authorOf(speaker), () => change);
    if (outcome.ok) return publishOutcome(store, outcome, speaker);
    this.#session.tell({ type: 'lead.overtaken', text: outcome.why });
  }

  /** The changes one on top of the other. What does not fit is left out of what follows. */
  async #stack(tasks: readonly LandingTask[], main: string, own: GitWhere): Promise<LineEntry[]> {
    const stack: LineEntry[] = [];
    let top = main;
    for (const task of tasks) {
      const key = `${top} ${task.attempt.commit}`;
      const entry = this.#merges.get(key) ?? (await this.#merged(task, top, top === main, own));
      this.#merges.set(key, entry);
      stack.push({ ...entry, task });
      if (entry.kind === 'stacked') top = entry.commit;
    }
    return stack;
  }

  async #merged(task: LandingTask, top: string, isOnMain: boolean, own: GitWhere): Promise<LineEntry> {
    const strays = this.#straysOf(task);
    const { files } = task.result;
    if (strays.length > 0)
      return {
        kind: 'stray',
        task,
        files,
        why: `${strays.join(', ')} ${strays.length === 1 ? 'is' : 'are'} not among the files of the task: put it back, or ask the lead for it (boundary)`,
      };
    const { tree, conflicts, said } = await mergeTrees(top, task.attempt.commit, own);
    if (conflicts.length > 0)
      return {
        kind: 'conflict',
        task,
        files,
        onMain: isOnMain,
        why: `it conflicts with what landed meanwhile in ${conflicts.join(', ')}${said.length > 0 ? ` (${said.join('; ')})` : ''}`,
      };
    const date = requireGit(await git(['show', '-s', '--format=%ct', task.attempt.commit], own), 'git show');
    const message = `${task.subject}\n\nTeams-Task: ${task.id}\nTeams-Attempt: ${attemptKey(task)}\nTeams-Member: ${task.by.member}`;
    const commit = await commitTree({ tree, parents: [top, task.attempt.commit], message, date }, own);
    const ref = `${this.#refs.all}candidates/${attemptKey(task)}`;
    freeRef(this.#session.store.paths, ref);
    await keepCommit(this.#session.store.paths, { ref, commit, known: top }, own);
    return { kind: 'stacked', task, tree, commit };
  }

  #straysOf({ id, by, work, result }: LandingTask): string[] {
    if (this.#plan.gates.ownership !== true) return [];
    const { store } = this.#session;
    const granted = grantsIn(store).flatMap(({ member, files }) => (member === by.member ? files : []));
    const own = [...work.files, ...(work.artifact === undefined ? [] : [work.artifact])];
    const others = [...store.board.board.tasks.values()].flatMap((task) => (task.id === id ? [] : task.work.files));
    return trespass({ changed: result.files, own, granted, others });
  }

  /** Attempts that landed, by their key: the commit of each. */
  async #landedIn(main: string, own: GitWhere): Promise<Map<string, string>> {
    const format = '--format=%H %(trailers:key=Teams-Attempt,valueonly,separator=%x2C)';
    const listed = requireGit(
      await git(['log', '--first-parent', format, `${this.#refs.root}..${main}`], own),
      'git log',
    );
    return new Map(
      listed.split('\n').flatMap((row): [string, string][] => {
        const [commit = '', key = ''] = row.split(' ');
        return key === '' ? [] : [[key, commit]];
      }),
    );
  }

  /** Runs the gates on a state and keeps the verdict, by its tree. */
  async #gate(commit: string, tree: string, signal: AbortSignal): Promise<readonly Gate[]> {
    const { store } = this.#session;
    const { build, test, lint } = this.#plan.gates;
    if (build === undefined && test === undefined && lint === undefined) {
      this.#learn(tree, [], '');
      return [];
    }
    await this.#asLead((how) => showCommit(store, '.queue', commit, how), signal);
    const shown = { at: cwdOf(store), behind: behindTree(store.disk, store.paths) };
    const { children, gates: settings, isolation, lend } = this.#session;
    const place = { store, children, gates: settings, isolation, lend, shown };
    const gates = await runGates(this.#plan, place, store.paths.tree('.queue'), signal);
    // A gate that was ended with the lead says nothing.
    if (signal.aborted) throw new GitFailure('the gates were ended');
    const red = gates.filter(({ result }) => result === 'fail');
    const why = red.map(({ name, notes = '' }) => `gate ${name}: ${notes}`).join('; ');
    this.#learn(tree, gates, why);
    this.#session.tell({
      type: 'landing.gated',
      tree,
      gates,
      gatesHash: this.#gatesHash,
      text: why === '' ? 'green' : why,
    });
    return gates;
  }

  #learn(tree: string, gates: readonly Gate[], why: string): void {
    const red = this.#verdicts.get(tree)?.red ?? 0;
    this.#verdicts.set(tree, { ok: why === '', red: why === '' ? red : red + 1, why, gates });
  }

  /** Verdicts of an earlier lead of this team, with the same gates. */
  #recall(): void {
    for (const { event } of this.#session.store.events.read(0)) {
      if (event.type !== 'landing.gated' || event['gatesHash'] !== this.#gatesHash) continue;
      const gates = gateSchema.array().safeParse(event['gates']);
      const tree = event['tree'];
      if (gates.success && typeof tree === 'string')
        this.#learn(tree, gates.data, event.text === 'green' ? '' : (event.text ?? 'red'));
    }
  }

  async #mirror(signal: AbortSignal, isLast: boolean): Promise<string | undefined> {
    const { store } = this.#session;
    const now = store.clock.monotonic();
    if (!isLast && now - this.#mirrored.at < MIRROR_MS) return undefined;
    return this.#asLead(async (how) => {
      const own = inVault(store.paths, how);
      const refs = requireGit(
        await git(['for-each-ref', '--format=%(refname) %(objectname)', this.#refs.all], own),
        'git for-each-ref',
      );
      if (refs === this.#mirrored.refs) return undefined;
      const trouble = await mirror(store, this.#refs.all, how);
      this.#mirrored = { at: now, refs: trouble === undefined ? refs : '' };
      return trouble;
    }, signal);
  }

  #asLead<T>(work: (how: VaultGit) => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#session.children.run((marker) => work({ signal, marker }));
  }
}
