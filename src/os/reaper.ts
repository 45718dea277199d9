/**
 * The reaper: a small process in its own session that outlives its lead for a moment. Its stdin is a pipe from the
 * lead. If the pipe ends without `done`, the lead is dead, and the reaper ends all processes with the team's marks.
 */
import { setTimeout } from 'node:timers/promises';
import type { Mark, ReaperMessage } from '../model/agent/process-mark.ts';
import { parseMessage } from './reaper-message.ts';
import { sweep, type SweepSeams } from './sweep.ts';
import type { ProcessIdentity } from '../model/agent/process-identity.ts';

interface ReaperSeams extends SweepSeams {
  /** Receives one line for each message that could not be read and each process that could not be ended. */
  readonly warn?: (line: string) => void;
}

interface Charges {
  readonly marks: Map<string, Mark>;
  readonly pids: Map<string, ProcessIdentity[]>;
}

/**
 * Milliseconds until the second sweep: a teammate that was being started when the lead died carries its mark by then.
 */
const SECOND_LOOK_MS = 250;

/** Resolves when the team has ended: `dismissed` by its lead, or `swept` after the lead's death. Never rejects. */
export async function reaperMain(
  stdin: AsyncIterable<unknown>,
  seams: ReaperSeams = {},
): Promise<'dismissed' | 'swept'> {
  const { warn = (line) => void process.stderr.write(`${line}\n`) } = seams;
  const charges: Charges = { marks: new Map(), pids: new Map() };
  for await (const line of linesOf(stdin)) {
    const message = parseMessage(line);
    if (message === undefined) warn(`teams reaper: not a message: ${line.slice(0, 200)}`);
    else if ('done' in message) return 'dismissed';
    else note(charges, message);
  }
  await sweepAll(charges, seams, warn);
  await (seams.sleep ?? setTimeout)(SECOND_LOOK_MS);
  await sweepAll(charges, seams, warn);
  return 'swept';
}

function note({ marks, pids }: Charges, message: Exclude<ReaperMessage, { done: true }>): void {
  if ('remove' in message) {
    marks.delete(message.remove);
    pids.delete(message.remove);
    return;
  }
  const { id } = message.add;
  marks.set(id, message.add);
  pids.set(id, [...(pids.get(id) ?? []), ...message.pids]);
}

async function sweepAll({ marks, pids }: Charges, seams: SweepSeams, warn: (line: string) => void): Promise<void> {
  const { clean } = await sweep([...marks.values()], [...pids.values()].flat(), seams);
  if (!clean) warn('teams reaper: something of the team would not end; `teams resume` tries again.');
}

/** The lines of a stream; its end or any error ends them. */
async function* linesOf(stdin: AsyncIterable<unknown>): AsyncGenerator<string> {
  let rest = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of stdin) {
      rest += chunk instanceof Uint8Array ? decoder.decode(chunk, { stream: true }) : String(chunk);
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch {
    // A broken pipe means the same as a closed one: the lead is gone.
  }
}
