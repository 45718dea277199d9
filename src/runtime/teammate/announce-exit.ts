/** How a member goes: its task goes back, its lead is told, and one that had nothing to do leaves the team. */
import { shutdownAck } from '../../policy/mail-wording.ts';
import { removeBell } from '../../store/mail/bell.ts';
import type { Self } from '../team/member-session.ts';

export type Leaving = 'shutdown' | 'idle' | 'done' | 'closed' | 'replaced' | 'signal' | 'gone' | 'unfit';

/** @param completed tasks of this life */
export async function farewell(self: Self, why: Leaving, completed: number): Promise<void> {
  if (why === 'replaced' || why === 'gone') return;
  const own = self.task();
  const released = { type: 'task.released', reason: 'released', why: `${self.name} stops` } as const;
  if (own) self.write({ ...released, task: own.id, epoch: own.claim.epoch });
  if (why === 'idle') return leave(self);
  // A role that is done has reported already, and stays a member: there may be work for it again.
  if (why === 'signal' || why === 'done') return;
  if (why === 'unfit') {
    await self.tell(`No agent can work for ${self.name} here; it ends.`, { kind: 'alert' });
    return;
  }
  await self.tell(shutdownAck(self.name, completed, 0), { type: 'shutdown_response', data: { approve: true } });
}

/** Leaving is announced; without a bell nobody sends any more, and what comes late is refused by the board. */
async function leave(self: Self): Promise<void> {
  const { store, name } = self;
  await self.tell(`${name} had nothing to do and leaves.`, { kind: 'idle' });
  removeBell(store.disk, store.paths.inbox(name).bell);
  self.write({ type: 'member.left', name, why: 'idle' });
}
