/** The thread of a subagent: one turn of one agent. A bundle of its own, which piscina starts. */
import process from 'node:process';
import { agentFor, type Turn, type TurnEnd } from '../agents/index.ts';
import { outputTail, tailText } from '../agents/output-tail.ts';
import type { Posted, SubagentEnd } from './subagent-message.ts';

/** Ends this thread, where `process.exit` ends no more than that. */
const crash = (): void => process.exit(1);

export default async function runErrand({ errand, line }: Posted): Promise<SubagentEnd> {
  const { spec, ...input } = errand;
  const stop = new AbortController();
  line.on('message', () => stop.abort());
  try {
    const agent = await agentFor(spec, { crash });
    try {
      return await heard(agent.turn({ ...input, signal: stop.signal }));
    } finally {
      await agent.close();
    }
  } finally {
    line.close();
  }
}

/** How much of the end of what was printed is kept. */
const PRINTED_BYTES = 16 * 1024;

/** Drives the turn; what the agent says on its way counts as its answer when it ends without one. */
async function heard(turn: Turn): Promise<SubagentEnd> {
  const said: string[] = [];
  const printed = outputTail(PRINTED_BYTES);
  for (let next = await turn.next(undefined); ;) {
    if (next.done) return endOf(next.value, said.join('\n'), tailText(printed.bytes(), PRINTED_BYTES));
    if (next.value.type === 'said') said.push(next.value.text);
    if (next.value.type === 'output') printed.push(next.value.bytes);
    const isCall = next.value.type === 'called';
    next = await turn.next(isCall ? { ok: false, why: 'A subagent has no team tools.' } : undefined);
  }
}

function endOf(end: TurnEnd, said: string, printed: string): SubagentEnd {
  if (end.ended === 'aborted') return { ended: 'aborted' };
  return { ...end, text: end.text.trim() === '' ? said : end.text, printed };
}
