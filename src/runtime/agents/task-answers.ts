/**
 * What was asked and answered about a task, for the agent that works on it. It comes from the board: whoever goes on with
 * the task is told, also when somebody else asked, or when the mail of the answer is still on its way.
 */
import type { Message } from '../../model/team/message.ts';
import { answerId, answersAbout, questionOn } from '../../model/board/request.ts';
import type { Task } from '../../model/board/task.ts';
import { answerMail } from '../team/requests.ts';
import type { MemberSession } from '../team/member-session.ts';

export class TaskAnswers {
  readonly #session: MemberSession;
  /** Answers that the agent has been told, by the ids of their mail. */
  readonly #delivered = new Set<string>();

  constructor(session: MemberSession) {
    this.#session = session;
  }

  /** Every answer about a task, as mail of its turn. */
  about({ id }: Task): Message[] {
    const { store, name } = this.#session;
    const answers = answersAbout(store.board.fold(), id).map((one) => answerMail(one, name));
    for (const answer of answers) this.#delivered.add(answer.id);
    return answers;
  }

  /** Whether a person must answer before the task can go on. */
  isOpen({ id }: Task): boolean {
    return questionOn(this.#session.store.board.fold(), id) !== undefined;
  }

  /** Whether something was asked about the task and the agent was not told the answer. */
  isAwaited(task: Task): boolean {
    const answers = answersAbout(this.#session.store.board.fold(), task.id);
    return this.isOpen(task) || answers.some((one) => !this.#delivered.has(answerId(one)));
  }
}
