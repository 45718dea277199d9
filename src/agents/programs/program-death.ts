/** What the death of a program in mid-turn means for the turn. */
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import { faultOf } from '../vendor-fault.ts';
import type { ProgramDeath, PersistentProgram } from './persistent-turn.ts';
import { lastLine, tailText } from '../../os/output-tail.ts';

const KEPT = 64 * 1024;
const MESSAGE = 500;

export function deathEnd({ end, text, stopped }: ProgramDeath, { hasSpoken, hasPrinted }: PersistentProgram): TurnEnd {
  const isGarbage = !hasSpoken && hasPrinted;
  if (stopped !== undefined && !(isGarbage && stopped.kind === 'failed')) return stopped;
  const failed = (why: 'bad_output' | 'crashed' | 'unauthorised', message: string): TurnEnd => ({
    kind: 'failed',
    why,
    text,
    message: message.slice(0, MESSAGE),
  });
  if (end.kind === 'flooded') return failed('bad_output', 'It printed without end and was stopped.');
  if (isGarbage)
    return failed('bad_output', 'It did not speak its protocol; check that its command is the right program.');
  if (end.kind === 'signalled') return failed('crashed', `It was ended by ${end.signal} in mid-turn.`);
  if (end.kind !== 'exited') return failed('crashed', 'It was ended in mid-turn.');
  if (end.code === 0) return failed('bad_output', 'It ended, with exit code 0, before it gave a result.');
  const said = lastLine(tailText(end.stderr, KEPT));
  const message = `It ended in mid-turn, exit ${end.code}${said === undefined ? '' : `: ${said}`}`;
  return failed(faultOf({ text: said ?? '' }) === 'unauthorised' ? 'unauthorised' : 'crashed', message);
}
