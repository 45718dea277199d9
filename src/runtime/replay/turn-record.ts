/** Records how a turn ended and what was decided of it, for replays. */
import type { ClaimedTask } from '../../model/board/task.ts';
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import { plainVerdict, type TurnRecord } from '../../model/team/look-record.ts';
import { defined } from '../../model/text/defined.ts';
import { timestamp } from '../../model/text/clock.ts';
import type { EndedTurn, TurnVerdict } from '../../policy/outcome.ts';
import type { SightingLog } from '../../store/board/sightings.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

interface RecordPlace {
  readonly store: Pick<TeamStore, 'clock'>;
  readonly sightings: SightingLog;
}

export function recordTurn(
  { store, sightings }: RecordPlace,
  task: ClaimedTask,
  turn: EndedTurn,
  verdict: TurnVerdict,
): void {
  const { end, kind, profile, remedied } = turn;
  sightings.append({
    type: 'turn',
    at: timestamp(store.clock.now()),
    member: task.claim.member,
    task: task.id,
    claim: task.claim.epoch,
    kind,
    profile,
    ...defined({ timeoutMs: task.work.timeoutMs, remedied }),
    end: withoutText(end),
    verdict: plainVerdict(
      'text' in verdict && 'text' in end && verdict.text === end.text ? { ...verdict, text: '' } : verdict,
    ),
  });
}

const withoutText = (end: TurnEnd): TurnRecord['end'] => (end.kind === 'aborted' ? end : { ...end, text: '' });
