/** How much an event matters to somebody who leads a team: the level of its log message. */
import type { Fact } from '../../model/team/shown-event.ts';
import { actOf } from '../decision.ts';
import type { Verdict } from '../sighting.ts';

/** From the least to the most. */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const EVENTS: ReadonlyMap<string, LogLevel> = new Map<string, LogLevel>([
  ['task.failed', 'error'],
  ['agent.no_fallback', 'error'],
  ['run.stopped', 'error'],
  ['state.set_aside', 'error'],
  ['lead.troubled', 'error'],
  ['agent.delayed', 'warning'],
  ['budget.reached', 'warning'],
  ['budget.settled', 'warning'],
  ['budget.low', 'warning'],
  ['agent.failed', 'warning'],
  ['agent.fell_back', 'warning'],
  ['agent.left_alone', 'warning'],
  ['hook.failed', 'warning'],
  ['host.declined', 'warning'],
  ['lead.lost_time', 'warning'],
  ['lead.overtaken', 'warning'],
  ['mail.set_aside', 'warning'],
  ['member.lost', 'warning'],
  ['message.failed', 'warning'],
  ['sandbox.missing', 'warning'],
  ['task.cancelled', 'warning'],
  ['task.skipped', 'warning'],
  ['task.untrusted', 'warning'],
  ['watch.lost', 'warning'],
  ['agent.denied', 'notice'],
  ['boundary.refused', 'notice'],
  ['checkpoint.reached', 'notice'],
  ['hook.refused', 'notice'],
  ['message.denied', 'notice'],
  ['message.refused', 'notice'],
  ['request.made', 'notice'],
  ['task.bounced', 'notice'],
  ['task.released', 'notice'],
  ['task.retried', 'notice'],
  ['task.changed', 'notice'],
  ['plan.changed', 'notice'],
  ['member.changed', 'notice'],
  ['team.closed', 'notice'],
  ['team.paused', 'notice'],
  ['team.unpaused', 'notice'],
  ['member.exited', 'info'],
  ['member.joined', 'info'],
  ['member.left', 'info'],
  ['request.answered', 'info'],
  ['task.claimed', 'info'],
  ['task.completed', 'info'],
  ['task.created', 'info'],
  ['task.submitted', 'info'],
  ['task.landed', 'info'],
]);

/** Decisions of the lead; all others are `info`. */
const ACTS: Partial<Readonly<Record<Verdict['do'], LogLevel>>> = {
  abandon: 'error',
  quarantine: 'error',
  stuck: 'error',
  check: 'warning',
  fence: 'warning',
  release: 'warning',
  restart: 'warning',
  skip: 'warning',
  stop: 'warning',
  tell: 'warning',
};

/** An event of an unknown type is `debug`. */
export function logLevelOf(event: Fact): LogLevel {
  if (event.type === 'lead.decided') {
    const act = actOf(event);
    return (act === undefined ? undefined : ACTS[act]) ?? 'info';
  }
  if (event.type === 'gate.ended') return 'result' in event && event['result'] === 'fail' ? 'error' : 'info';
  return EVENTS.get(event.type) ?? 'debug';
}
