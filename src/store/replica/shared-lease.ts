/**
 * The store's part of a lease: it says which machine may have a member's process, or the lead. It lapses by the clock of
 * the store unless its holder asks again; who may write is said by the log, as on files.
 */
import { codeOf } from '../../model/text/errors.ts';
import type { Name } from '../../model/text/names.ts';
import type { RelayClient } from './relay-client.ts';

const RENEW_MS = 2_500;

interface SharedLease {
  /** Milliseconds since the store has confirmed it. */
  readonly silentFor: () => number;
  release(): Promise<void>;
}

/**
 * @param owner the same text for each renewal, and of no other process
 * @param onLost called once: another process has the lease, or the team is gone
 * @param monotonic milliseconds of a clock that never goes back
 * @returns the lease, or who has it
 * @throws StoreError `ENGINE_UNREACHABLE`, `ENGINE_DIVERGED`, `TEAM_GONE`
 */
export async function takeSharedLease(
  relay: RelayClient,
  { team, name, owner }: { readonly team: Name; readonly name: Name; readonly owner: string },
  { onLost, monotonic }: { readonly onLost: (why?: Error) => void; readonly monotonic: () => number },
): Promise<SharedLease | string> {
  const asked = { name, owner, isFirst: false };
  let confirmedAt = monotonic();
  const holder = await relay.takeLease(team, { ...asked, isFirst: true });
  if (holder !== owner) return holder ?? '';
  let isAsking = false;
  const renew = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    const askedAt = monotonic();
    try {
      if ((await relay.takeLease(team, asked)) === owner) confirmedAt = askedAt;
      else lose();
    } catch (error) {
      // While the store is away nobody else can take it, and nothing can be written.
      if (['TEAM_GONE', 'ENGINE_DIVERGED'].includes(codeOf(error) ?? ''))
        lose(error instanceof Error ? error : undefined);
    } finally {
      isAsking = false;
    }
  };
  const timer = setInterval(() => void renew(), RENEW_MS);
  const lose = (why?: Error): void => {
    clearInterval(timer);
    onLost(why);
  };
  return {
    silentFor: () => monotonic() - confirmedAt,
    release: async () => {
      clearInterval(timer);
      // It lapses by itself where the relay is away.
      await relay.leaveLease(team, asked).catch(() => {});
    },
  };
}
