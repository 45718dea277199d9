/** Whether a process leads a team, and what is asked of it: another teammate, the end of the team. */
import { ConflictError } from '../../model/text/errors.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import { leaseOwner, mayLive } from '../../store/team/lease.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import type { TeamHandle } from '../team/team-handle.ts';
import type { SessionOptions } from './session.ts';

/** True while a process leads the team. */
export const isLed = (store: TeamStore): boolean => mayLive(leaseOwner(store.disk, store.paths, LEAD));

/**
 * Asks the living lead to start a member.
 *
 * @throws ConflictError `REFUSED` when no lead runs
 */
export async function requestSpawn({ store }: TeamHandle, member: Name): Promise<void> {
  if (!isLed(store))
    throw new ConflictError(
      'REFUSED',
      `No lead runs for team ${store.paths.name}: start one with \`teams lead ${store.paths.name}\`, or run the teammate yourself with \`teams worker ${store.paths.name} ${member}\`.`,
    );
  await store.sender.send({
    sender: LEAD,
    recipient: LEAD,
    draft: { type: 'message', kind: 'spawn', content: `Start ${member}.`, data: { member, by: 'person' } },
  });
}

/**
 * Asks the living lead to close the team, and waits until it has ended or says that it stays.
 *
 * @returns the members whose processes ran
 * @throws ConflictError `STILL_RUNNING` when a member refuses, or the lead does not end
 */
export async function requestClose(
  store: TeamStore,
  order: { force: boolean; now: boolean },
  options: Pick<SessionOptions, 'shutdownTimeoutMs'>,
): Promise<Name[]> {
  const running = store.roster.all().filter((record) => record.name !== LEAD && record.pid !== undefined);
  const before = store.events.end();
  await store.sender.send({
    sender: LEAD,
    recipient: LEAD,
    draft: {
      type: 'message',
      kind: 'close',
      content: 'SHUTDOWN: asked by a person.',
      data: { ...order, by: 'person' },
    },
  });
  const patience = (options.shutdownTimeoutMs ?? 30_000) + 30_000;
  const deadline = store.clock.monotonic() + patience;
  while (isLed(store)) {
    const refusal = [...store.events.read(before)].find(({ event }) => event.type === 'shutdown.refused');
    if (refusal) throw new ConflictError('STILL_RUNNING', refusal.event.text ?? 'A member refuses to stop.');
    if (store.clock.monotonic() > deadline)
      throw new ConflictError(
        'STILL_RUNNING',
        `The lead of team ${store.paths.name} has not ended within ${Math.round(patience / 1000)} s; \`teams doctor\` shows its process.`,
      );
    await store.clock.sleep(20);
  }
  return running.map(({ name }) => name);
}
