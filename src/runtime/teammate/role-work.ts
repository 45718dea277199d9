/**
 * How a role works (docs/specification.md R10.6): Phases 2 to 4 of each task, one turn for each; Phase 5-L after a
 * task; Phase 5-F at the end. It reads what is done from the board, so that the next process of the role continues it.
 */
import { ownsPrefix } from '../../model/board/board.ts';
import { pendingTasks } from '../../model/board/listed-tasks.ts';
import type { Message } from '../../model/team/message.ts';
import { LEAD } from '../../model/text/names.ts';
import { holdOn } from '../../model/board/request.ts';
import type { RoleSpec } from '../../model/pipeline/role-spec.ts';
import type { ClaimedTask, Task } from '../../model/board/task.ts';
import { needsFix, NEEDS_FIX } from '../../policy/pipeline/fix-loop.ts';
import { improvementsIn } from '../../policy/pipeline/improvement.ts';
import { PHASE_5, loopVariantOf, type Variant } from '../../policy/pipeline/role-progress.ts';
import * as wording from '../../policy/pipeline/role-wording.ts';
import type { Summary } from '../../policy/pipeline/role-wording.ts';
import { mailBlock } from '../team/prompts.ts';
import { artifactPath } from './artifact-place.ts';
import { artifactExists, keepAnswer, missingDocuments } from './role-artifact.ts';
import type { Role } from './load-role.ts';
import { FINAL_REPORT, textsIn, REPORTED } from '../lead/role-reports.ts';
import { codeOf, RoleSession } from './role-session.ts';
import { cwdOf } from '../../store/team/team-reader.ts';
import type { TaskAttempt } from './runner.ts';
import type { MemberSession } from '../team/member-session.ts';
import type { RunTaskTurn, CarryOut } from './runner-environment.ts';
import { ENV } from '../../model/text/environment.ts';

interface PhaseEnd {
  readonly phase: number;
  readonly text: string;
  /** A subagent made it, in a conversation of its own. */
  readonly isDrafted: boolean;
}

type Phase = RoleSpec['phases'][number];

interface PhaseTurn {
  readonly end: Awaited<ReturnType<RunTaskTurn>>;
  readonly isDrafted: boolean;
}

/** What a turn needs besides its phase. */
interface Around {
  readonly opening: string;
  readonly unread: string;
  readonly hold: RunTaskTurn;
}

export class RoleWork {
  readonly #self: MemberSession;
  readonly #role: Role;
  readonly #session: RoleSession;
  readonly #reported = new Set<string>();
  readonly #failed: { task: string; why: string }[] = [];
  #errors = 0;
  /** The phases of the present claim that have ended; a claim that waits for an answer continues from them. */
  #progress: { claim: string; ends: PhaseEnd[] } = { claim: '', ends: [] };
  #variant: Variant = '5-L';

  constructor(self: MemberSession, role: Role, signal: AbortSignal) {
    this.#self = self;
    this.#role = role;
    this.#session = new RoleSession(self, role, signal);
    for (const { event } of self.store.events.read())
      if (event.type === REPORTED && event.member === self.name)
        for (const id of textsIn(event['tasks'])) this.#reported.add(id);
  }

  get #place(): { store: MemberSession['store']; cwd: string } {
    return { store: this.#self.store, cwd: this.#role.cwd };
  }

  async close(): Promise<void> {
    await this.#session.close();
  }

  /** Whether it begins nothing more in this process; a change that came back is nothing new. */
  get isOver(): boolean {
    if (this.#variant === '5-F') return !this.#own().some((task) => task.status === 'pending' && task.bounced);
    return this.#variant !== '5-L';
  }

  /** Whether a change of its own waits to land: its report comes after that. */
  get isLanding(): boolean {
    return this.#own().some(({ status }) => status === 'landing');
  }

  #own(): Task[] {
    const { store, name } = this.#self;
    return [...store.board.board.tasks.values()].filter(({ owner }) => owner === name);
  }

