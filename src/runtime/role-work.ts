/**
 * A role at work (S4): each task in Phases 2 to 4, a turn for each; Phase 5-L after a task, Phase 5-F at the end. What it
 * did is read from the board, so that the next life of the role goes on with it.
 */
import type { AgentSpec } from '../model/agent.ts';
import { pendingTasks } from '../model/board.ts';
import type { Message } from '../model/message.ts';
import { LEAD } from '../model/names.ts';
import type { RoleSpec } from '../model/role-spec.ts';
import { subjectCode, type Task } from '../model/task.ts';
import { needsFix, NEEDS_FIX } from '../policy/fix-loop.ts';
import { PHASE_5, variantOf, type Variant } from '../policy/role-course.ts';
import * as wording from '../policy/role-wording.ts';
import type { RoleFields, Summary } from '../policy/role-wording.ts';
import { artifactPath, artifactText, isArtifactComplete, isWrittenSince, keepFile } from '../store/session-folder.ts';
import { mailBlock } from './prompts.ts';
import { FINAL_REPORT, idsIn, REPORTED } from './role-reports.ts';
import type { Attempt, CarryOut, Hold } from './runner.ts';
import type { Claimed, Self } from './self.ts';

export interface Role {
  readonly fields: RoleFields;
  readonly spec: RoleSpec;
  readonly cwd: string;
  readonly agent: AgentSpec;
}

/** A role that cannot be worked by says why: whoever has it tells the lead, and stops. */
export type RoleOf = Role | { readonly unusable: string; readonly role: string; readonly file: string };

interface PhaseEnd {
  readonly phase: number;
  readonly text: string;
}

export class RoleWork {
  readonly #self: Self;
  readonly #role: Role;
  readonly #reported = new Set<string>();
  readonly #failed: { task: string; why: string }[] = [];
  #errors = 0;
  /** What phases of the present claim came to; a claim that waits for an answer goes on with them. */
  #progress: { claim: string; ends: PhaseEnd[] } = { claim: '', ends: [] };
  #variant: Variant = '5-L';

  constructor(self: Self, role: Role) {
    this.#self = self;
    this.#role = role;
    for (const { event } of self.store.events.read())
      if (event.type === REPORTED && event.member === self.name)
        for (const id of idsIn(event['tasks'])) this.#reported.add(id);
  }

  /** It begins nothing more in this life. */
  get isOver(): boolean {
    return this.#variant !== '5-L';
  }

  readonly carryOut: CarryOut = async (task, mail, hold) => {
    const { fix } = this.#role.spec.messageTypes;
    const { artifact } = task.work;
    // What this life has worked on already goes on where it stands: after an answer, or a hook's refusal.
    const isNew = this.#progress.claim !== claimOf(task);
    if (isNew && artifact !== undefined && this.#isThere(task, artifact)) {
      this.#note('role.resumed', task, `[${this.#role.fields.role}] ${artifact} is complete: nothing is done again.`);
      return { end: { ended: 'answered', text: `${artifact} was complete already.` } };
    }
    const end = await this.#phases(task, mail, hold);
    const isFaulty = fix !== undefined && end.ended === 'answered' && needsFix(end.text);
    return { end, ...(isFaulty ? { metadata: { verdict: NEEDS_FIX } } : {}) };
  };

