/** What a person does through the page: the same commands as at the command line, as the lead. */
import * as z from 'zod';
import { judgeTask, reviseTask, type Task, type TeamHandle } from '../../app.ts';
import type { CommandResult } from './wire-types.ts';

const task = z.string().max(16);
const words = z.string().trim().min(1).max(262_144);

export const webCommandSchema = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('send'), to: z.string().max(64), text: words }),
  z.strictObject({ do: z.literal('broadcast'), text: words }),
  z.strictObject({ do: z.literal('answer'), request: z.string().max(64), text: words }),
  z.strictObject({ do: z.literal('judge'), task, approve: z.boolean(), text: z.string().max(65_536) }),
  z.strictObject({ do: z.literal('revise'), task, text: words }),
]);
export type WebCommand = z.infer<typeof webCommandSchema>;

const told = (...names: readonly string[]): CommandResult => ({ told: names, refused: [] });

/**
 * Runs one command and closes the handle in any case.
 * @throws TeamError what the verb would throw
 */
export async function runWebCommand(opened: TeamHandle, deed: WebCommand): Promise<CommandResult> {
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
    default:
      return deed satisfies never;
  }
}

const holderOf = (task: Task): string =>
  task.status === 'in_progress' ? task.claim.member : (task.owner ?? `the member that claims task #${task.id}`);