  readonly carryOut: CarryOut = async (task, mail, hold) => {
    const { fix } = this.#role.spec.messageTypes;
    const { artifact } = task.work;
    if (await this.#asksForDocuments(task)) return { end: { kind: 'answered', text: '' } };
    // A claim that this process has worked on before (an answer came, or a hook refused) continues where it was.
    const isNew = this.#progress.claim !== claimOf(task);
    if (isNew && artifact !== undefined && artifactExists(this.#place, task, artifact, this.#role.spec.artifactCheck)) {
      this.#note('role.resumed', task, `[${this.#role.fields.role}] ${artifact} is complete and is not made again.`);
      if (!hasLastWord(task)) return this.#discussed(task, `${artifact} was already complete.`);
      const before = this.#role.spec.phases.filter(({ phase }) => phase < 4);
      const ends = before.map(({ phase }) => ({
        phase,
        text: `This phase is done; its result is ${artifact}.`,
        isDrafted: false,
      }));
      this.#progress = { claim: claimOf(task), ends };
    }
    const end = await this.#phases(task, mail, hold);
    // A question ends the turns early; the rest follows after the answer.
    if (end.kind !== 'answered' || this.#progress.ends.length < this.#role.spec.phases.length) return { end };
    if (fix !== undefined && needsFix(end.text)) return this.#discussed(task, end.text, { verdict: NEEDS_FIX });
    const found = '_fix' in task.metadata ? improvementsIn(end.text) : [];
    return this.#discussed(task, end.text, found.length > 0 ? { improvements: found } : {});
  };

  /**
   * Asks the lead about documents of earlier tasks that are missing; the same ones only once.
   *
   * @returns whether the answer is awaited
   */
  async #asksForDocuments(task: ClaimedTask): Promise<boolean> {
    const missing = missingDocuments(this.#place, task);
    if (missing.length === 0) return false;
    const text = wording.asksForDocuments(this.#role.fields.role, codeOf(task), missing);
    const requests = [...this.#self.store.board.fold().requests.values()];
    const before = requests.find((request) => request.task === task.id && request.text === text);
    if (before !== undefined) return before.state === 'open';
    return this.#self.tellLead(text, { kind: 'question', task_id: task.id });
  }

  /** Discusses the artifact before the task ends; what follows from it is part of the completion record. */
  async #discussed(
    task: ClaimedTask,
    text: string,
    metadata: Readonly<Record<string, string | string[]>> = {},
  ): ReturnType<CarryOut> {
    const discussed = await this.#session.discuss(task);
    if (discussed === undefined) return { end: { kind: 'aborted' } };
    return { end: { kind: 'answered', text }, ...discussed, metadata: { ...discussed.metadata, ...metadata } };
  }

  /** Phase 5 of one task: logs and accumulates it, and decides what follows. */
  async ended({ task, verdict }: TaskAttempt): Promise<void> {
    const { role } = this.#role.fields;
    const { messageTypes, innerLoop } = this.#role.spec;
    const code = codeOf(task);
    if (verdict.do === 'fail') {
      this.#errors += 1;
      this.#failed.push({ task: code, why: verdict.why });
      await this.#session.log(messageTypes.error, task, wording.busFailed(role, code, verdict.why));
    } else if (verdict.do === 'complete') {
      const isFaulty = this.#self.store.board.board.tasks.get(task.id)?.metadata['verdict'] === NEEDS_FIX;
      const type = isFaulty ? (messageTypes.fix ?? messageTypes.success) : messageTypes.success;
      await this.#session.log(type, task, wording.busCompleted(role, code, verdict.text));
    } else return;
    const board = this.#self.store.board.fold();
    const member = board.members.get(this.#self.name);
    const isOwn = ({ owner, subject }: Task): boolean =>
      owner === undefined ? member !== undefined && ownsPrefix(board, member, subject) : owner === this.#self.name;
    const pending = [...pendingTasks(board)].filter(isOwn).length;
    const loops = innerLoop || verdict.do === 'fail';
    const isBlocked = holdOn(board, task.id) !== undefined;
    this.#variant = loopVariantOf({ innerLoop: loops, pending, errors: this.#errors, isBlocked });
  }

  /** Phase 5-F: reports everything that is not reported yet in one mail, or that there was nothing to do. */
  async conclude(): Promise<void> {
    const { role } = this.#role.fields;
    const holds = await this.#session.tellHolds();
    const done = this.#finished().filter(({ id }) => !this.#reported.has(id));
    const blocked = done.find(({ id }) => holds.some((hold) => hold.task === id));
    const why = blocked ? `no consensus on ${codeOf(blocked)}` : `${this.#errors} errors`;
    const isInterrupted = this.#variant === 'interrupt' || blocked !== undefined;
    if (done.length === 0 && this.#failed.length === 0) {
      await this.#self.tellLead(wording.noTasks(role), { kind: 'idle' });
      return;
    }
    const text = wording.finalReport(role, {
      done: done.map((task) => this.#summaryOf(task)),
      failed: this.#failed,
      ...(isInterrupted ? { interrupted: why } : {}),
    });
    await this.#deliver(text, done, { isInterrupted, isBlocked: blocked !== undefined });
  }

  /** The mail id is made of the reported tasks: sent again after a crash it is the same mail. */
  async #deliver(
    text: string,
    done: readonly Task[],
    end: { isInterrupted: boolean; isBlocked: boolean },
  ): Promise<void> {
    const { store, name } = this.#self;
    const tasks = done.map(({ id }) => id);
    const last = done.at(-1);
    const { isInterrupted: interrupted, isBlocked: blocked } = end;
    const asks = !interrupted && PHASE_5[this.#variant === '5-L' ? '5-F' : this.#variant].fastAdvances;
    const delivered = await this.#self.tellLead(text, {
      kind: FINAL_REPORT,
      data: { tasks, interrupted, blocked, loops: this.#role.spec.innerLoop, fast_advance: asks },
      id: last && `${FINAL_REPORT}:${last.id}.${last.claims}:${LEAD}`,
    });
    if (delivered) store.events.append({ type: REPORTED, member: name, tasks });
  }

  async #phases(
    task: ClaimedTask,
    mail: readonly Message[],
    hold: RunTaskTurn,
  ): Promise<Awaited<ReturnType<RunTaskTurn>>> {
    const { spec } = this.#role;
    const claim = claimOf(task);
    if (this.#progress.claim !== claim) this.#progress = { claim, ends: [] };
    const { ends } = this.#progress;
    const asked = this.#self.store.board.board.requests.size;
    if (ends.length === spec.phases.length) ends.pop();
    const opening = await this.#session.opening();
    let unread = mailBlock(mail);
    for (const phase of spec.phases.slice(ends.length)) {
      const { end, isDrafted } = await this.#turn(task, phase, ends, { opening, unread, hold });
      unread = isDrafted ? unread : '';
      // If the agent asked a person, this phase goes on when the answer comes.
      if (end.kind !== 'answered' || this.#self.store.board.fold().requests.size > asked) return end;
      ends.push({ phase: phase.phase, text: end.text, isDrafted });
      await this.#session.learn(end.text);
      this.#note('phase.ended', task, `Phase ${phase.phase} of ${codeOf(task)} ended.`);
      if (phase.phase === 3 || spec.phases.length === 1) keepAnswer(this.#place, task, end.text);
    }
    return { kind: 'answered', text: ends.at(-1)?.text ?? '' };
  }

  /**
   * Runs a phase with the role's own agent. Phase 3 is given to a subagent, if the role has one for documents and it
   * answers.
   */
  async #turn(task: ClaimedTask, phase: Phase, ends: readonly PhaseEnd[], around: Around): Promise<PhaseTurn> {
    const summaries = this.#finished().map((one) => this.#summaryOf(one));
    if (phase.phase === 3) {
      const brief = this.#prompt(task, phase, { before: ends, accumulator: summaries, knows: false });
      const text = await this.#session.draft(task, brief, summaries);
      if (text !== undefined) return { isDrafted: true, end: { kind: 'answered', text } };
    }
    const { opening, unread, hold } = around;
    // An `exec` command is a new process each time and remembers nothing. What a subagent drafted is not in the agent's
    // memory, either.
    const forgets = this.#role.agent.kind === 'exec';
    const knows = !forgets && ends.length > 0;
    const before = ends.filter(({ isDrafted }) => forgets || isDrafted);
    const prompt = this.#prompt(task, phase, { before, accumulator: summaries, knows });
    const whole = [prompt, knows ? '' : opening, unread].filter(Boolean).join('\n\n');
    return { isDrafted: false, end: await hold(whole, this.#variables(phase.phase)) };
  }

  #prompt(task: Task, phase: Phase, more: Pick<wording.PhaseBrief, 'before' | 'accumulator' | 'knows'>): string {
    const { fields, spec } = this.#role;
    const { artifact } = task.work;
    // A tree of its own has no session folder: there, the whole path is said.
    const { cwd, store } = this.#place;
    const named = artifact === undefined || cwd === cwdOf(store) ? artifact : artifactPath(this.#place, artifact);
    return wording.phasePrompt({ fields, spec, task, phase, artifact: named, ...more });
  }

  #variables(phase: number): Record<string, string> {
    const { session, session_id: id, role_spec: file, requirement } = this.#role.fields;
    return {
      [ENV.phase]: String(phase),
      [ENV.session]: session,
      [ENV.sessionId]: id,
      [ENV.roleSpec]: file,
      [ENV.requirement]: requirement,
    };
  }

  /** The tasks that this member completed, in any of its processes. */
  #finished(): (Task & { status: 'completed' })[] {
    return [...this.#self.store.board.fold().tasks.values()].flatMap((task) =>
      task.status === 'completed' && task.by.member === this.#self.name ? [task] : [],
    );
  }

  #summaryOf(task: Task & { status: 'completed' }): Summary {
    const { discuss_verdict: verdict, discuss_rating: rating, discuss_notes: notes, warnings } = task.metadata;
    return {
      task: codeOf(task),
      artifact: task.work.artifact ?? null,
      summary: task.result.summary,
      key_decisions: wording.keyDecisions(task.result.summary),
      discuss_verdict: typeof verdict === 'string' ? verdict : 'none',
      discuss_rating: typeof rating === 'number' ? rating : null,
      warnings: textsIn(warnings),
      notes: textsIn(notes),
    };
  }

  #note(type: string, { id, work: { artifact } }: Task, text: string): void {
    this.#self.store.events.append({
      type,
      member: this.#self.name,
      task: id,
      text,
      ref: artifact,
    });
  }
}

/** Whether its last phase gives a verdict, which the artifact does not show. */
const hasLastWord = ({ metadata }: Task): boolean => '_fix' in metadata;

const claimOf = ({ id, claim }: ClaimedTask): string => `${id}.${claim.epoch}`;