  /** Phase 5 of one task: it is logged and accumulated, and what follows is decided. */
  async ended({ task, verdict }: Attempt): Promise<void> {
    const { role } = this.#role.fields;
    const { messageTypes, innerLoop } = this.#role.spec;
    const code = codeOf(task);
    if (verdict.do === 'fail') {
      this.#errors += 1;
      this.#failed.push({ task: code, why: verdict.why });
      await this.#log(messageTypes.error, task, wording.busFailed(role, code, verdict.why));
    } else if (verdict.do === 'complete') {
      const isFaulty = this.#self.store.board.board.tasks.get(task.id)?.metadata['verdict'] === NEEDS_FIX;
      const type = isFaulty ? (messageTypes.fix ?? messageTypes.success) : messageTypes.success;
      await this.#log(type, task, wording.busCompleted(role, code, verdict.text));
    } else return;
    const board = this.#self.store.board.fold();
    const pending = [...pendingTasks(board)].filter(({ owner }) => owner === this.#self.name).length;
    const loops = innerLoop || verdict.do === 'fail';
    this.#variant = variantOf({ innerLoop: loops, pending, errors: this.#errors, isBlocked: false });
  }

  /** Phase 5-F: everything that the lead was not told of, in one report; and whether anything was there to do. */
  async conclude(): Promise<void> {
    const { role } = this.#role.fields;
    const done = this.#finished().filter(({ id }) => !this.#reported.has(id));
    const isInterrupted = this.#variant === 'interrupt';
    if (done.length === 0 && this.#failed.length === 0) {
      await this.#self.tell(wording.noTasks(role), { kind: 'idle' });
      return;
    }
    const text = wording.finalReport(role, {
      ...{ done: done.map((task) => this.#summaryOf(task)), failed: this.#failed },
      ...(isInterrupted ? { interrupted: `${this.#errors} errors` } : {}),
    });
    await this.#deliver(text, done, isInterrupted);
  }

  /** The id is made of what it reports: sent again after a crash it is no second one. */
  async #deliver(text: string, done: readonly Task[], interrupted: boolean): Promise<void> {
    const { store, name } = this.#self;
    const tasks = done.map(({ id }) => id);
    const last = done.at(-1);
    const asks = !interrupted && PHASE_5[this.#variant === '5-L' ? '5-F' : this.#variant].fastAdvances;
    const delivered = await this.#self.tell(text, {
      ...{ kind: FINAL_REPORT, data: { tasks, interrupted, loops: this.#role.spec.innerLoop, fast_advance: asks } },
      ...(last === undefined ? {} : { id: `${FINAL_REPORT}:${last.id}.${last.claims}:${LEAD}` }),
    });
    if (delivered) store.events.append({ type: REPORTED, member: name, tasks });
  }

  async #phases(task: Claimed, mail: readonly Message[], hold: Hold): Promise<Awaited<ReturnType<Hold>>> {
    const { spec } = this.#role;
    const claim = claimOf(task);
    if (this.#progress.claim !== claim) this.#progress = { claim, ends: [] };
    const { ends } = this.#progress;
    const asked = this.#self.store.board.board.requests.size;
    if (ends.length === spec.phases.length) ends.pop();
    let unread = mailBlock(mail);
    for (const phase of spec.phases.slice(ends.length)) {
      const prompt = [this.#prompt(task, phase, ends), unread].filter(Boolean).join('\n\n');
      unread = '';
      const end = await hold(prompt, this.#variables(phase.phase));
      // Whoever asked a person goes on with this phase when the answer is here.
      if (end.ended !== 'answered' || this.#self.store.board.fold().requests.size > asked) return end;
      ends.push({ phase: phase.phase, text: end.text });
      this.#note('phase.ended', task, `Phase ${phase.phase} of ${codeOf(task)} ended.`);
      if (phase.phase === 3 || spec.phases.length === 1) this.#keep(task, end.text);
    }
    return { ended: 'answered', text: ends.at(-1)?.text ?? '' };
  }

  #prompt(task: Task, phase: RoleSpec['phases'][number], ends: readonly PhaseEnd[]): string {
    const { fields, spec, agent } = this.#role;
    // A command is a new process each time, and remembers nothing.
    const forgets = agent.kind === 'exec';
    return wording.phasePrompt({
      ...{ fields, spec, task, phase, artifact: task.work.artifact, before: forgets ? ends : [] },
      accumulator: this.#finished().map((one) => this.#summaryOf(one)),
      knows: !forgets && ends.length > 0,
    });
  }

  #variables(phase: number): Record<string, string> {
    const { session, session_id: id, role_spec: file, requirement } = this.#role.fields;
    return {
      ...{ TEAMS_PHASE: String(phase), TEAMS_SESSION: session, TEAMS_SESSION_ID: id, TEAMS_ROLE_SPEC: file },
      TEAMS_REQUIREMENT: requirement,
    };
  }

  /** Complete, and made for this task: not what an attempt that failed has left. */
  #isThere(task: Claimed, artifact: string): boolean {
    const { disk } = this.#self.store;
    const failures = [...this.#self.store.board.history()].filter(
      ({ event, outcome }) => outcome.ok && event.type === 'task.failed' && event.task === task.id,
    );
    const since = Date.parse(failures.at(-1)?.event.at ?? task.created_at);
    const { artifactCheck } = this.#role.spec;
    return isArtifactComplete(disk, artifactPath(this.#role.cwd, artifact), artifactCheck, since);
  }

  /** What the agent has not written itself is kept for it. */
  #keep(task: Claimed, answer: string): void {
    const { artifact } = task.work;
    if (artifact === undefined) return;
    const { disk } = this.#self.store;
    const path = artifactPath(this.#role.cwd, artifact);
    if (!isWrittenSince(disk, path, Date.parse(task.claimed_at))) keepFile(disk, path, artifactText(path, answer));
  }

  /** Of this member, in any of its lives, in the order in which they were finished. */
  #finished(): (Task & { status: 'completed' })[] {
    return [...this.#self.store.board.fold().tasks.values()].flatMap((task) =>
      task.status === 'completed' && task.by.member === this.#self.name ? [task] : [],
    );
  }

  #summaryOf(task: Task & { status: 'completed' }): Summary {
    const { discuss_verdict: verdict, discuss_rating: rating } = task.metadata;
    return {
      ...{ task: codeOf(task), artifact: task.work.artifact ?? null, summary: task.result.summary },
      key_decisions: wording.keyDecisions(task.result.summary),
      discuss_verdict: typeof verdict === 'string' ? verdict : 'none',
      discuss_rating: typeof rating === 'number' ? rating : null,
    };
  }

  /** A record of the bus, once for each end of a task. */
  async #log(kind: string, { id, claims, work: { artifact } }: Task, summary: string): Promise<void> {
    const { session_id: session, role } = this.#role.fields;
    const entry = { session, from: role, to: 'coordinator', kind, summary, cause: `task:${id}.${claims}` };
    try {
      await this.#self.store.bus.log(
        { ...entry, ...(artifact === undefined ? {} : { ref: artifact }) },
        this.#self.name,
      );
    } catch (error) {
      // What cannot be logged is done all the same.
      this.#self.trouble(error);
    }
  }

  #note(type: 'role.resumed' | 'phase.ended', { id }: Task, text: string): void {
    this.#self.store.events.append({ type, member: this.#self.name, task: id, text });
  }
}

const claimOf = ({ id, claim }: Claimed): string => `${id}.${claim.epoch}`;

const codeOf = ({ subject, id }: Task): string => subjectCode(subject) ?? `#${id}`;
