/**
 * Becoming the lead of a team. The lease says whether to try; the event `lead.took` in the log is the election. A
 * takeover first kills the old lead by pid and start time. A new lead first ends the processes of a dead one.
 */
import process from 'node:process';
import { newId } from '../../store/files/new-ids.ts';
import { dayAndTime } from '../../model/team/colors-and-times.ts';
import { ConflictError, StoreError } from '../../model/text/errors.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import { whenCutOff } from '../../policy/supervise/cut-off.ts';
import { teamPaths } from '../../store/files/paths.ts';
import { leaseOwner, takeLease, type Lease, type LeaseOwner } from '../../store/team/lease.ts';
import { isStopped, livenessOf, ownIdentity } from '../../os/process-table.ts';
import { continueProcess, duration } from '../../policy/mail-wording.ts';
import type { LeaseHolder } from '../../store/replica/elsewhere.ts';
import { originalOf } from '../../store/team/copied-team.ts';
import { isProven } from '../../store/team/roster.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import type { LeadSpeaker } from './lead-options.ts';
import { endOrphans } from './end-orphans.ts';

export interface Leadership {
  readonly speaker: LeadSpeaker;
  readonly lease: Lease;
}

interface TakeOptions {
  /** Replaces a living lead: it is killed first. */
  readonly takeover?: boolean;
  /** Called when the lease or the log says that another process leads now. */
  readonly onLost: () => void;
}

const DYING_MS = 5_000;

/**
 * Makes this process the team's lead and ends what a dead lead left running.
 *
 * @throws ConflictError `LEAD_ALIVE` with pid and since when; StoreError `TEAM_GONE` for a team in the archive: one that
 *   moved goes on elsewhere
 */
export async function takeLead(store: TeamStore, { takeover = false, onLost }: TakeOptions): Promise<Leadership> {
  const { root, name, folder } = store.paths;
  if (folder !== teamPaths(root, name).folder)
    throw new StoreError('TEAM_GONE', `Team ${name} was archived: nobody leads it in ${folder}.`, { path: folder });
  const incarnation = newId(store.clock.now());
  const isOurs = (): boolean => {
    store.pinned.check();
    return store.board.fold().lead.incarnation === incarnation;
  };
  const original = originalOf(store.disk, store.paths);
  const owner = leaseOwner(store.disk, store.paths, LEAD);
  // A process of another machine is never signalled: its pid is no process of this one.
  if (takeover && owner?.where === 'here') await kill(store, owner);
  const answer = await takeLease(store.paths, LEAD, store.forLease(onLost, isOurs));
  if (!answer.held) throw leadAlive(store, answer.owner, answer.elsewhere);
  try {
    const epoch = await elected(store, incarnation);
    if (original !== undefined)
      store.events.append({ type: 'team.copied', text: `from ${original}; its processes belong to the original` });
    await endOrphans(store);
    store.roster.write({
      version: 1,
      name: LEAD,
      phase: 'running',
      ...ownIdentity(),
      folder: store.pinned.identity,
      incarnation,
      started_at: store.clock.now() / 1000,
    });
    return { speaker: { kind: 'lead', name: LEAD, incarnation, epoch }, lease: answer.lease };
  } catch (error) {
    await answer.lease.release();
    throw error;
  }
}

/**
 * @param endAfterMs milliseconds without a word of the team's store after which its lead ends
 * @throws StoreError `ENGINE_UNREACHABLE` when it was not heard for so long
 */
export function requireHeard({ lease }: Leadership, team: Name, endAfterMs: number): void {
  if (whenCutOff(lease.silentFor(), endAfterMs) !== 'end') return;
  throw new StoreError(
    'ENGINE_UNREACHABLE',
    `The store of team ${team} was not heard for ${duration(endAfterMs)}, so its lead and its members here end; \`teams resume ${team}\` goes on when it is back.`,
  );
}

/**
 * Holds the lead's lease and ends what a dead lead left running, without reading the board: to put away a team whose log
 * this program cannot read.
 *
 * @throws ConflictError `LEAD_ALIVE`
 */
export async function holdUnread(store: TeamStore): Promise<Lease> {
  const answer = await takeLease(store.paths, LEAD, store.forLease());
  if (!answer.held) throw leadAlive(store, answer.owner, answer.elsewhere);
  await endOrphans(store);
  return answer.lease;
}

/**
 * @returns the epoch of this lead
 * @throws ConflictError `LEAD_ALIVE` when another process got the epoch first
 */
async function elected(store: TeamStore, incarnation: string): Promise<number> {
  const epoch = store.board.fold().lead.epoch + 1;
  const { outcome } = await store.board.append({ lead: incarnation, epoch }, () => ({ type: 'lead.took', epoch }));
  if (!outcome.ok) throw leadAlive(store, undefined);
  return epoch;
}

function leadAlive(store: TeamStore, owner: LeaseOwner | undefined, elsewhere?: LeaseHolder): ConflictError {
  if (elsewhere !== undefined) {
    const { pid, machine, since } = elsewhere;
    return new ConflictError(
      'LEAD_ALIVE',
      `Team ${store.paths.name} is led on ${machine} (pid ${pid} there) since ${dayAndTime(since)}: end it there; after a loss of that machine try again in 10 s.`,
    );
  }
  const who = owner ? `pid ${owner.pid} since ${dayAndTime(owner.since)}` : 'another process';
  const life = owner && livenessOf(owner);
  const isHalted = owner !== undefined && life === 'alive' && isStopped(owner.pid);
  const how = isHalted ? `, whose process is stopped: ${continueProcess(owner.pid)}` : '';
  // A process of another PID namespace, or of a table that cannot be read, is never signalled.
  const cure =
    life === 'unknown'
      ? 'it runs in another container, or where this process cannot see it: end it there'
      : '`--takeover` replaces it';
  return new ConflictError('LEAD_ALIVE', `Team ${store.paths.name} is led by ${who}${how}; ${cure}.`);
}

async function kill(store: TeamStore, owner: LeaseOwner): Promise<void> {
  const deadline = store.clock.monotonic() + DYING_MS;
  if (owner.pid === process.pid || !isProven(owner, store.pinned.identity)) return;
  if (livenessOf(owner) === 'alive') process.kill(owner.pid, 'SIGKILL');
  while (livenessOf(owner) === 'alive' && store.clock.monotonic() < deadline) await store.clock.sleep(10);
}
