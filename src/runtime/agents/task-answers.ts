/**
 * Questions and answers about a task, for the agent that works on it. They come from the board. So a member that
 * continues the task gets them even if another member asked, or the answer's mail has not arrived yet.
 */
import type { Message } from '../../model/team/message.ts';
import type { Board } from '../../model/board/board.ts';
import { answerId, answersAbout, questionOn } from '../../model/board/request.ts';
import type { Task } from '../../model/board/task.ts';
import { answerMail } from '../team/requests.ts';
import type { MemberSession } from '../team/member-session.ts';

export class TaskAnswers {
  readonly #session: MemberSession;
  /** Answers that the agent has got, by the ids of their mail. */
  readonly #delivered = new Set<string>();

  constructor(session: MemberSession) {
    this.#session = session;
  }

  /** All answers about a task, as mail for its turn. */
  about({ id }: Task): Message[] {
    const { store, name } = this.#session;
    const answers = answersAbout(store.board.fold(), id).map((one) => answerMail(one, name));
    for (const answer of answers) this.#delivered.add(answer.id);
    return answers;
  }

  /**
   * Whether a person must answer before the task can go on.
   *
   * @param board folded just now
   */
  isOpen({ id }: Task, board: Board): boolean {
    return questionOn(board, id) !== undefined;
  }

  /** Whether there is a question about the task whose answer the agent has not got. */
  isAwaited(task: Task): boolean {
    const board = this.#session.store.board.fold();
    return this.isOpen(task, board) || answersAbout(board, task.id).some((one) => !this.#delivered.has(answerId(one)));
  }
}
