/** Brings what landed in a team into the project's files: for `teams apply`, and at the end of a run. */
import {
  applyLanded,
  listTeams,
  openForReading,
  planApply,
  realClock,
  stateIn,
  requireApplied,
  shownPath,
  unappliedIn,
  type Name,
  type Task,
  type TeamPaths,
  type TeamReader,
} from '../../../app.ts';
import type { CliContext } from '../context.ts';
import { LeftQuestion } from '../left-question.ts';
import { question } from './confirm.ts';
import { rootOf } from './root.ts';
import { settings } from './settings.ts';

interface Applied {
  readonly team: Name;
  readonly landed: number;
  readonly files: readonly { readonly path: string; readonly change: 'added' | 'modified' | 'deleted' }[];
  readonly done: boolean;
}

/** @throws as `applyLanded` */
export async function applyWork(
  context: CliContext,
  reader: TeamReader,
  choice: { readonly task?: Task | undefined },
): Promise<{ readonly answer: Applied; readonly text: string }> {
  const { nothing, ...applied } = await applyLanded(reader, choice, settings(context).session.store, context.io.gone);
  const answer = { team: reader.paths.name, ...applied, done: applied.files.length > 0 };
  if (!answer.done) return { answer, text: nothing };
  return { answer, text: textOf(answer) };
}

const textOf = ({ team, landed, files }: Applied): string =>
  [
    ...files.map(({ path, change }) => `  ${change}: ${shownPath(path)}`),
    `Applied ${amount(landed, 'task')}, ${amount(files.length, 'file')}. \`teams undo ${team}\` takes them back.`,
  ].join('\n');

const amount = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/**
 * At the end of a run: applies if that was asked for; on a terminal a person is asked. `--yes` is no answer to it.
 *
 * @throws as {@link applyWork}
 */
export async function applyAtEnd(context: CliContext, paths: TeamPaths, isAsked: boolean): Promise<void> {
  if (!isAsked && (!context.isInteractive || context.flags.yes)) return;
  const reader = openForReading(paths, { clock: realClock });
  try {
    if ((await unappliedIn(reader, context.io.gone)) === 0) return;
    if (!isAsked) {
      const { landed, steps } = await planApply(reader, {}, context.io.gone);
      const asked = `Apply ${amount(landed, 'task')}, ${amount(steps.length, 'file')} to your files? [Y/n]`;
      if (steps.length === 0 || !(await isAgreed(asked))) return;
    }
    context.info((await applyWork(context, reader, {})).text);
  } finally {
    reader.close();
  }
}

/** Who leaves the question leaves the work where it is; the run has ended as it has. */
async function isAgreed(asked: string): Promise<boolean> {
  try {
    return /^(?:y(?:es)?)?$/i.test((await question(asked)).trim());
  } catch (error) {
    if (error instanceof LeftQuestion) return false;
    throw error;
  }
}

/** @throws ConflictError `REFUSED` for a team whose work landed and was never applied: it would be out of sight */
export async function refuseUnapplied(context: CliContext, paths: TeamPaths, cure: string): Promise<void> {
  const reader = openForReading(paths, { clock: realClock });
  try {
    await requireApplied(reader, { apply: `\`teams apply ${paths.name}\``, archive: cure }, context.io.gone);
  } finally {
    reader.close();
  }
}

/** The team that ended last and whose work is not applied. */
export async function lastUnapplied(context: CliContext): Promise<Name | undefined> {
  const found: { readonly name: Name; readonly at: string }[] = [];
  for (const { name, paths, archivedAt } of listTeams(rootOf(context))) {
    if (archivedAt !== undefined) continue;
    const reader = openForReading(paths, { clock: realClock });
    try {
      const { finishedAt, createdAt = '' } = stateIn(reader) ?? {};
      if ((await unappliedIn(reader, context.io.gone)) > 0) found.push({ name, at: finishedAt ?? createdAt });
    } finally {
      reader.close();
    }
  }
  return found.toSorted((a, b) => a.at.localeCompare(b.at)).at(-1)?.name;
}
