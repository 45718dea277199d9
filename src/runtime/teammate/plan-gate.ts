/**
 * The write gate of a member under plan approval (docs/specification.md R2.14). Its agent writes a plan in a turn that
 * only reads; the plan goes to the lead, and the task begins when the board says that the lead approved exactly this
 * request. The request is bound to the claim. An approval by mail alone (of another request, repeated, of an earlier
 * claim) is ignored and logged.
 *
 *   planning turn ─→ request ─→ approved ─→ the task, with the plan in its prompt
 *        ↑                  └─→ refused ─→ planning turn with the reason ─→ the same plan again: the attempt fails
 */
import type { Sandbox } from '../../model/agent/agent.ts';
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import { answerId, refusedPlanOf } from '../../model/board/request.ts';
import type { ClaimedTask } from '../../model/board/task.ts';
import { ENV } from '../../model/text/environment.ts';
import type { Message } from '../../model/team/message.ts';
import { saidOfPlan } from '../../policy/mail-wording.ts';
import * as wording from '../../policy/plan-wording.ts';
import type { OpenedAgent } from '../agents/open-agent.ts';
import { taskPrompt } from '../team/prompts.ts';
import { askedOf, makeRequest } from '../team/requests.ts';
import type { MemberSession } from '../team/member-session.ts';
import type { CarryOut, RunTaskTurn } from './runner-environment.ts';

interface Answer {
  readonly approved: boolean;
  /** The lead's text; undefined when the wait ended without an answer. */
  readonly text: string | undefined;
}

const OVER: Answer = { approved: false, text: undefined };
const READ_ONLY: Sandbox = 'read-only';
/** `TEAMS_PHASE` of a planning turn. */
const PLAN_PHASE = 'plan';

interface PlanGateEnvironment {
  readonly session: MemberSession;
  /** Opens a command in an isolation that only reads, for one planning turn; undefined for an agent that plans itself. */
  readonly openPlanner?: (() => Promise<OpenedAgent | string>) | undefined;
  /** Whether the member stops, and asks nothing more. */
  readonly isLeaving: () => boolean;
  /** Called when the plan of the present task is approved. */
  readonly onApproved: () => void;
}

/** A plan and whether the agent wrote it. */
type Planned = { readonly text: string; readonly isOwn: boolean } | { readonly end: TurnEnd };

export class PlanGate {
  readonly #environment: PlanGateEnvironment;
  readonly #session: MemberSession;
  #open: { readonly id: string; readonly settle: (answer: Answer) => void } | undefined;
  /** The mail id of the last answer that counted; that mail may arrive after the board was read. */
  #lastAnswer: string | undefined;

  /** The approved claim and its plan. A task that goes on after a question needs no second approval. */
  #approved: { readonly claim: string; readonly note: string } | undefined;

  constructor(environment: PlanGateEnvironment) {
    this.#environment = environment;
    this.#session = environment.session;
  }

  /** Lets the task's own turns begin when its plan is approved; the plan is in each of their prompts. */
  before(inner: CarryOut): CarryOut {
    return async (task, mail, hold) => {
      const claim = claimOf(task);
      if (this.#approved?.claim !== claim) {
        const refused = await this.#ask(task, hold);
        if (refused !== undefined) return { end: refused };
      }
      this.#environment.onApproved();
      const note = this.#approved?.note ?? '';
      return inner(task, mail, (prompt, env, by) => hold([prompt, note].filter(Boolean).join('\n\n'), env, by));
    };
  }

  /** @returns how the attempt ends if the plan is not approved */
  async #ask(task: ClaimedTask, hold: RunTaskTurn): Promise<TurnEnd | undefined> {
    const before = refusedPlanOf(this.#session.store.board.fold(), task.id, this.#session.name);
    let refused = before && { ...before, why: saidOfPlan(task.id, before.why) };
    for (;;) {
      const planned = await this.#plan(task, refused, hold);
      if ('end' in planned) return planned.end;
      const request = wording.planRequest(task, planned);
      const asked = await askedOf(this.#session.store, request);
      if (planned.isOwn && refused?.text === asked)
        return failed(planned.text, `the plan was refused: ${refused.why}. The same plan came again`);
      const { approved, text: answer } = await this.#approvalOf(task, request);
      const text = answer === undefined ? undefined : saidOfPlan(task.id, answer);
      if (approved) {
        this.#approved = { claim: claimOf(task), note: wording.approvedPlan(planned, text) };
        return undefined;
      }
      if (text === undefined) return { kind: 'aborted' };
      if (!planned.isOwn) return failed(planned.text, `the plan was refused: ${text}`);
      refused = { text: asked, why: text };
    }
  }

  async #plan(task: ClaimedTask, refused: wording.RefusedPlan | undefined, hold: RunTaskTurn): Promise<Planned> {
    const planner = await this.#environment.openPlanner?.();
    try {
      const isHeld = typeof planner === 'object' && planner.isolation !== undefined;
      if (planner !== undefined && !isHeld) return { text: wording.givenPlan(task), isOwn: false };
      const by = isHeld ? { agent: planner.agent, environment: planner.environment } : {};
      const prompt = wording.planningPrompt(taskPrompt(task), refused);
      const end = await hold(prompt, { [ENV.phase]: PLAN_PHASE }, { ...by, sandbox: READ_ONLY });
      if (end.kind !== 'answered') return { end };
      if (end.text.trim() === '') return { end: failed('', 'its planning turn gave no plan') };
      return { text: end.text.trim(), isOwn: true };
    } finally {
      if (typeof planner === 'object') {
        await planner.agent.close();
        await planner.isolation?.close();
      }
    }
  }

  async #approvalOf(task: ClaimedTask, plan: string): Promise<Answer> {
    if (this.#environment.isLeaving()) return OVER;
    const session = this.#session;
    const request = await makeRequest(session.store, session.speaker, { kind: 'plan', text: plan, about: task.id });
    // It may have been told to leave while its question was written: nobody would end this wait.
    if (!request.ok || this.#environment.isLeaving()) return OVER;
    const { id } = request;
    const answer = new Promise<Answer>((settle) => (this.#open = { id, settle }));
    await session.tellLead(plan, { kind: 'plan_approval_request', request_id: id, task_id: task.id, id });
    this.look();
    return answer;
  }

  /**
   * Checks on the board whether the open request is answered.
   *
   * @param board folded just now
   */
  look(board = this.#session.store.board.fold()): void {
    const request = board.requests.get(this.#open?.id ?? '');
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

const claimOf = ({ id, claim }: ClaimedTask): string => `${id} ${claim.epoch}`;

const failed = (text: string, message: string): TurnEnd => ({
  kind: 'failed',
  why: 'exit',
  text,
  message: message.slice(0, 4_096),
});
