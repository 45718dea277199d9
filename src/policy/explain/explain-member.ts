/** Why a member's process does not work, and what will be done about it. */
import { timestamp } from '../../model/text/clock.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import { atTime, dueAt, withLead, type Explanation, type Facts, type MemberFacts } from './explanation.ts';
import { profiles } from '../profiles.ts';
import { START_LIMIT_MS } from '../supervise/restart.ts';
import { BUDGET_WAIT } from '../budget/admission.ts';
import { ANSWER_WITHIN_MS, STALE_BEAT_MS } from '../member-availability.ts';
import { duration } from '../mail-wording.ts';

/** What prevents a member from working; undefined if nothing does. */
export function explainHeldMember(facts: Facts, name: Name, member: MemberFacts): Explanation | undefined {
  const held = heldBy(facts, name, member);
  return held && { since: member.since, about: { members: [name] }, ...held };
}

/** What others reserved may come back by itself; a limit that is used up must be raised. */
function overBudget(
  { team }: Facts,
  name: Name,
  { status: { reason } }: MemberFacts,
): Omit<Explanation, 'since'> | undefined {
  if (!reason.startsWith(BUDGET_WAIT)) return undefined;
  return {
    waitingFor: `the budget of ${name}: ${reason.slice(BUDGET_WAIT.length)}`,
    who: LEAD,
    next: `It goes on when there is room: \`teams budget ${team}\` shows what is left, \`teams budget ${team} --add 5\` adds five dollars.`,
  };
}

function heldBy(facts: Facts, name: Name, member: MemberFacts): Omit<Explanation, 'since'> | undefined {
  const { status } = member;
  switch (status.state) {
    case 'dead':
      return {
        waitingFor: `a new process of ${name}: the last one died (${status.reason})`,
        ...afterDeath(facts, name, member.restartAt),
      };
    case 'stalled':
      return frozen(facts, name, member) ?? stalled(facts, name, member);
    case 'rate-limited':
      return {
        waitingFor: `the limit of ${name}'s agent to pass (${status.reason})`,
        who: name,
        ...passes(facts, name, member.until),
      };
    case 'starting':
      return { waitingFor: `${name} to start`, who: name, ...starting(facts, name, member.since) };
    case 'quarantined':
      return {
        waitingFor: `another member in place of ${name} (${status.reason})`,
        who: LEAD,
        next: withLead(
          facts,
          `The lead gives its tasks to others; it stays so until \`teams spawn ${facts.team} ${name}\`.`,
        ),
      };
    case 'stopped':
    case 'left':
      return {
        waitingFor: `${name}, which does not run (${status.reason})`,
        who: LEAD,
        next: `\`teams resume ${facts.team}\` continues the team.`,
      };
    case 'joined':
      return undefined;
    case 'waiting':
      return frozen(facts, name, member) ?? overBudget(facts, name, member);
    case 'working':
    case 'idle':
      return frozen(facts, name, member);
    default:
      return status.state satisfies never;
  }
}

function afterDeath(
  facts: Facts,
  name: Name,
  restartAt: number | undefined,
): Pick<Explanation, 'who' | 'next' | 'nextAt'> {
  if (!facts.lead.alive) return { who: null, next: withLead(facts, '') };
  if (restartAt === undefined) return { who: LEAD, next: `${name} is not restarted again; its tasks go to others.` };
  return { who: LEAD, next: `${name} is restarted ${atTime(facts, restartAt)}.`, ...dueAt(facts, restartAt) };
}

function stalled(facts: Facts, name: Name, { status, lastSign }: MemberFacts): Omit<Explanation, 'since'> {
  const waitingFor = `progress of ${name} (${status.reason})`;
  if (profiles[facts.board.profile].whenSilent === 'leave')
    return { waitingFor, who: name, next: withLead(facts, 'Its time-out ends the call.') };
  const at = lastSign + facts.reassignAfterMs;
  const unless = at > facts.now ? 'Without it, ' : '';
  const next = `${unless}${name}'s task goes to another member ${atTime(facts, at)}.`;
  return { waitingFor, who: name, next: withLead(facts, next), ...dueAt(facts, at) };
}

/** The process lives but its heartbeat does not move: it was stopped or hangs. */
function frozen(facts: Facts, name: Name, { runs, lastBeat }: MemberFacts): Explanation | undefined {
  const stillFor = facts.now - lastBeat;
  if (!runs || stillFor < STALE_BEAT_MS) return undefined;
  const asked = facts.since.member(name).checked;
  const isBusy = facts.board.busy.has(name);
  const at = (isBusy && asked !== undefined ? Math.max(lastBeat, Date.parse(asked)) : lastBeat) + ANSWER_WITHIN_MS;
  const due = isBusy ? 'it counts as dead and its task goes to another member' : 'its process is ended';
  return {
    waitingFor: `a heartbeat of ${name}, whose process lives but has had none for ${duration(stillFor)}`,
    since: timestamp(lastBeat),
    who: name,
    next: withLead(facts, `Without one, ${due} ${atTime(facts, at)}.`),
    ...dueAt(facts, at),
  };
}

function passes(facts: Facts, name: Name, until: number | undefined): Pick<Explanation, 'next' | 'nextAt'> {
  if (until === undefined || until <= facts.now) return { next: `${name} then continues by itself.` };
  return { next: `${name} continues by itself ${atTime(facts, until)}.`, nextAt: timestamp(until) };
}

function starting(facts: Facts, name: Name, since: string | null): Pick<Explanation, 'next' | 'nextAt'> {
  const next = `${name} begins as soon as it is ready.`;
  if (since === null || !facts.lead.alive) return { next };
  const at = Date.parse(since) + START_LIMIT_MS;
  return { next: `${next} If it is not, its process is ended ${atTime(facts, at)}.`, ...dueAt(facts, at) };
}
