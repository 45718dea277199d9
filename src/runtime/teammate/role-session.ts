/**
 * What a role uses of its session besides its own agent (docs/specification.md R10.15): the wisdom of all roles, the
 * exploration of the code base, subagents that discuss and draft, and the message bus. All of it is optional: a failure
 * is a warning, and the role goes on.
 */
import { randomBytes } from 'node:crypto';
import { newId } from '../../store/files/new-ids.ts';
import type { Change } from '../../model/board/event.ts';
import type { OpenRequest } from '../../model/board/request.ts';
import { subjectCode, type Task } from '../../model/board/task.ts';
import { wisdomIn } from '../../model/pipeline/wisdom-files.ts';
import { afterDiscussion, blockedText, discussLine, verdictText } from '../../policy/pipeline/consensus.ts';
import { chooseFrom } from '../../policy/pipeline/subagent-choice.ts';
import { draftPrompt } from '../../policy/pipeline/subagent-wording.ts';
import type { Summary } from '../../policy/pipeline/role-wording.ts';
import { wisdomBlock } from '../../policy/pipeline/wisdom-wording.ts';
import { readWisdom } from '../../store/session/wisdom-store.ts';
import { discuss } from './discussion-run.ts';
import { explore } from './exploration-run.ts';
import { RoleSubagents } from './role-subagents.ts';
import type { Role } from './load-role.ts';
import type { MemberSession } from '../team/member-session.ts';
import { askedOf } from '../team/requests.ts';
import { contribute } from '../team/wisdom-contribution.ts';

/**
 * The angle from which every role of a session explores the code base. The first role explores; the others get its
 * result.
 */
const ANGLE = 'codebase';

/** What a discussion changes on the task whose artifact it discussed. */
interface DiscussionOutcome {
  readonly metadata: Readonly<Record<string, string | number | string[]>>;
  /** Changes for the record that completes the task. */
  readonly changes: readonly Change[];
}

export class RoleSession {
  readonly #session: MemberSession;
  readonly #role: Role;
  readonly #signal: AbortSignal;
  readonly #subagents: RoleSubagents;
  #explored: string | undefined;
  #warnings: string[] = [];

  constructor(self: MemberSession, role: Role, signal: AbortSignal) {
    const { cwd, shown, pool, envPass, isAsked } = role;
    this.#session = self;
    this.#role = role;
    this.#signal = signal;
    this.#subagents = new RoleSubagents({ store: self.store, member: self.name, cwd, shown, pool, envPass, isAsked });
  }

  /** The opening of the prompt for a task: the wisdom, and what the exploration found, if the role explores. */
  async opening(): Promise<string> {
    const { disk, paths } = this.#session.store;
    this.#warnings = [];
    const wisdom = await this.#unless(() => wisdomBlock(readWisdom(disk, paths), randomBytes(9).toString('hex')));
    const explored = await this.#explore();
    return [wisdom ?? '', explored === '' ? '' : `## The code base\n\n${explored}`].filter(Boolean).join('\n\n');
  }

