/** What keeps a member's process from its work, and what will be done about it. */
import { LEAD, type Name } from '../model/names.ts';
import { withLead, type Explanation, type Facts, type MemberFacts } from './explanation.ts';
import { duration } from './wording.ts';

/** What keeps a member from its work; undefined when nothing does. */
export function heldUp(facts: Facts, name: Name, member: MemberFacts): Explanation | undefined {
  const { status, since, silentFor, restartIn } = member;
  switch (status.state) {
    case 'dead':
      return {
        waitingFor: `a new process of ${name}: the last one died (${status.reason})`,
        since,
        ...afterDeath(facts, name, restartIn),
      };
    case 'stalled': {
      const left = facts.reassignAfterMs - silentFor;
      const next =
        left > 0
          ? `Without a sign within ${duration(left)} ${name}'s task goes to somebody else.`
          : `${name}'s task goes to somebody else at the next look.`;
      return { waitingFor: `a sign of ${name} (${status.reason})`, since, who: name, next: withLead(facts, next) };
    }
    case 'rate-limited':
      return {
        waitingFor: `the limit of ${name}'s agent to pass (${status.reason})`,
        since,
        who: name,
        next: `${name} goes on by itself then.`,
      };
    case 'starting':
      return { waitingFor: `${name} to start`, since, who: name, next: `${name} begins as soon as it is ready.` };
    case 'quarantined':
      return {
        waitingFor: `somebody instead of ${name} (${status.reason})`,
        since,
        who: LEAD,
        next: withLead(facts, 'The lead gives its tasks to others.'),
      };
    case 'stopped':
    case 'left':
      return {
        waitingFor: `${name}, which does not run (${status.reason})`,
        since,
        who: LEAD,
        next: `\`teams resume ${facts.team}\` goes on with the team.`,
      };
    case 'joined':
    case 'working':
    case 'idle':
    case 'waiting':
      return undefined;
    default:
      return status.state satisfies never;
  }
}

function afterDeath(facts: Facts, name: Name, restartIn: number | undefined): Pick<Explanation, 'who' | 'next'> {
  if (!facts.hasLead) return { who: null, next: withLead(facts, '') };
  if (restartIn === undefined) return { who: LEAD, next: `${name} is not restarted any more; its tasks go to others.` };
  return {
    who: LEAD,
    next: restartIn > 0 ? `${name} is restarted in ${duration(restartIn)}.` : `${name} is restarted at the next look.`,
  };
}
