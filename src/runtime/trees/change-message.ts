/** The message of a commit with the change of a task. */
import { safeLine } from '../../model/text/safe-text.ts';

interface TaskChange {
  readonly subject: string;
  readonly task: string;
  /** The key of the attempt. */
  readonly attempt: string;
  readonly member: string;
}

/**
 * One line, which may be a member's words, and the trailers, which are ours: git takes them from the last paragraph. What
 * a terminal would obey is left out, since branches are made of these commits.
 */
export const changeMessage = ({ subject, task, attempt, member }: TaskChange): string =>
  `${safeLine(subject) || `Task ${task}`}\n\nTeams-Task: ${task}\nTeams-Attempt: ${attempt}\nTeams-Member: ${member}`;
