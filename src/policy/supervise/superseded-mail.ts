/** Merges idle notices (docs/specification.md R2.13): only the latest notice of each member counts. */
import type { Message } from '../../model/team/message.ts';

export const isIdleNotice = ({ type, kind }: Message): boolean => type === 'message' && kind === 'idle';

/**
 * The ids of notices that a later notice of the same member replaces.
 *
 * @param mail in order
 */
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
