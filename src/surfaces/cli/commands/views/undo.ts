/** `teams undo`: takes back what a run has changed, after showing it and asking. */
import * as z from 'zod';
import {
  carryOutTaskUndo,
  carryOutUndo,
  interruptedUndo,
  planTaskUndo,
  planUndo,
  shownPath,
  type ApplyPlan,
  type TeamReader,
  type Task,
  type UndoPlan,
} from '../../../../app.ts';
import { confirmed } from '../../input/confirm.ts';
import { flag, noMore, readOptions } from '../../input/options.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { settings } from '../../input/settings.ts';
import { taskNamed, withTeamReader } from '../../input/team-reader-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ redo: flag });

export const act: Act = (context, given) =>
  withTeamReader(context, given.words, 1, async (reader, [reference, ...rest]) => {
    noMore(rest);
    const { redo } = readOptions(schema, given);
    refuseMembers(context, 'undo its run');
    const task = reference === undefined ? undefined : taskNamed(reader, reference);
    const own = await ownTaskUndo(reader, { task, redo }, context.io.gone);
    const plan = own ?? (await planUndo(reader, { task, redo }, context.io.gone));
    const open = plan.steps.filter(({ isDone }) => !isDone);
    const files = open.map(({ path, from, to }) => ({ path, change: changeOf(from, to) }));
    const answer = { team: reader.paths.name, task: task?.id ?? null, redo, files, left: [...plan.left] };
    if (open.length === 0 && plan.begun === undefined) {
      context.result({ ...answer, done: false }, textOf(plan, files, plan.nothing));
      return 0;
    }
    if (plan.isEndUnknown) context.warn(KILLED);
    if (plan.begun !== undefined) context.warn(interruptedUndo(reader.paths.name, plan.begun));
    const many = `${files.length} ${files.length === 1 ? 'file' : 'files'}`;
    if (files.length > 0 && !(await confirmed(context, textOf(plan, files, questionOf(plan, redo, many))))) {
      context.result({ ...answer, done: false }, 'Nothing was changed.');
      return 1;
    }
    const { store } = settings(context).session;
    await (own === undefined
      ? carryOutUndo(reader.paths, plan, { redo, store }, context.io.gone)
      : carryOutTaskUndo(reader, own, { redo, store }, context.io.gone));
    const what = [reader.paths.name, ...(task === undefined ? [] : [task.id])].join(' ');
    context.result({ ...answer, done: true }, textOf(plan, files, doneOf(plan, redo, { many, what })));
    return 0;
  });

function questionOf({ begun }: UndoPlan, redo: boolean, many: string): string {
  if (begun === undefined) return redo ? `Bring the changes of ${many} back?` : `Take the changes of ${many} back?`;
  return begun.redo === redo ? `Finish it, with ${many}?` : `Go back, with ${many}?`;
}

/** @param facts.what the words that name it in a command */
function doneOf({ begun }: UndoPlan, redo: boolean, { many, what }: { many: string; what: string }): string {
  if (begun !== undefined && begun.redo !== redo) return `It went back, with ${many}.`;
  const cure = redo ? '' : ` \`teams undo ${what} --redo\` brings them back.`;
  if (begun !== undefined) return `It is finished, with ${many}.${cure}`;
  return `The changes of ${many} were ${redo ? 'brought' : 'taken'} back.${cure}`;
}

/** With trees a task's change is known by its attempt. */
const ownTaskUndo = async (
  reader: TeamReader,
  { task, redo }: { readonly task: Task | undefined; readonly redo: boolean },
  signal: AbortSignal,
): Promise<ApplyPlan | undefined> =>
  task !== undefined && reader.config.read()?.isolation === 'trees'
    ? planTaskUndo(reader, { task, redo }, signal)
    : undefined;

const KILLED =
  "The lead was killed before it could keep the end of its work, so what was changed later counts as the run's.";

interface ShownFile {
  readonly path: string;
  readonly change: 'restored' | 'removed' | 'made again';
}

const changeOf = (from: object | null, to: object | null): ShownFile['change'] => {
  if (to === null) return 'removed';
  return from === null ? 'made again' : 'restored';
};

const linesOf = ({ left }: UndoPlan, files: readonly ShownFile[]): string[] => [
  ...files.map(({ path, change }) => `  ${change}: ${shownPath(path)}`),
  ...left.map(({ path, why }) => `  left, as ${why}: ${shownPath(path)}`),
];

const textOf = (plan: UndoPlan, files: readonly ShownFile[], text: string): string =>
  [...linesOf(plan, files), text].join('\n');
