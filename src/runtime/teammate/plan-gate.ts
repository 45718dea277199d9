/**
 * The write gate of a member under plan approval (docs/specification.md R2.14). It sends its plan, and begins when the
 * board says that the lead approved exactly this request; the request is bound to the claim. An approval by mail alone
 * (of another request, repeated, of an earlier claim) is ignored and logged.
 */
import { shellWords } from '../../model/agent/agent.ts';
import type { Message } from '../../model/team/message.ts';
import { answerId } from '../../model/board/request.ts';
import type { ClaimedTask, Task } from '../../model/board/task.ts';
import { makeRequest } from '../team/requests.ts';
import type { MemberSession } from '../team/member-session.ts';

interface Answer {
  readonly approved: boolean;
  /** The lead's text; undefined when the wait ended without an answer. */
  readonly text: string | undefined;
}

const OVER: Answer = { approved: false, text: undefined };

export class PlanGate {
  readonly #session: MemberSession;
  #open: { readonly id: string; readonly settle: (answer: Answer) => void } | undefined;
  /** The mail id of the last answer that counted; that mail may arrive after the board was read. */
  #lastAnswer: string | undefined;

  /** The claim under which the agent may write. A task that goes on after a question needs no second approval. */
  #approved: string | undefined;

  constructor(session: MemberSession) {
    this.#session = session;
  }

  /**
   * Asks the lead, and waits for the answer. A refused plan is a failed attempt with the lead's text as its reason.
   *
   * @returns whether the plan is approved
   */
  async passes(task: ClaimedTask): Promise<boolean> {
    const session = this.#session;
    const claim = `${task.id} ${task.claim.epoch}`;
    if (claim === this.#approved) return true;
    const plan = planOf(task);
    const request = makeRequest(session.store, session.speaker, { kind: 'plan', text: plan, about: task.id });
    if (!request.ok) return false;
    const { id } = request;
    const answer = new Promise<Answer>((settle) => (this.#open = { id, settle }));
    await session.tellLead(plan, { kind: 'plan_approval_request', request_id: id, task_id: task.id, id });
    this.look();
    const { approved, text } = await answer;
    if (!approved && text !== undefined) {
      const why = `the plan was refused: ${text}`.slice(0, 4_096);
      await session.writeAndWake({ type: 'task.failed', task: task.id, epoch: task.claim.epoch, why });
    }
    if (approved) this.#approved = claim;
    return approved;
  }

  /** Checks on the board whether the open request is answered. */
  look(): void {
    const request = this.#session.store.board.fold().requests.get(this.#open?.id ?? '');
    if (request === undefined || request.state === 'open') return;
    if (request.state === 'withdrawn') return this.#settle(OVER);
    this.#lastAnswer = answerId(request);
    this.#settle({ approved: request.approve, text: request.answer });
  }

  /** Handles an answer by mail. It counts only if the board has the same answer. */
  answered({ id, request_id }: Message): void {
    this.look();
    if (id === this.#lastAnswer) return;
    const text = `request ${request_id ?? 'without an id'} is not open`;
    this.#session.store.events.append({ type: 'plan.answer_ignored', member: this.#session.name, text });
  }

  /** Ends the wait without an answer, because the member stops. */
  abandon(): void {
    this.#settle(OVER);
  }

  #settle(answer: Answer): void {
    this.#open?.settle(answer);
    this.#open = undefined;
  }
}

/** The text of the plan, for the lead that approves it. */
function planOf({ id, subject, description, work }: Task): string {
  const { run, prompt = '', files } = work;
  const deed = run === undefined ? prompt : `It runs: ${shellWords(run)}`;
  const changes = files.length === 0 ? '' : `It changes: ${files.join(', ')}`;
  return [`PLAN for task #${id}: ${subject}`, description, deed, changes].filter(Boolean).join('\n');
}
