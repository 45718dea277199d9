/** What a person does through the page: the same commands as at the command line, as the lead. */
import * as z from 'zod';
import { judgeTask, retryTasks, reviseTask, type DetachedPlace, type Task, type TeamHandle } from '../../app.ts';
import type { CommandResult } from './wire-types.ts';

const task = z.string().max(16);
const words = z.string().trim().min(1).max(262_144);

export const webCommandSchema = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('send'), to: z.string().max(64), text: words }),
  z.strictObject({ do: z.literal('broadcast'), text: words }),
  z.strictObject({ do: z.literal('answer'), request: z.string().max(64), text: words }),
  z.strictObject({ do: z.literal('judge'), task, approve: z.boolean(), text: z.string().max(65_536) }),
  z.strictObject({ do: z.literal('revise'), task, text: words }),
  /** Without a task: all that failed. */
  z.strictObject({ do: z.literal('retry'), task: task.optional() }),
  z.strictObject({ do: z.literal('skip'), task }),
  z.strictObject({ do: z.literal('pause'), paused: z.boolean() }),
  z.strictObject({ do: z.literal('stop'), member: z.string().max(64) }),
  z.strictObject({
    do: z.literal('add'),
    subject: z.string().trim().min(1).max(500),
    description: z.string().max(262_144),
    owner: z.string().max(64).optional(),
  }),
]);
export type WebCommand = z.infer<typeof webCommandSchema>;

const told = (...names: readonly string[]): CommandResult => ({ told: names, refused: [] });
const noted = (note: string): CommandResult => ({ told: [], refused: [], note });

/**
 * Runs one command and closes the handle in any case.
 * @throws TeamError what the verb would throw
 */
export async function runWebCommand(
  opened: TeamHandle,
  deed: WebCommand,
  place: DetachedPlace,
): Promise<CommandResult> {
  await using handle = opened;
  switch (deed.do) {
    case 'send':
      return told((await handle.send(deed.to, deed.text)).recipient);
    case 'broadcast': {
      const sent = await handle.broadcast(deed.text);
      const refused = sent.flatMap((one) => ('error' in one ? [`${one.recipient}: ${one.error}`] : []));
      return { told: sent.filter((one) => !('error' in one)).map(({ recipient }) => recipient), refused };
    }
    case 'answer':
      return told((await handle.answer(deed.request, deed.text)).recipient);
    case 'judge':
      return told(holderOf(await judgeTask(handle, deed.task, { approve: deed.approve, text: deed.text })));
    case 'revise':
      return told(holderOf(await reviseTask(handle, deed.task, deed.text)));
    case 'retry':
      return noted(await retryTasks(handle, handle.paths, deed.task, place));
    case 'skip': {
      const { id } = await handle.board.skip(deed.task, { cascade: true, why: 'skipped on the page' });
      return noted(`#${id} is skipped.`);
    }
    case 'pause':
      if (deed.paused) await handle.pause();
      else await handle.unpause();
      return noted(deed.paused ? 'Present turns end, and nothing begins.' : 'The team goes on.');
    case 'stop':
      await handle.send(deed.member, 'Finish your step and leave.', { type: 'shutdown_request' });
      return noted(`${deed.member} finishes its step and leaves.`);
    case 'add': {
      const { subject, description, owner } = deed;
      const { id } = await handle.board.add({ subject, description, owner });
      return noted(`#${id} is on the board.`);
    }
    default:
      return deed satisfies never;
  }
}

const holderOf = (task: Task): string =>
  task.status === 'in_progress' ? task.claim.member : (task.owner ?? `the member that claims task #${task.id}`);
