/** Brings a replica up to what the store has, after a look whether it is of the same order. */
import type { EngineSession } from '../../store/engine/engine-session.ts';
import type { Replica } from '../../store/engine/replica.ts';
import type { ReplicaTeam } from './relay-acts.ts';

/** @throws StoreError `ENGINE_DIVERGED` */
export async function requireSame(
  session: EngineSession,
  replica: Replica,
  of: 'log' | 'ledger' = 'log',
): Promise<void> {
  // Number and text are read together: a record that comes between the two would look like a loss.
  const { number, line } = replica.position;
  if (number > 0 && (await session.line(replica.id, number, of)) !== line) throw replica.diverged();
}

/** What a process takes its lease for, before it acts. */
const BEGINS = /"type":"(?:member\.started|lead\.took)"/;

export async function catchUp(session: EngineSession, { replica, mail }: ReplicaTeam): Promise<void> {
  for (;;) {
    const { found: lines, isAll } = await session.after(replica.id, replica.position.number);
    if (lines.some((line) => BEGINS.test(line))) await mail.note(session);
    // A record is here after what it names.
    for (const line of lines) await mail.bring(session, line);
    replica.append(lines);
    if (isAll) return;
  }
}
