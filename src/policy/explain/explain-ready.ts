/** Which member should begin a task that has no open blocker, and why it has not begun. */
import { timestamp } from '../../model/text/clock.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import { isCheckpoint, type Task } from '../../model/board/task.ts';
import { explainHeldMember } from './explain-member.ts';
import { atTime, withLead, type Explanation, type Facts } from './explanation.ts';

/** A paused team: who works goes on to the end of the present turn, and nothing begins. */
export function explainPause({ board, since, team }: Facts): Explanation {
  const busy = [...board.busy].map(([name, id]) => `#${id} (${name})`);
  const turns =
    busy.length === 0 ? '' : `; the present ${busy.length === 1 ? 'turn' : 'turns'} of ${busy.join(', ')} may end`;
  return {
    waitingFor: `the end of a pause${turns}`,
    since: since.team.paused ?? null,
    who: LEAD,
    next: `\`teams unpause ${team}\` lets it go on.`,
    about: { tasks: [...board.busy.values()] },
  };
}

export function explainReady(facts: Facts, task: Task): Explanation {
  const { board, team } = facts;
  const since = task.updated_at;
  if (board.phase === 'paused') return explainPause(facts);
  if (board.phase !== 'open')
    return {
      waitingFor: 'the team to be open again',
      since,
      who: LEAD,
      next: `The team is ${board.phase}: \`teams resume ${team}\`.`,
    };
  if (isCheckpoint(task))
    return {
      waitingFor: "a person's approval at this checkpoint",
      since,
      who: LEAD,
      next: withLead(
        facts,
        `\`teams task approve ${team} ${task.id}\` continues, \`teams task refuse ${team} ${task.id}\` ends it here.`,
      ),
    };
  if (task.owner === LEAD)
    return {
      waitingFor: 'the lead',
      since,
      who: LEAD,
      next: `\`teams task claim ${team} ${task.id}\` begins it.`,
    };
  if (task.owner !== undefined) return owned(facts, task, task.owner);
  if (task.role !== undefined)
    return {
      waitingFor: `an idle member of the role ${task.role}`,
      since,
      who: task.role,
      next: withLead(facts, 'The first of that role with nothing to do claims it.'),
    };
  if (board.claimMode === 'assigned')
    return {
      waitingFor: 'the lead to assign it',
      since,
      who: LEAD,
      next: withLead(facts, 'The lead assigns it at its next look.'),
    };
  return {
    waitingFor: 'an idle member',
    since,
    who: null,
    next: withLead(facts, 'The first with nothing to do claims it.'),
  };
}

function owned(facts: Facts, task: Task, owner: Name): Explanation {
  const since = task.updated_at;
  const member = facts.members.get(owner);
  const held = member && explainHeldMember(facts, owner, member);
  if (held) return held;
  const current = facts.board.busy.get(owner);
  if (current !== undefined)
    return {
      waitingFor: `${owner}, who works on #${current}`,
      since,
      who: owner,
      next: `${owner} begins it after #${current}.`,
      about: { tasks: [current] },
    };
  if (member?.status.state === 'joined')
    return {
      waitingFor: `${owner} to be started (${member.status.reason})`,
      since,
      who: LEAD,
      next: withLead(facts, `${owner} begins it when it runs.`),
    };
  return (
    again(facts, task, owner) ?? {
      waitingFor: `${owner} to claim it`,
      since,
      who: owner,
      next: withLead(facts, `${owner} begins it within a second.`),
    }
  );
}

/** After its agent's own fault, a member does not retry the task for a while. */
function again(facts: Facts, task: Task, owner: Name): Explanation | undefined {
  const pause = facts.since.pause(task.id);
  if (pause?.member !== owner || pause.until <= facts.now) return undefined;
  return {
    waitingFor: `${owner} to try again after a fault of its agent`,
    since: task.updated_at,
    who: owner,
    next: `${owner} begins it again ${atTime(facts, pause.until)}.`,
    nextAt: timestamp(pause.until),
    about: { members: [owner] },
  };
}
