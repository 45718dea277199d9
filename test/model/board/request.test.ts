/** Requests of members to the lead: who may make one, what it blocks, that it is answered once, and when it ends. */
import { describe, expect, it } from 'vitest';
import { claimRefusal, isReady } from '../../../src/model/board/board.ts';
import { nextClaim } from '../../../src/model/board/listed-tasks.ts';
import type { Author, Change } from '../../../src/model/board/event.ts';
import { LEAD } from '../../../src/model/text/names.ts';
import { answersAbout, questionOn, waitOf, type RequestKind } from '../../../src/model/board/request.ts';
import {
  ada,
  bob,
  byLead,
  byMember,
  byPerson,
  canonical,
  completed,
  cy,
  life,
  openWorld,
  ulid,
  verdict,
  type World,
} from '../world.ts';

const Q = ulid(700);

const made = (kind: RequestKind = 'question', about: string | null = '1', request = Q): Change => ({
  type: 'request.made',
  request,
  kind,
  text: 'Which?',
  ...(about === null ? {} : { about }),
});
const answered = (request = Q, approve = false): Change => ({
  type: 'request.answered',
  request,
  approve,
  text: 'This one.',
});

/** ada works on #1 and has asked about it; #2 is unclaimed. */
function asking(kind: RequestKind = 'question'): World {
  const world = openWorld();
  world.add({ retries: 1 });
  world.add();
  world.claim('1');
  expect(verdict(world.say(byMember(ada), made(kind)))).toBe('ok');
  return world;
}
const state = (world: World, id = Q): string | undefined => world.board.requests.get(id)?.state;
const lost = { type: 'task.released', task: '1', epoch: 1, reason: 'lost', why: 'SIGKILL' } as const;

describe('asking', () => {
  const rows: [who: string, author: Author, change: Change, expected: string][] = [
    ['its worker, about a task', byMember(ada), made('question', '1', ulid(1)), 'ok'],
    ['a member, about nothing', byMember(bob), made('question', null, ulid(1)), 'ok'],
    ['a member, about a task of another', byMember(bob), made('question', '1', ulid(1)), 'STALE_CLAIM'],
    ['a member, about a task that no member works on', byMember(bob), made('question', '2', ulid(1)), 'STALE_CLAIM'],
    ['a member, about an unknown task', byMember(ada), made('question', '9', ulid(1)), 'UNKNOWN_TASK'],
    ['a replaced incarnation of its worker', byMember(ada, 9), made('question', '1', ulid(1)), 'STALE_MEMBER'],
    ['a person in the name of its worker', byPerson(ada), made('question', '1', ulid(1)), 'STALE_CLAIM'],
    ['a person in the name of a member, about nothing', byPerson(bob), made('question', null, ulid(1)), 'ok'],
    ['the lead', byLead(), made('question', '1', ulid(1)), 'POLICY_DENIED'],
    ['a plan without a task', byMember(ada), made('plan', null, ulid(1)), 'BAD_REFERENCE'],
    ['a second time under one id', byMember(ada), made(), 'DUPLICATE'],
  ];
  it.each(rows)('a request made by %s', (_, author, change, expected) => {
    expect(verdict(asking().say(author, change))).toBe(expected);
  });
});

describe('answering', () => {
  const rows: [who: string, author: Author, expected: string][] = [
    ['the lead', byLead(), 'ok'],
    ['a person as the lead', byPerson(LEAD), 'ok'],
    ['a lead of an old epoch', byLead(0), 'STALE_LEAD'],
    ['the asker', byMember(ada), 'POLICY_DENIED'],
    ['another member', byMember(bob), 'POLICY_DENIED'],
    ['a person as a member', byPerson(bob), 'POLICY_DENIED'],
  ];
  it.each(rows)('an answer by %s', (_, author, expected) => {
    const world = asking();
    const before = canonical(world.board);
    expect(verdict(world.say(author, answered()))).toBe(expected);
    if (expected !== 'ok') expect(canonical(world.board)).toBe(before);
  });

  it('an answer counts once: the second one is refused and changes nothing', () => {
    const world = asking();
    expect(verdict(world.say(byLead(), answered()))).toBe('ok');
    expect(verdict(world.say(byLead(), { ...answered(), text: 'No, that one.' } as Change))).toBe('FINAL');
    expect(world.board.requests.get(Q)).toMatchObject({ state: 'answered', answer: 'This one.', from: ada });
  });

  it('an answer to an unknown request is refused', () => {
    expect(verdict(asking().say(byLead(), answered(ulid(9))))).toBe('UNKNOWN_REQUEST');
  });
});

