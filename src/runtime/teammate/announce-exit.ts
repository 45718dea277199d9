/**
 * How a member exits: its task is released and its lead is told. A member that had nothing to do also leaves the team.
 */
import { shutdownAck } from '../../policy/mail-wording.ts';
import { removeBell } from '../../store/mail/bell.ts';
import type { MemberSession } from '../team/member-session.ts';

export type ExitReason = 'shutdown' | 'idle' | 'done' | 'closed' | 'replaced' | 'signal' | 'gone' | 'unfit' | 'cut-off';

/** @param completed number of tasks that this process completed */
export async function announceExit(session: MemberSession, why: ExitReason, completed: number): Promise<void> {
  if (why === 'replaced' || why === 'gone' || why === 'cut-off') return;
  const own = session.task();
  const released = { type: 'task.released', reason: 'released', why: `${session.name} stops` } as const;
  if (own) await session.write({ ...released, task: own.id, epoch: own.claim.epoch });
  if (why === 'idle') return leave(session);
  // A role that is done has reported already. It stays a member, because it may get work again.
  if (why === 'signal' || why === 'done') return;
  if (why === 'unfit') {
    await session.tellLead(`No agent can work for ${session.name} here; its process ends.`, { kind: 'alert' });
    return;
  }
  await session.tellLead(shutdownAck(session.name, completed, 0), {
    type: 'shutdown_response',
    data: { approve: true },
  });
}

/** Leaves the team. Without a bell no member sends mail to it any more; the board refuses what comes later. */
async function leave(session: MemberSession): Promise<void> {
  const { store, name } = session;
  await session.tellLead(`${name} had nothing to do and leaves.`, { kind: 'idle' });
  removeBell(store.disk, store.paths.inbox(name).bell);
  await session.write({ type: 'member.left', name, why: 'idle' });
}
