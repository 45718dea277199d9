/** Every state of a member, each with its reason in one clause (docs/specification.md R5.5). */
import { expect, it } from 'vitest';
import { describeMember, type MemberNote, type MemberObservation } from '../../../src/policy/supervise/progress.ts';
import { MINUTE, name, seen, world, type World } from '../world.ts';

const working = (): World => {
  const team = world({ members: ['ada'], tasks: [{ owner: 'ada', subject: 'Fix it', retries: 2 }] });
  team.claim('ada', '1');
  return team;
};
const again = (): World => {
  const team = working();
  team.fail('ada', '1');
  team.claim('ada', '1');
  return team;
};
const blocked = (): World => {
  const team = world({
    members: ['ada', 'bob'],
    tasks: [{ owner: 'bob' }, { owner: 'bob' }, { owner: 'ada', blockedBy: ['1', '2'] }],
  });
  team.claim('bob', '1');
  return team;
};
const gone = (): World => {
  const team = working();
  team.lead({ type: 'member.left', name: name('ada'), why: 'done' });
  return team;
};
const fresh = (): World => {
  const team = world();
  team.lead({ type: 'member.joined', name: name('ada'), role: name('executor'), prefixes: [] });
  return team;
};
const idle = () => world({ members: ['ada'] });
const ready = () => world({ members: ['ada'], tasks: [{ owner: 'ada' }] });

it.each<[string, World, Partial<MemberObservation> | undefined, MemberNote | undefined, string]>([
  ['left', gone(), {}, undefined, 'it left the team'],
  ['joined', fresh(), { process: 'none' }, undefined, 'it was not started yet'],
  ['joined', idle(), undefined, undefined, 'it works without a process of the team'],
  ['working', working(), undefined, undefined, 'task #1: Fix it'],
  ['stopped', idle(), { process: 'none' }, undefined, 'its process ended in order'],
  ['stopped', idle(), { process: 'none', death: 'exit 0' }, undefined, 'its process ended in order'],
  ['stopped', idle(), { process: 'none', death: 'signal SIGKILL' }, undefined, 'its process ended: signal SIGKILL'],
  ['starting', idle(), { process: 'starting' }, undefined, 'its process is being started'],
  ['working', working(), {}, undefined, 'task #1: Fix it'],
  ['working', working(), {}, { state: 'working', reason: 'verifying' }, 'task #1: verifying'],
  ['working', again(), {}, undefined, 'task #1 (attempt 2 of 3): Fix it'],
  ['working', working(), {}, { state: 'stopping', reason: 'asked to' }, 'it is stopping: asked to'],
  ['idle', idle(), {}, undefined, 'no task for it'],
  ['idle', idle(), {}, { state: 'idle', reason: 'standing by' }, 'standing by'],
  ['idle', ready(), {}, undefined, 'task #1 is ready for it'],
  ['waiting', blocked(), {}, undefined, 'task #3 waits for #1 (bob works on it), #2'],
  [
    'waiting',
    working(),
    {},
    { state: 'waiting', reason: 'for a person to approve its plan' },
    'for a person to approve its plan',
  ],
  [
    'rate-limited',
    working(),
    { progressAge: 9 * MINUTE },
    { state: 'rate-limited', reason: '429 from claude', forMs: 42_000 },
    '429 from claude (42s more)',
  ],
  ['stalled', working(), { progressAge: 6 * MINUTE }, undefined, 'no progress on task #1 for 6m00s'],
  ['idle', idle(), { progressAge: 6 * MINUTE }, undefined, 'no task for it'],
  [
    'quarantined',
    working(),
    { quarantined: true, consecutiveFailures: 3 },
    undefined,
    '3 failed tasks in a row; it gets no new tasks',
  ],
  ['dead', working(), { process: 'dead', death: 'signal SIGKILL' }, undefined, 'signal SIGKILL; it will be restarted'],
  [
    'dead',
    working(),
    { process: 'dead', death: 'exit 1', givenUp: true, restarts: 3 },
    undefined,
    'exit 1; not restarted again after 3 restarts',
  ],
  [
    'dead',
    working(),
    { process: 'dead', death: 'exit 0', byHand: true },
    undefined,
    'exit 0; a person started it and may start it again',
  ],
])('%s (%#)', (state, team, rest, note, reason) => {
  const member = team.board.members.get(name('ada'));
  if (!member) throw new Error('no ada');
  const facts = { ...(rest ? { seen: seen('ada', rest) } : {}), note, stalledAfterMs: 5 * MINUTE };
  expect(describeMember(team.board, member, facts)).toEqual({ state, reason });
});
