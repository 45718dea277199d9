/**
 * The type of a task's work, read from the words of its subject (docs/specification.md R8.11), and which roles may do
 * it. A read-only role neither implements nor writes tests.
 */
import type { Name } from '../model/text/names.ts';
import type { Task } from '../model/board/task.ts';

export type TaskType = 'implement' | 'test' | 'review' | 'explore';

/** The type words, each with its usual forms. Only a whole word counts. */
const WORDS: Readonly<Record<TaskType, RegExp>> = {
  implement: words(
    'implement(?:s|ed|ing)?|creat(?:e|es|ed|ing)|build(?:s|ing)?|fix(?:es|ed|ing)?|add(?:s|ed|ing)?|refactor(?:s|ed|ing)?',
  ),
  test: words('tests?|tested|testing|specs?|coverage'),
  review: words('reviews?|reviewed|reviewing|audit(?:s|ed|ing)?|check(?:s|ed|ing)?'),
  explore: words(
    'explor(?:e|es|ed|ing)|debug(?:s|ged|ging)?|analy[sz](?:e|es|ed|ing)|analysis|investigat(?:e|es|ed|ing)',
  ),
};

const TYPES = ['implement', 'test', 'review', 'explore'] as const satisfies readonly TaskType[];

/** `Write … tests`, `Add … coverage`: making tests is testing, whatever the verb. */
const MAKES_TESTS = /^(?:write|add|create)\b.*\b(?:tests|specs|coverage)\b/i;

function words(forms: string): RegExp {
  return new RegExp(`\\b(?:${forms})\\b`, 'i');
}

const isTaskType = (value: unknown): value is TaskType => TYPES.some((type) => type === value);

/** The subject without its `[tags]`. */
export const bareSubject = (subject: string): string =>
  subject
    .replace(/\[[^\][]*\]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/**
 * The type is `metadata.type`, else the leading verb, else the first type word of the subject.
 *
 * @returns undefined if no word names a type; such a task has no follow-up
 */
export function taskType({ subject, metadata }: Pick<Task, 'subject' | 'metadata'>): TaskType | undefined {
  const told = metadata['type'];
  if (isTaskType(told)) return told;
  const bare = bareSubject(subject);
  if (MAKES_TESTS.test(bare)) return 'test';
  const found = TYPES.flatMap((type) => {
    const at = bare.search(WORDS[type]);
    return at < 0 ? [] : [{ type, at }];
  });
  return found.sort((a, b) => a.at - b.at)[0]?.type;
}

/** Explorers and all reviewers only read files; they never write (docs/specification.md R7.7). */
export const isReadOnlyRole = (role: Name): boolean => role === 'explorer' || /(?:^|-)reviewer$/.test(role);

/** Whether a member of this role may do this work. A task without a type may be done by any role. */
export function mayDo(role: Name, task: Pick<Task, 'subject' | 'metadata' | 'role'>): boolean {
  if (role === task.role || !isReadOnlyRole(role)) return true;
  const type = taskType(task);
  return type !== 'implement' && type !== 'test';
}