describe('an open question', () => {
  it('an open question blocks its task for every member except its asker, also after the asker died', () => {
    const world = asking();
    world.say(byLead(), lost);
    expect(state(world)).toBe('open');
    expect(questionOn(world.board, '1')?.from).toBe(ada);
    expect(isReady(world.board, world.task('1'))).toBe(false);
    expect(claimRefusal(world.board, world.task('1'), world.board.members.get(bob), bob)?.code).toBe('NOT_READY');
    expect([nextClaim(world.board, bob)?.id, nextClaim(world.board, ada)?.id]).toEqual(['2', '1']);
    expect(verdict(world.claim('1', bob))).toBe('NOT_READY');
    world.say(byMember(ada, 2), { type: 'member.started', name: ada, inc: life(ada, 2), after: life(ada) });
    expect(verdict(world.say(byMember(ada, 2), { type: 'task.claimed', task: '1', member: ada }))).toBe('ok');
    expect(waitOf(world.board, ada, '1')?.id).toBe(Q);
  });

  it('an answered question blocks nobody, and the next worker of the task finds the answer', () => {
    const world = asking();
    world.say(byLead(), lost);
    world.say(byLead(), answered());
    expect(isReady(world.board, world.task('1'))).toBe(true);
    expect(verdict(world.claim('1', cy))).toBe('ok');
    expect(answersAbout(world.board, '1')).toMatchObject([{ from: ada, text: 'Which?', answer: 'This one.' }]);
  });

  const ends: [how: string, end: (world: World) => void][] = [
    ['its task is completed', (world) => void world.complete('1')],
    ['its task is cancelled', (world) => void world.say(byLead(), { type: 'task.cancelled', task: '1', why: '' })],
    [
      'its task is skipped',
      (world) => void world.say(byLead(), { type: 'task.skipped', task: '1', cascade: false, why: '' }),
    ],
    ['the asker leaves', (world) => void world.say(byMember(ada), { type: 'member.left', name: ada, why: '' })],
    [
      'its task is assigned to another member',
      (world) =>
        void world.say(byLead(), { type: 'batch', changes: [lost, { type: 'task.assigned', task: '1', owner: bob }] }),
    ],
  ];
  it.each(ends)('an open question ends when %s', (_, end) => {
    const world = asking();
    end(world);
    expect([state(world), world.board.open.size]).toEqual(['withdrawn', 0]);
    expect(verdict(world.say(byLead(), answered()))).toBe('FINAL');
  });

  it('an open question stays open after a failed attempt if another attempt is allowed', () => {
    const world = asking();
    world.fail('1');
    expect([world.task('1').status, state(world)]).toEqual(['pending', 'open']);
  });

  it('a question is open again if the batch that ended it is refused', () => {
    const world = asking();
    const before = canonical(world.board);
    const changes: Change[] = [
      { type: 'task.cancelled', task: '1', why: '' },
      { type: 'task.retried', task: '2' },
    ];
    expect(verdict(world.say(byLead(), { type: 'batch', changes }))).toBe('FINAL');
    expect(canonical(world.board)).toBe(before);
    expect([...world.board.open.keys()]).toEqual([Q]);
  });
});

describe('a plan', () => {
  it('a plan blocks no task and ends with its claim: its answer does not reach the next incarnation', () => {
    const world = asking('plan');
    expect(questionOn(world.board, '1')).toBeUndefined();
    world.say(byMember(ada, 2), { type: 'member.started', name: ada, inc: life(ada, 2), after: life(ada) });
    expect(state(world)).toBe('withdrawn');
    expect(verdict(world.say(byLead(), answered(Q, true)))).toBe('FINAL');
  });

  it('a plan is approved or rejected', () => {
    for (const approve of [true, false]) {
      const world = asking('plan');
      world.say(byLead(), answered(Q, approve));
      expect(world.board.requests.get(Q)).toMatchObject({ state: 'answered', approve });
    }
  });
});

describe('a result without consensus', () => {
  /** ada has completed #1 and asked what to do about it, in one record; #2 waits for #1. */
  function unsettled(): World {
    const world = openWorld();
    world.add();
    world.add({ blockedBy: ['1'] });
    world.claim('1');
    const changes = [made('consensus'), completed('1', 1)];
    expect(verdict(world.say(byMember(ada), { type: 'batch', changes }))).toBe('ok');
    return world;
  }

  it('a result without consensus blocks its dependants and nothing else, also after its asker has left', () => {
    const world = unsettled();
    expect([waitOf(world.board, ada), questionOn(world.board, '1')]).toEqual([undefined, undefined]);
    expect(isReady(world.board, world.task('2'))).toBe(false);
    expect(verdict(world.claim('2', bob))).toBe('NOT_READY');
    world.say(byMember(ada), { type: 'member.left', name: ada, why: '' });
    expect([state(world), verdict(world.claim('2', bob))]).toEqual(['open', 'NOT_READY']);
  });

  it.each([true, false])('a result without consensus blocks nothing after the answer of the lead', (approve) => {
    const world = unsettled();
    expect(verdict(world.say(byLead(), answered(Q, approve)))).toBe('ok');
    expect(verdict(world.say(byLead(), answered(Q, !approve)))).toBe('FINAL');
    expect(verdict(world.claim('2', bob))).toBe('ok');
  });

  it('a consensus request is about the claimed task, and ends when the claim ends without a result', () => {
    const world = asking('consensus');
    expect(verdict(world.say(byMember(ada), made('consensus', null, ulid(1))))).toBe('BAD_REFERENCE');
    world.say(byLead(), lost);
    expect(state(world)).toBe('withdrawn');
  });
});