  /** Adds what an answer contributes to the wisdom of all roles. */
  async learn(answer: string): Promise<void> {
    await this.#unless(async () => {
      for (const { file, text } of wisdomIn(answer)) await contribute(this.#session, file, [text]);
    });
  }

  /** Has a subagent write the whole document; undefined if the role writes it itself. */
  async draft(task: Task, prompt: string, accumulator: readonly Summary[]): Promise<string | undefined> {
    const { spec, agent } = this.#role;
    // An `exec` command is a new process in each turn, so that it starts without context anyway.
    if (!spec.subagents.includes('doc-gen') || agent.kind === 'exec') return undefined;
    const fetched = await this.#subagents.run(
      {
        kind: 'doc-gen',
        about: codeOf(task),
        choice: chooseFrom(this.#role.pool),
        prompt: draftPrompt({ type: task.subject, output: task.work.artifact ?? 'none', prompt, accumulator }),
        variables: {},
        read: (answer) => (answer.trim() === '' ? { ok: false, why: 'it is empty' } : { ok: true, value: answer }),
      },
      this.#signal,
    );
    if (fetched.kind === 'answer') return fetched.value;
    if (fetched.kind === 'none') this.#warnings.push(`${codeOf(task)} was not drafted by a subagent: ${fetched.why}`);
    return undefined;
  }

  /**
   * Discusses what a task has made.
   *
   * @returns undefined when it was aborted
   */
  async discuss(task: Task): Promise<DiscussionOutcome | undefined> {
    const round = task.metadata['_discuss'];
    const { artifact } = task.work;
    const { spec, fields } = this.#role;
    if (typeof round !== 'string' || artifact === undefined || !spec.subagents.includes('discuss'))
      return this.#concluded({}, []);
    const { perspectives } = spec;
    const discussion = { round, perspectives, requirement: fields.requirement, subject: task.subject, artifact };
    const end = await discuss(this.#session.store, this.#subagents, discussion, this.#signal);
    if (end.kind === 'aborted') return undefined;
    if (end.kind === 'skipped') {
      this.#warnings.push(end.warning);
      return this.#concluded({}, []);
    }
    const { consensus, record } = end;
    this.#warnings.push(...end.warnings);
    const text = discussLine(round, consensus);
    this.#session.store.events.append({
      type: 'discussion.held',
      member: this.#session.name,
      task: task.id,
      text,
      ref: record,
    });
    const after = afterDiscussion(consensus);
    const said = { discuss_verdict: verdictText(consensus), discuss_rating: consensus.average_rating };
    if (after.do === 'go on') {
      if (after.warning !== undefined) this.#warnings.push(after.warning);
      return this.#concluded({ ...said, discuss_notes: [...after.notes] }, []);
    }
    const about = { role: fields.role, task: codeOf(task), round, consensus, artifact, discussion: record };
    return this.#concluded(said, [await this.#request(task, blockedText(about))]);
  }

  /** Mails the lead each open request that it must decide. Sent again it has the same id, and is read once. */
  async tellHolds(): Promise<OpenRequest[]> {
    const { store, name } = this.#session;
    const own = [...store.board.fold().open.values()].filter(({ kind, from }) => kind === 'consensus' && from === name);
    for (const { id, text, task } of own)
      await this.#session.tellLead(text, {
        kind: 'consensus_blocked',
        id,
        request_id: id,
        task_id: task,
      });
    return own;
  }

  /** Logs one record on the bus. Each cause is logged once, even if this process restarts. */
  async log(type: string, task: Task, text: string): Promise<void> {
    const { store, name } = this.#session;
    const { session_id: session, role } = this.#role.fields;
    const { artifact } = task.work;
    const entry = { session, from: role, to: 'coordinator', kind: type, summary: text.slice(0, 4_096) };
    const cause = `task:${task.id}.${task.claims}`;
    await this.#unless(() => store.bus.log({ ...entry, cause, ref: artifact }, name));
  }

  async close(): Promise<void> {
    await this.#subagents.close();
  }

  /** Reports an error of the session, which never ends the work. */
  async #unless<T>(work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#session.reportError(error);
      return undefined;
    }
  }

  async #explore(): Promise<string> {
    if (this.#explored !== undefined || !this.#role.spec.subagents.includes('explore')) return this.#explored ?? '';
    const query = this.#role.fields.requirement;
    const found = await explore(this.#session.store, this.#subagents, { angle: ANGLE, query }, this.#signal);
    if (found?.warning !== undefined) this.#warnings.push(found.warning);
    this.#explored = found?.text ?? '';
    return this.#explored;
  }

  async #request({ id }: Task, text: string): Promise<Change> {
    const { store } = this.#session;
    const request = newId(store.clock.now());
    return { type: 'request.made', request, kind: 'consensus', about: id, text: await askedOf(store, text) };
  }

  #concluded(metadata: DiscussionOutcome['metadata'], changes: readonly Change[]): DiscussionOutcome {
    const warnings = this.#warnings;
    return { metadata: { ...metadata, ...(warnings.length === 0 ? {} : { warnings }) }, changes };
  }
}

/** The name of a task as roles use it. */
export const codeOf = ({ subject, id }: Task): string => subjectCode(subject) ?? `#${id}`;
