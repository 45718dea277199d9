/**
 * The write gate of a member under plan approval (SPEC §4): it says what it is going to do, and begins when the lead has
 * approved just that request. Any other id — unknown, repeated, of an earlier claim — is ignored and logged.
 */
import { ulid } from 'ulid';
import type { Message } from '../model/message.ts';
import type { Task } from '../model/task.ts';
import type { Claimed, Self } from './self.ts';

interface Answer {
  readonly approved: boolean;
  /** What the lead said; undefined when the wait was given up. */
  readonly text: string | undefined;
}

export class PlanGate {
  readonly #self: Self;
  #open: { readonly id: string; readonly settle: (answer: Answer) => void } | undefined;

  constructor(self: Self) {
    this.#self = self;
  }

  /** Asks the lead, and waits. A plan that is refused is a failed attempt, with what the lead said as its reason. */
  async passes(task: Claimed): Promise<boolean> {
    const self = this.#self;
    const request_id = ulid(self.store.clock.now());
    const answer = new Promise<Answer>((settle) => (this.#open = { id: request_id, settle }));
    self.note('waiting', `the plan of task #${task.id} waits for approval`);
    await self.tell(planOf(task), { kind: 'plan_approval_request', request_id, task_id: task.id });
    const { approved, text } = await answer;
    self.note(undefined);
    if (!approved && text !== undefined) {
      const why = `the plan was refused: ${text}`.slice(0, 4_096);
      await self.writeAndWake({ type: 'task.failed', task: task.id, epoch: task.claim.epoch, why });
    }
    return approved;
  }

  answered({ request_id, content, data }: Message): void {
    if (this.#open !== undefined && request_id === this.#open.id)
      return this.#settle({ approved: data?.['approve'] === true, text: content });
    const text = `request ${request_id ?? 'without an id'} is not open`;
    this.#self.store.events.append({ type: 'plan.answer_ignored', member: this.#self.name, text });
  }

  /** Ends the wait without an answer: the member stops. */
  abandon(): void {
    this.#settle({ approved: false, text: undefined });
  }

  #settle(answer: Answer): void {
    this.#open?.settle(answer);
    this.#open = undefined;
  }
}

/** What a member is going to do, for the one who approves it. */
function planOf({ id, subject, description, work }: Task): string {
  const { run, prompt = '', files } = work;
  const deed = run === undefined ? prompt : `It runs: ${typeof run === 'string' ? run : run.join(' ')}`;
  const changes = files.length === 0 ? '' : `It changes: ${files.join(', ')}`;
  return [`PLAN for task #${id}: ${subject}`, description, deed, changes].filter(Boolean).join('\n');
}
