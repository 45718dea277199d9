/** Idle notices, coalesced (RELIABILITY §2 row 21): of one member only the latest says anything. */
import type { Message } from '../../model/team/message.ts';

export const isIdleNotice = ({ type, kind }: Message): boolean => type === 'message' && kind === 'idle';

/** Of mail in its order, the notices that a later one of the same member makes void. */
export function superseded(mail: readonly Message[]): Set<string> {
  const latest = new Map<string, string>();
  const over = new Set<string>();
  for (const { id, sender } of mail.filter(isIdleNotice)) {
    const before = latest.get(sender);
    if (before !== undefined) over.add(before);
    latest.set(sender, id);
  }
  return over;
}
