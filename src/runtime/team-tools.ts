/** The team tools that an agent in this process calls. */
import type { CallAnswer } from '../agents/agent.ts';
import { isTeamError } from '../model/errors.ts';
import { parseMemberName } from '../model/names.ts';
import { sendMail } from './mail.ts';
import type { Self } from './self.ts';

/** Carries out a call; a refusal is an answer that the agent can act on. */
export async function callTool(
  self: Self,
  tool: string,
  { recipient, content }: Readonly<Record<string, unknown>>,
): Promise<CallAnswer> {
  if (tool !== 'SendMessage') return { ok: false, why: `There is no tool ${tool} here.` };
  if (typeof recipient !== 'string' || typeof content !== 'string')
    return { ok: false, why: 'SendMessage needs recipient and content, both text.' };
  try {
    const { id } = await sendMail(self.store, self.speaker, parseMemberName(recipient), content);
    return { ok: true, text: `sent ${id}` };
  } catch (error) {
    if (!isTeamError(error)) throw error;
    return { ok: false, why: error.message };
  }
}
