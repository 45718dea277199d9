/** What an explanation is drawn from: the board, with what the lead was asked, and its members as they are seen now. */
import type { Board } from '../model/board.ts';
import { timestamp } from '../model/clock.ts';
import type { Facts, MemberFacts } from '../policy/explanation.ts';
import { RESTART_AFTER_MS } from '../policy/restart.ts';
import type { TeamReader } from '../store/team-reader.ts';
import type { MemberLook, TeamLook } from './status.ts';

export function whyFacts(store: TeamReader, { board, members, lead }: TeamLook, reassignAfterMs: number): Facts {
  const now = store.clock.now();
  return {
    ...{ team: store.paths.name, board, hasLead: lead.alive, reassignAfterMs },
    members: new Map(members.map((member) => [member.status.name, memberFacts(member, board, now)])),
  };
}

function memberFacts({ status, seen, deeds }: MemberLook, board: Board, now: number): MemberFacts {
  const task = board.tasks.get(status.task ?? '');
  const working = task?.status === 'in_progress' ? task.claimed_at : null;
  const silentFor = seen?.progressAge ?? 0;
  const since: Partial<Record<typeof status.state, string | null>> = {
    dead: deeds.death?.at ?? null,
    stopped: deeds.death?.at ?? null,
    quarantined: deeds.quarantinedAt ?? null,
    stalled: timestamp(now - silentFor),
    working,
  };
  const restart = restartIn({ seen, deeds }, now);
  return {
    status,
    since: since[status.state] ?? null,
    unread: status.unread,
    silentFor,
    ...(restart === undefined ? {} : { restartIn: restart }),
  };
}

function restartIn({ seen, deeds }: Pick<MemberLook, 'seen' | 'deeds'>, now: number): number | undefined {
  if (seen?.process !== 'dead' || seen.givenUp || seen.byHand) return undefined;
  const wait = RESTART_AFTER_MS[seen.restarts];
  return wait === undefined ? undefined : wait - (deeds.death ? now - Date.parse(deeds.death.at) : 0);
}
