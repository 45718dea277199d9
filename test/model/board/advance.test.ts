import { describe, expect, it, test } from 'vitest';
import { advance, newlyReady } from '../../../src/model/board/advance.ts';
import { isReady } from '../../../src/model/board/board.ts';
import { nextClaim } from '../../../src/model/board/listed-tasks.ts';
import type { Author, BoardEvent, Change } from '../../../src/model/board/event.ts';
import { LEAD, parseName } from '../../../src/model/text/names.ts';
import { newTaskSchema, TASK_STATUSES, type TaskStatus } from '../../../src/model/board/task.ts';
import {
  ada,
  bob,
  byLead,
  byMember,
  byPerson,
  canonical,
  completed,
  cy,
  executor,
  life,
  name,
  newTask,
  openWorld,
  reviewer,
  submitted,
  TEAM,
  ulid,
  verdict,
  World,
} from '../world.ts';

const COMMIT = 'c'.repeat(40);

/** A world whose task #2 (blocked by the resolved #1) has the given status. If it was ever claimed, ada claimed it. */
function worldWith(status: TaskStatus): World {
  const world = openWorld();
  world.add();
  world.say(byLead(), { type: 'task.skipped', task: '1', cascade: false, why: 'not needed' });
  world.add({ blockedBy: ['1'] });
  world.add();
  if (status === 'pending') return world;
  world.claim('2');
  if (status === 'landing') world.say(byMember(ada), submitted('2', 1));
  if (status === 'completed') world.complete('2');
  if (status === 'failed') world.fail('2');
  if (status === 'skipped') world.say(byLead(), { type: 'task.skipped', task: '2', cascade: false, why: 'no' });
  if (status === 'cancelled') world.say(byLead(), { type: 'task.cancelled', task: '2', why: 'no' });
  return world;
}

/** Every change of an existing task, as the holder (or last holder) of its claim would write it. */
const CHANGES = {
  assigned: () => ({ type: 'task.assigned', task: '2', owner: bob }),
  claimed: (member, _) => ({ type: 'task.claimed', task: '2', member }),
  released: (_, epoch) => ({ type: 'task.released', task: '2', epoch, reason: 'released', why: 'w' }),
  completed: (_, epoch) => completed('2', epoch),
  submitted: (_, epoch) => submitted('2', epoch),
  landed: (_, epoch) => ({ type: 'task.landed', task: '2', epoch, commit: COMMIT }),
  bounced: (_, epoch) => ({ type: 'task.bounced', task: '2', epoch, cause: 'conflict', why: 'w', files: ['a'] }),
  failed: (_, epoch) => ({ type: 'task.failed', task: '2', epoch, why: 'w' }),
  retried: () => ({ type: 'task.retried', task: '2' }),
  skipped: () => ({ type: 'task.skipped', task: '2', cascade: false, why: 'w' }),
  cancelled: () => ({ type: 'task.cancelled', task: '2', why: 'w' }),
  blocked: () => ({ type: 'task.blocked', task: '2', by: '3' }),
  unblocked: () => ({ type: 'task.unblocked', task: '2', blocker: '1' }),
  updated: () => ({ type: 'task.updated', task: '2', description: 'more' }),
} satisfies Record<string, (member: typeof ada, epoch: number) => Change>;
type Deed = keyof typeof CHANGES;
const DEEDS = Object.keys(CHANGES) as Deed[];

/** The transitions of docs/specification.md R3.2: the outcome for an event of the lead. */
const LAW: Record<TaskStatus, Record<Deed, string>> = {
  pending: {
    assigned: 'ok',
    claimed: 'ok',
    released: 'STALE_CLAIM',
    completed: 'STALE_CLAIM',
    submitted: 'STALE_CLAIM',
    landed: 'FINAL',
    bounced: 'FINAL',
    failed: 'STALE_CLAIM',
    retried: 'FINAL',
    skipped: 'ok',
    cancelled: 'ok',
    blocked: 'ok',
    unblocked: 'ok',
    updated: 'ok',
  },
  in_progress: {
    assigned: 'ALREADY_CLAIMED',
    claimed: 'ALREADY_CLAIMED',
    released: 'ok',
    completed: 'ok',
    submitted: 'ok',
    landed: 'FINAL',
    bounced: 'FINAL',
    failed: 'ok',
    retried: 'FINAL',
    skipped: 'ok',
    cancelled: 'ok',
    updated: 'ok',
    blocked: 'ALREADY_CLAIMED',
    unblocked: 'ALREADY_CLAIMED',
  },
  landing: { ...final(), landed: 'ok', bounced: 'ok', skipped: 'ok', cancelled: 'ok', updated: 'ok' },
  completed: final(),
  failed: { ...final(), retried: 'ok', skipped: 'ok' },
  skipped: final(),
  cancelled: final(),
};

function final(): Record<Deed, string> {
  return {
    assigned: 'FINAL',
    claimed: 'FINAL',
    released: 'FINAL',
    completed: 'FINAL',
    submitted: 'FINAL',
    landed: 'FINAL',
    bounced: 'FINAL',
    failed: 'FINAL',
    retried: 'FINAL',
    skipped: 'FINAL',
    cancelled: 'FINAL',
    blocked: 'FINAL',
    unblocked: 'FINAL',
    updated: 'FINAL',
  };
}

const OPEN: readonly Deed[] = ['claimed', 'released', 'completed', 'submitted', 'failed', 'updated'];

/**
 * The outcome for a member: the lead's outcome where a member may write the event at all. The claim belongs to ada's
 * first incarnation.
 */
function heard(who: 'claimant' | 'other' | 'person', status: TaskStatus, deed: Deed): string {
  if (!OPEN.includes(deed)) return 'POLICY_DENIED';
  if (status === 'in_progress' && who === 'claimant') return 'ok';
  const law = LAW[status][deed];
  if (deed === 'claimed' || law !== 'ok') return law;
  // A person who acts as ada has the name but not the incarnation. It may describe the task but not end the claim.
  if (deed === 'updated') return who === 'person' && status === 'in_progress' ? 'ok' : 'POLICY_DENIED';
  return 'POLICY_DENIED';
}

const WHO: Record<string, { author: Author; expected: (status: TaskStatus, deed: Deed) => string }> = {
  'the lead': { author: byLead(), expected: (status, deed) => LAW[status][deed] },
  'a person as the lead': { author: byPerson(LEAD), expected: (status, deed) => LAW[status][deed] },
  'a lead of an old epoch': { author: byLead(0), expected: () => 'STALE_LEAD' },
  'a lead that lost the election': { author: { lead: ulid(42), epoch: 1 }, expected: () => 'STALE_LEAD' },
  'a person who read an old epoch': { author: byPerson(LEAD, 0), expected: () => 'STALE_LEAD' },
  'the claimant': { author: byMember(ada), expected: (status, deed) => heard('claimant', status, deed) },
  'a person as the claimant': { author: byPerson(ada), expected: (status, deed) => heard('person', status, deed) },
  'another member': { author: byMember(bob), expected: (status, deed) => heard('other', status, deed) },
  'a replaced life of the claimant': {
    author: byMember(ada, 9),
    expected: (_, deed) => (OPEN.includes(deed) ? 'STALE_MEMBER' : 'POLICY_DENIED'),
  },
  'one who is no member': {
    author: byMember(name('eve')),
    expected: (_, deed) => (OPEN.includes(deed) ? 'UNKNOWN_MEMBER' : 'POLICY_DENIED'),
  },
  'a person as one who is no member': {
    author: byPerson(name('eve')),
    expected: (_, deed) => (OPEN.includes(deed) ? 'UNKNOWN_MEMBER' : 'POLICY_DENIED'),
  },
};

describe('every status of a task × every event × every author', () => {
  for (const [who, { author, expected }] of Object.entries(WHO))
    test.each(TASK_STATUSES)(`${who}, of a task that is %s`, (status) => {
      const answers = DEEDS.map((deed) => {
        const world = worldWith(status);
        expect(world.task('2').status).toBe(status);
        const before = canonical(world.board);
        const member = 'by' in author ? author.by : 'person' in author ? author.person : LEAD;
        const outcome = world.say(author, CHANGES[deed](member, world.task('2').claims));
        if (!outcome.ok) expect(canonical(world.board), `${deed} was refused but changed the board`).toBe(before);
        return `${deed}: ${verdict(outcome)}`;
      });
      expect(answers).toEqual(DEEDS.map((deed) => `${deed}: ${expected(status, deed)}`));
    });

  it('every change of a task that does not exist is refused', () => {
    for (const deed of DEEDS) {
      const change = { ...CHANGES[deed](LEAD, 1), task: '77' } as Change;
      expect(verdict(openWorld().say(byLead(), change)), deed).toBe('UNKNOWN_TASK');
    }
  });
});

describe('claims', () => {
  it('the first of two claims gets the task, with an epoch that grows with every claim', () => {
    const world = openWorld();
    world.add();
    expect(verdict(world.claim('1', ada))).toBe('ok');
    expect(verdict(world.claim('1', bob))).toBe('ALREADY_CLAIMED');
    world.say(byMember(ada), { type: 'task.released', task: '1', epoch: 1, reason: 'released', why: '' });
    world.claim('1', bob);
    expect(world.task('1')).toMatchObject({ claims: 2, claim: { member: bob, incarnation: life(bob), epoch: 2 } });
  });

  it('a repeated claim is a no-op, also while the team closes', () => {
    const world = openWorld();
    world.add();
    world.claim('1');
    world.say(byLead(), { type: 'team.closing' });
    expect(world.claim('1')).toEqual({ ok: true, changed: [] });
    expect(world.task('1').claims).toBe(1);
  });

  it('a member cannot hold two claims', () => {
    const world = openWorld();
    world.add();
    world.add();
    world.claim('1');
    expect(verdict(world.claim('2'))).toBe('ALREADY_CLAIMED');
    world.complete('1');
    expect(verdict(world.claim('2'))).toBe('ok');
  });

  it('a claim needs the role and the owner of the task; an owner needs no role', () => {
    const world = openWorld();
    const forReviewers = world.add({ role: reviewer });
    const forBob = world.add({ owner: bob });
    const forAda = world.add({ owner: ada, role: reviewer });
    expect(verdict(world.claim(forReviewers, ada))).toBe('POLICY_DENIED');
    expect(verdict(world.claim(forBob, ada))).toBe('POLICY_DENIED');
    expect(verdict(world.claim(forAda, ada))).toBe('ok');
    expect(verdict(world.claim(forReviewers, cy))).toBe('ok');
  });

  it.each([
    ['completed', 'ok'],
    ['skipped', 'ok'],
    ['landing', 'NOT_READY'],
    ['failed', 'NOT_READY'],
    ['cancelled', 'NOT_READY'],
    ['in_progress', 'NOT_READY'],
    ['pending', 'NOT_READY'],
  ] as const)('a claim with a blocker that is %s: %s', (status, expected) => {
    const world = worldWith(status);
    const behind = world.add({ blockedBy: ['2'] });
    expect(verdict(world.claim(behind, bob))).toBe(expected);
  });

  it('in assigned mode only an owner may claim', () => {
    const world = openWorld('assigned');
    const free = world.add();
    const own = world.add({ owner: ada });
    expect(verdict(world.claim(free))).toBe('POLICY_DENIED');
    expect(verdict(world.claim(own))).toBe('ok');
  });

  it('in prefix mode a claim goes to the member with the longest declared prefix', () => {
    const world = openWorld('prefix', { ada: ['DEV'], bob: ['DEV-FE'], cy: ['QUALITY', 'REVIEW'] });
    for (const subject of ['DEV-FE-001 Build', 'DEV-001 Build', 'QUALITY-001-R1 Again', 'Nothing in particular'])
      world.add({ subject });
    expect(verdict(world.claim('1', ada))).toBe('POLICY_DENIED');
    expect(verdict(world.claim('2', bob))).toBe('POLICY_DENIED');
    expect(verdict(world.claim('1', bob))).toBe('ok');
    expect(verdict(world.claim('2', ada))).toBe('ok');
    expect(verdict(world.claim('4', cy))).toBe('POLICY_DENIED');
    expect(verdict(world.claim('3', cy))).toBe('ok');
  });

  it('no author may claim for another member, not even the lead', () => {
    const world = openWorld();
    world.add();
    for (const author of [byLead(), byPerson(LEAD), byMember(bob), byPerson(bob)])
      expect(verdict(world.say(author, { type: 'task.claimed', task: '1', member: ada }))).toBe('POLICY_DENIED');
  });

  it('a closing team refuses new claims and lets running ones end', () => {
    const world = openWorld();
    world.add();
    world.add({ retries: 1 });
    world.claim('1', ada);
    world.claim('2', bob);
    world.say(byLead(), { type: 'team.closing' });
    expect(verdict(world.claim('2', cy))).toBe('TEAM_CLOSED');
    expect(verdict(world.complete('1', ada))).toBe('ok');
    expect(verdict(world.fail('2', bob))).toBe('ok');
    expect(verdict(world.claim('2', bob))).toBe('TEAM_CLOSED');
  });

  it('a person as the lead holds one claim at a time, which survives a change of lead; a claim of the old lead process is freed', () => {
    const world = openWorld();
    world.add();
    world.add();
    expect(verdict(world.say(byPerson(LEAD), { type: 'task.claimed', task: '1', member: LEAD }))).toBe('ok');
    expect(verdict(world.say(byLead(), { type: 'task.claimed', task: '2', member: LEAD }))).toBe('ALREADY_CLAIMED');
    world.say(byLead(2), { type: 'lead.took', epoch: 2 });
    expect(world.task('1')).toMatchObject({ status: 'in_progress', claim: { member: LEAD, incarnation: 'person' } });
    expect(verdict(world.say(byPerson(LEAD, 2), completed('1', 1)))).toBe('ok');
    world.say(byLead(2), { type: 'task.claimed', task: '2', member: LEAD });
    expect(world.say(byLead(3), { type: 'lead.took', epoch: 3 })).toEqual({ ok: true, changed: ['2'] });
    expect(world.task('2')).toMatchObject({ status: 'pending', lost: 0 });
  });
});

describe('the end of a claim', () => {
  it('the end of a claim with an old epoch is refused, from any author', () => {
    const world = openWorld();
    world.add();
    world.claim('1', ada);
    world.say(byLead(), { type: 'task.released', task: '1', epoch: 1, reason: 'fenced', why: 'too slow' });
    expect(verdict(world.say(byMember(ada), completed('1', 1)))).toBe('STALE_CLAIM');
    world.claim('1', bob);
    for (const author of [byMember(ada), byMember(bob), byLead()])
      expect(verdict(world.say(author, completed('1', 1)))).toBe('STALE_CLAIM');
    expect(verdict(world.say(byMember(bob), completed('1', 2)))).toBe('ok');
    expect(verdict(world.say(byMember(ada), completed('1', 1)))).toBe('STALE_CLAIM');
    expect(verdict(world.say(byMember(bob), completed('1', 2)))).toBe('FINAL');
  });

  it('a failed task returns to its owner while attempts are left, then fails for good', () => {
    const world = openWorld();
    world.add({ owner: ada, retries: 1 });
    world.claim('1');
    world.fail('1');
    expect(world.task('1')).toMatchObject({ status: 'pending', attempts: 1, owner: ada, lastFailure: 'it broke' });
    world.claim('1');
    world.fail('1');
    expect(world.task('1')).toMatchObject({
      status: 'failed',
      attempts: 2,
      code: 'FAILED',
      reason: 'it broke',
      by: { epoch: 2 },
    });
  });

  it('a retry of a failed task gives all attempts back', () => {
    const world = openWorld();
    world.add({ retries: 1 });
    for (const epoch of [1, 2]) {
      world.claim('1');
      expect(world.task('1').claims).toBe(epoch);
      world.fail('1');
    }
    world.say(byLead(), { type: 'task.retried', task: '1' });
    expect(world.task('1')).toMatchObject({ status: 'pending', attempts: 0, lost: 0, claims: 2 });
    world.claim('1');
    world.fail('1');
    expect(world.task('1').status).toBe('pending');
  });

  it('a retry brings back what was skipped because of the task, also indirect dependants, and nothing else', () => {
    const world = openWorld();
    const skip = (task: string, because?: string) =>
      world.say(byLead(), { type: 'task.skipped', task, cascade: true, why: 'w', because });
    world.add();
    world.add();
    world.add({ blockedBy: ['1'] });
    world.add({ blockedBy: ['3', '2'] });
    world.add({ blockedBy: ['1'] });
    world.add({ blockedBy: ['2'] });
    for (const id of ['1', '2']) {
      world.claim(id);
      world.fail(id);
    }
    skip('5');
    skip('3', '1');
    skip('6', '2');
    expect(world.say(byLead(), { type: 'task.retried', task: '3' })).toMatchObject({
      ok: false,
      why: 'task #3 was skipped because #1 failed; retry #1',
    });
    expect(world.say(byLead(), { type: 'task.retried', task: '1', note: 'gently' })).toEqual({
      ok: true,
      changed: ['1', '3', '4'],
    });
    expect([...world.board.tasks.values()].map(({ status }) => status)).toEqual([
      'pending',
      'failed',
      'pending',
      'pending',
      'skipped',
      'skipped',
    ]);
    expect(world.task('1').note).toBe('gently');
    expect(world.task('1')).not.toHaveProperty('retried');
    expect(world.task('3')).not.toHaveProperty('because');
    // The blockers count again: #3 waits for #1, and #4 for #3 and the failed #2.
    expect(Object.fromEntries(world.board.unresolved)).toEqual({ '3': 1, '4': 2, '5': 1, '6': 1 });
    expect(verdict(world.claim('3'))).toBe('NOT_READY');
    world.claim('1');
    expect(world.task('1').note).toBe('gently');
    world.complete('1');
    expect(verdict(world.claim('3'))).toBe('ok');
  });

  it('in a log of version 1 a retry brings back the task alone, without its note', () => {
    const world = openWorld();
    world.board.version = 1;
    world.add();
    world.add({ blockedBy: ['1'] });
    world.claim('1');
    world.fail('1');
    world.say(byLead(), { type: 'task.skipped', task: '2', cascade: true, why: 'w', because: '1' });
    world.say(byLead(), { type: 'task.retried', task: '1', note: 'n' });
    expect(world.task('1')).toMatchObject({ status: 'pending' });
    expect(world.task('1')).not.toHaveProperty('note');
    expect(world.task('2')).toMatchObject({ status: 'skipped' });
    expect(world.task('2')).not.toHaveProperty('because');
  });

  it('a lost process is no attempt, but the third loss fails the task as poison', () => {
    const world = openWorld();
    world.add();
    for (const epoch of [1, 2, 3]) {
      expect(world.task('1')).toMatchObject({ status: 'pending', attempts: 0, lost: epoch - 1 });
      world.claim('1');
      world.say(byLead(), { type: 'task.released', task: '1', epoch, reason: 'lost', why: 'SIGKILL' });
    }
    expect(world.task('1')).toMatchObject({
      status: 'failed',
      code: 'POISON',
      attempts: 0,
      lost: 3,
      by: { member: ada, epoch: 3 },
    });
  });

  it.each(['released', 'orphaned', 'fenced', 'agent'] as const)(
    'a claim that ends as %s counts as no attempt',
    (reason) => {
      const world = openWorld();
      world.add();
      world.claim('1');
      world.say(byLead(), { type: 'task.released', task: '1', epoch: 1, reason, why: '' });
      expect(world.task('1')).toMatchObject({ status: 'pending', attempts: 0, lost: 0, claims: 1 });
      expect(world.board.busy.size).toBe(0);
    },
  );
});

describe('blockers', () => {
  it('a skip makes dependants ready; a skip with cascade skips them all, also indirect ones, but no final one', () => {
    const world = openWorld();
    world.add();
    world.add({ blockedBy: ['1'] });
    world.add({ blockedBy: ['2'] });
    world.add({ blockedBy: ['1'] });
    world.say(byLead(), { type: 'task.cancelled', task: '4', why: '' });
    world.add();
    world.claim('1');
    world.fail('1');
    const whole = world.say(byLead(), { type: 'task.skipped', task: '1', cascade: true, why: 'failed' });
    expect(whole).toEqual({ ok: true, changed: ['1', '2', '3'] });
    expect([...world.board.tasks.values()].map(({ status }) => status)).toEqual([
      'skipped',
      'skipped',
      'skipped',
      'cancelled',
      'pending',
    ]);
  });

  it('unblock removes one edge, and the outcome names what became ready', () => {
    const world = openWorld();
    world.add();
    world.add();
    world.add({ blockedBy: ['1', '2'] });
    const unblock = (blocker: string) => world.say(byLead(), { type: 'task.unblocked', task: '3', blocker });
    expect(verdict(unblock('9'))).toBe('BAD_REFERENCE');
    expect(newlyReady(world.board, ['1'])).toMatchObject([{ id: '1' }]);
    unblock('1');
    expect(isReady(world.board, world.task('3'))).toBe(false);
    world.claim('2');
    const done = world.complete('2');
    expect(done.ok && newlyReady(world.board, done.changed)).toMatchObject([{ id: '3', blockedBy: ['2'] }]);
  });

  it('blockers refuse cycles of one, two and more tasks, and accept an edge once', () => {
    const world = openWorld();
    world.add();
    world.add({ blockedBy: ['1', '1'] });
    world.add({ blockedBy: ['2'] });
    const block = (task: string, by: string) => verdict(world.say(byLead(), { type: 'task.blocked', task, by }));
    expect([block('1', '1'), block('1', '2'), block('1', '3')]).toEqual(['CYCLE', 'CYCLE', 'CYCLE']);
    expect([block('3', '1'), block('3', '1'), block('1', '9')]).toEqual(['ok', 'ok', 'UNKNOWN_TASK']);
    expect(world.task('2').blockedBy).toEqual(['1']);
    expect(world.task('3').blockedBy).toEqual(['2', '1']);
    expect(world.board.waiting.get('1')).toEqual(['2', '3']);
  });

  it('blockers must exist when a task is created', () => {
    const world = openWorld();
    expect(() => world.add({ blockedBy: ['1'] })).toThrow('UNKNOWN_TASK');
    expect(world.board.tasks.size).toBe(0);
  });
});

describe('creation', () => {
  it('creation takes the next id only: a used id is a lost race, a higher one is refused', () => {
    const world = openWorld();
    const create = (task: string) =>
      world.say(byLead(), { type: 'task.created', task, fields: newTask({ subject: 's' }) });
    expect([create('2'), create('1'), create('1'), create('999999999999999'), create('2')].map(verdict)).toEqual([
      'BAD_REFERENCE',
      'ok',
      'DUPLICATE',
      'BAD_REFERENCE',
      'ok',
    ]);
  });

  it.each([
    ['key', { key: 'k' }, { key: 'k' }],
    ['subject code', { subject: 'DRAFT-001 Write' }, { subject: '[x] DRAFT-001: write again' }],
    ['cascade step', { metadata: { parent: '1', kind: 'test' } }, { metadata: { kind: 'test', parent: '1' } }],
  ])('creation refuses a second task of the same %s, also after the first has ended', (_, first, second) => {
    const world = openWorld();
    world.add(first);
    expect(() => world.add(second)).toThrow('DUPLICATE');
    world.say(byLead(), { type: 'task.cancelled', task: '1', why: '' });
    expect(() => world.add(second)).toThrow('DUPLICATE');
  });

  it('different cascade steps of one task do not collide', () => {
    const world = openWorld();
    world.add({ metadata: { parent: '1 a', kind: 'b' } });
    world.add({ metadata: { parent: '1', kind: 'a b' } });
    expect(world.board.tasks.size).toBe(2);
  });

  it('a rename keeps codes unique and frees the old code', () => {
    const world = openWorld();
    world.add({ subject: 'DRAFT-001 Write' });
    world.add({ subject: 'DRAFT-002 Write' });
    const rename = (task: string, subject: string) =>
      verdict(world.say(byLead(), { type: 'task.updated', task, subject }));
    expect(rename('2', 'DRAFT-001 Steal')).toBe('DUPLICATE');
    expect(rename('2', 'DRAFT-002 Better')).toBe('ok');
    expect(rename('2', 'DRAFT-003 Other')).toBe('ok');
    expect(rename('1', 'DRAFT-002 Freed')).toBe('ok');
  });

  it('creation needs an owner who is a member or the lead', () => {
    const world = openWorld();
    expect(() => world.add({ owner: name('eve') })).toThrow('UNKNOWN_MEMBER');
    world.say(byLead(), { type: 'member.left', name: bob, why: '' });
    expect(() => world.add({ owner: bob })).toThrow('UNKNOWN_MEMBER');
    world.add({ owner: LEAD });
    expect(verdict(world.say(byLead(), { type: 'task.assigned', task: '1', owner: bob }))).toBe('UNKNOWN_MEMBER');
    expect(verdict(world.say(byLead(), { type: 'task.assigned', task: '1', owner: null }))).toBe('ok');
    expect(world.task('1').owner).toBeUndefined();
  });

  it('a pipeline refuses an owner whose role does not declare the prefix, at create and at assign', () => {
    const world = openWorld('prefix', { ada: ['DEV'], bob: ['DEV-FE'] });
    expect(() => world.add({ subject: 'DEV-FE-001 x', owner: ada })).toThrow('POLICY_DENIED');
    expect(() => world.add({ subject: 'PLAN-001 x', owner: ada })).toThrow('POLICY_DENIED');
    const id = world.add({ subject: 'DEV-FE-001 x', owner: bob });
    expect(verdict(world.say(byLead(), { type: 'task.assigned', task: id, owner: ada }))).toBe('POLICY_DENIED');
    world.add({ subject: 'no code at all', owner: ada });
  });

  it('hostile metadata keys are kept as data', () => {
    const world = openWorld();
    const hostile: unknown = JSON.parse('{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}},"toString":1}');
    const { metadata } = newTaskSchema.parse({ subject: 's', metadata: hostile });
    const id = world.add({ metadata });
    world.say(byLead(), { type: 'task.updated', task: id, metadata });
    expect(Object.getPrototypeOf(world.task(id).metadata)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    expect(verdict(world.claim(id))).toBe('ok');
  });

  it('creation makes frozen values', () => {
    const world = openWorld();
    world.add();
    expect(Object.isFrozen(world.task('1'))).toBe(true);
  });
});

describe('what a member may not do (RELIABILITY threat 24)', () => {
  const leadOnly: Change[] = [
    { type: 'log.opened', team: ulid(8), name: TEAM },
    { type: 'team.opened', profile: 'v8', claim: 'auto' },
    { type: 'team.closing' },
    { type: 'team.closed' },
    { type: 'team.paused' },
    { type: 'team.unpaused' },
    { type: 'lead.took', epoch: 2 },
    { type: 'member.joined', name: name('eve'), role: executor, prefixes: [] },
    ...DEEDS.filter((deed) => !OPEN.includes(deed)).map((deed) => CHANGES[deed](bob, 1)),
  ];
  const foreign: Change[] = [
    { type: 'member.left', name: ada, why: '' },
    { type: 'member.started', name: ada, inc: life(ada, 2), after: life(ada) },
    ...OPEN.map((deed) => CHANGES[deed](ada, 1)),
  ];
  for (const author of [byMember(bob), byPerson(bob)])
    it.each([...leadOnly, ...foreign].map((change) => [change.type, change] as const))(
      `${'by' in author ? 'a member' : 'a person as a member'} says %s of what is not its own`,
      (_, change) => {
        const world = worldWith('in_progress');
        const before = canonical(world.board);
        expect(verdict(world.say(author, change))).toBe('POLICY_DENIED');
        expect(verdict(world.say(author, { type: 'batch', changes: [change] }))).toBe('POLICY_DENIED');
        expect(canonical(world.board)).toBe(before);
      },
    );

  const runtimeKeys = ['_internal', '_x', 'parent', 'kind', 'depth'];
  it.each(runtimeKeys)('a member may not set the metadata %s, on its own task or on a new one', (key) => {
    const world = worldWith('in_progress');
    const metadata = { [key]: 'true' };
    expect(verdict(world.say(byMember(ada), { type: 'task.updated', task: '2', metadata }))).toBe('POLICY_DENIED');
    expect(() => world.add({ metadata }, byMember(ada))).toThrow('POLICY_DENIED');
    world.add({ metadata }, byLead());
  });

  it('a member may not rename the code of its task; it may change the rest of the subject', () => {
    const world = openWorld();
    world.add({ subject: 'DRAFT-001 Write', owner: ada });
    const rename = (subject: string) => verdict(world.say(byMember(ada), { type: 'task.updated', task: '1', subject }));
    expect([rename('DRAFT-009 Write'), rename('Write'), rename('DRAFT-001 Write well')]).toEqual([
      'POLICY_DENIED',
      'POLICY_DENIED',
      'ok',
    ]);
  });

  it.each(['orphaned', 'lost', 'fenced'] as const)(
    'a member may not call its own claim %s: three of these would make any task poison',
    (reason) => {
      const world = worldWith('in_progress');
      expect(verdict(world.say(byMember(ada), { type: 'task.released', task: '2', epoch: 1, reason, why: '' }))).toBe(
        'POLICY_DENIED',
      );
    },
  );

  it('a member may not announce an incarnation other than its own', () => {
    const world = openWorld();
    const change: Change = { type: 'member.started', name: ada, inc: life(ada, 3), after: life(ada) };
    expect(verdict(world.say(byMember(ada, 2), change))).toBe('STALE_MEMBER');
  });

  it('a member of a pipeline may not create tasks for other roles; in other profiles it may', () => {
    const pipeline = openWorld('prefix', { ada: ['IMPL'], bob: ['TEST'] });
    expect(() => pipeline.add({ subject: 'TEST-001 x' }, byMember(ada))).toThrow('POLICY_DENIED');
    expect(() => pipeline.add({ subject: 'TEST-001 x', owner: bob }, byMember(ada))).toThrow('POLICY_DENIED');
    expect(() => pipeline.add({ subject: 'IMPL-001 x', role: reviewer }, byMember(ada))).toThrow('POLICY_DENIED');
    expect(() => pipeline.add({ subject: 'x' }, byMember(ada))).toThrow('POLICY_DENIED');
    pipeline.add({ subject: 'IMPL-001 x' }, byMember(ada));
    pipeline.add({ subject: 'x', owner: ada }, byMember(ada));
    openWorld().add({ subject: 'TEST-001 x', owner: bob }, byMember(ada));
  });
});

describe('batches', () => {
  it('changes of a batch apply together, each judged after the ones before it', () => {
    const world = openWorld();
    const fields = newTask({ subject: 's' });
    const outcome = world.say(byLead(), {
      type: 'batch',
      changes: [
        { type: 'task.created', task: '1', fields },
        { type: 'task.created', task: '2', fields: { ...fields, blockedBy: ['1'] } },
        { type: 'task.assigned', task: '2', owner: ada },
        { type: 'task.assigned', task: '1', owner: bob },
      ],
    });
    expect(outcome).toEqual({ ok: true, changed: ['1', '2'] });
    expect(world.task('2')).toMatchObject({ owner: ada, blockedBy: ['1'] });
  });

  it('a batch with one illegal change changes nothing', () => {
    const world = openWorld('prefix', { ada: ['DEV'] });
    world.add({ key: 'one', subject: 'DEV-001 a', owner: ada });
    world.add({ key: 'two', blockedBy: ['1'] });
    world.add({ blockedBy: ['1'] });
    world.add();
    world.claim('1');
    const { board } = world;
    const maps = { ...board };
    const before = canonical(board);
    const orders = [board.members, board.tasks, board.waiting].map((map) => [...map.keys()]);
    const lists = JSON.stringify([...board.waiting]);
    const outcome = world.say(byLead(), {
      type: 'batch',
      changes: [
        { type: 'team.opened', profile: 'forge', claim: 'auto' },
        { type: 'team.closing' },
        { type: 'lead.took', epoch: 2 },
        { type: 'task.created', task: '5', fields: newTask({ subject: 's' }) },
      ],
    });
    expect(verdict(outcome)).toBe('STALE_LEAD');
    const more = world.say(byLead(), {
      type: 'batch',
      changes: [
        { type: 'member.joined', name: name('dan'), role: executor, prefixes: [] },
        { type: 'member.left', name: ada, why: '' },
        {
          type: 'task.created',
          task: '5',
          fields: newTask({ subject: 'DEV-002 s', key: 'five', blockedBy: ['1', '4'] }),
        },
        { type: 'task.updated', task: '1', subject: 'DEV-009 a', metadata: { parent: '1', kind: 'test' } },
        { type: 'task.unblocked', task: '2', blocker: '1' },
        { type: 'task.unblocked', task: '3', blocker: '1' },
        { type: 'task.blocked', task: '2', by: '4' },
        { type: 'task.skipped', task: '4', cascade: true, why: '' },
        { type: 'task.cancelled', task: '1', why: '' },
        { type: 'team.closed' },
        { type: 'team.closing' },
      ],
    });
    expect(more).toMatchObject({ code: 'TEAM_CLOSED' });
    expect(canonical(board)).toBe(before);
    expect([board.members, board.tasks, board.waiting].map((map) => [...map.keys()])).toEqual(orders);
    expect(JSON.stringify([...board.waiting])).toBe(lists);
    for (const key of ['members', 'tasks', 'busy', 'waiting', 'unique'] as const) expect(board[key]).toBe(maps[key]);
    expect(verdict(world.complete('1'))).toBe('ok');
  });

  it('a successful batch keeps the same map objects of the board', () => {
    const world = openWorld();
    const { tasks } = world.board;
    world.say(byLead(), {
      type: 'batch',
      changes: [{ type: 'task.created', task: '1', fields: newTask({ subject: 's' }) }],
    });
    expect(world.board.tasks).toBe(tasks);
    expect(tasks.size).toBe(1);
  });

  it('one batch can open a whole team', () => {
    const world = new World();
    const lead = byLead();
    const outcome = world.say(lead, {
      type: 'batch',
      changes: [
        { type: 'log.opened', team: ulid(7), name: TEAM },
        { type: 'lead.took', epoch: 1 },
        { type: 'team.opened', profile: 'v8', claim: 'auto' },
        { type: 'member.joined', name: ada, role: executor, prefixes: [] },
      ],
    });
    expect(verdict(outcome)).toBe('ok');
    expect(world.board.members.get(ada)).toMatchObject({ state: 'joined', incarnation: null });
  });
});

describe('the team and its lead', () => {
  it('no event is legal before the log is opened, and it is opened once', () => {
    const world = new World();
    expect(verdict(world.say(byLead(), { type: 'lead.took', epoch: 1 }))).toBe('TEAM_CLOSED');
    expect(verdict(world.say({ person: ada, epoch: 0 }, { type: 'log.opened', team: ulid(7), name: TEAM }))).toBe(
      'POLICY_DENIED',
    );
    expect(verdict(world.say(byPerson(LEAD, 0), { type: 'log.opened', team: ulid(7), name: TEAM }))).toBe('ok');
    expect(verdict(world.say(byPerson(LEAD, 0), { type: 'log.opened', team: ulid(8), name: TEAM }))).toBe('DUPLICATE');
  });

  it('the first to draw the next epoch leads; the lead before it may write no more', () => {
    const world = openWorld();
    const rival: Author = { lead: ulid(77), epoch: 2 };
    expect(verdict(world.say(byLead(2), { type: 'lead.took', epoch: 2 }))).toBe('ok');
    expect(verdict(world.say(rival, { type: 'lead.took', epoch: 2 }))).toBe('STALE_LEAD');
    expect(verdict(world.say(rival, { type: 'team.closing' }))).toBe('STALE_LEAD');
    expect(verdict(world.say(byLead(1), { type: 'team.closing' }))).toBe('STALE_LEAD');
    expect(verdict(world.say(byLead(2), { type: 'team.closing' }))).toBe('ok');
    expect(verdict(world.say(rival, { type: 'lead.took', epoch: 4 }))).toBe('STALE_LEAD');
    expect(verdict(world.say(byPerson(LEAD, 2), { type: 'lead.took', epoch: 3 }))).toBe('POLICY_DENIED');
  });

  it('in a paused team nothing can be claimed, present claims end as ever, and a new lead leaves it paused', () => {
    const world = openWorld();
    world.add();
    world.add();
    expect(verdict(world.say(byLead(), { type: 'team.unpaused' }))).toBe('DUPLICATE');
    world.claim('1');
    expect(verdict(world.say(byPerson(LEAD), { type: 'team.paused' }))).toBe('ok');
    expect(verdict(world.say(byLead(), { type: 'team.paused' }))).toBe('DUPLICATE');
    expect(verdict(world.complete('1'))).toBe('ok');
    expect(verdict(world.claim('2', bob))).toBe('TEAM_PAUSED');
    expect(nextClaim(world.board, bob)).toBeUndefined();
    expect(verdict(world.say(byLead(2), { type: 'lead.took', epoch: 2 }))).toBe('ok');
    expect(verdict(world.claim('2', bob))).toBe('TEAM_PAUSED');
    expect(verdict(world.say(byLead(2), { type: 'team.unpaused' }))).toBe('ok');
    expect(verdict(world.claim('2', bob))).toBe('ok');
  });

  it('a team that closes cannot be paused, and a paused one can be closed', () => {
    const world = openWorld();
    world.say(byLead(), { type: 'team.closing' });
    expect(verdict(world.say(byLead(), { type: 'team.paused' }))).toBe('TEAM_CLOSED');
    world.say(byLead(2), { type: 'lead.took', epoch: 2 });
    world.say(byLead(2), { type: 'team.paused' });
    expect(verdict(world.say(byLead(2), { type: 'team.closing' }))).toBe('ok');
  });

  it('a new lead reopens a closing team, but never a closed one', () => {
    const world = openWorld();
    world.add();
    world.say(byLead(), { type: 'team.closing' });
    world.say(byLead(2), { type: 'lead.took', epoch: 2 });
    expect(verdict(world.claim('1'))).toBe('ok');
    world.say(byLead(2), { type: 'team.closed' });
    const before = canonical(world.board);
    for (const author of [byLead(2), byLead(3), byPerson(LEAD, 2), byMember(ada)])
      for (const change of [
        { type: 'lead.took', epoch: 3 },
        { type: 'team.opened', profile: 'v8', claim: 'auto' },
        completed('1', 1),
      ] as Change[])
        expect(verdict(world.say(author, change))).toBe('TEAM_CLOSED');
    expect(canonical(world.board)).toBe(before);
  });

  it('a record counts once, accepted or not', () => {
    const world = openWorld();
    world.add();
    const repeat = (event: BoardEvent | undefined) => (event ? verdict(advance(world.board, event)) : 'none');
    world.say(byMember(ada), completed('1', 1));
    expect(repeat(world.events.at(-1))).toBe('REPEATED');
    world.claim('1');
    world.say(byMember(ada), { type: 'task.released', task: '1', epoch: 1, reason: 'released', why: '' });
    expect(repeat(world.events.at(-2))).toBe('REPEATED');
    expect(world.task('1').status).toBe('pending');
  });
});

describe('members', () => {
  const start = (n: number, after: number | null): Change => ({
    type: 'member.started',
    name: ada,
    inc: life(ada, n),
    after: after === null ? null : life(ada, after),
  });

  it('a new incarnation frees the claim of the old one, which may write no more', () => {
    const world = openWorld();
    world.add();
    world.claim('1');
    expect(world.say(byMember(ada, 2), start(2, 1))).toEqual({ ok: true, changed: ['1'] });
    expect(world.task('1')).toMatchObject({ status: 'pending', lost: 0, attempts: 0 });
    expect(verdict(world.say(byMember(ada, 1), completed('1', 1)))).toBe('STALE_MEMBER');
    expect(verdict(world.say(byMember(ada, 2), { type: 'task.claimed', task: '1', member: ada }))).toBe('ok');
  });

  it('of two incarnations after the same one, the first wins', () => {
    const world = openWorld();
    expect(verdict(world.say(byMember(ada, 2), start(2, 1)))).toBe('ok');
    expect(verdict(world.say(byMember(ada, 3), start(3, 1)))).toBe('STALE_MEMBER');
    expect(verdict(world.say(byMember(ada, 2), start(2, 2)))).toBe('DUPLICATE');
  });

  it('a member that leaves frees its claim, and its old process may write no more, not even after the member joins again', () => {
    const world = openWorld();
    world.add();
    world.claim('1');
    expect(world.say(byMember(ada), { type: 'member.left', name: ada, why: 'done' })).toEqual({
      ok: true,
      changed: ['1'],
    });
    expect(world.board.members.get(ada)).toMatchObject({ state: 'left', incarnation: null });
    expect(verdict(world.claim('1'))).toBe('UNKNOWN_MEMBER');
    expect(() => world.add({}, byMember(ada))).toThrow('UNKNOWN_MEMBER');
    expect(verdict(world.say(byMember(ada, 2), start(2, 1)))).toBe('UNKNOWN_MEMBER');
    world.say(byLead(), { type: 'member.joined', name: ada, role: reviewer, prefixes: [] });
    expect(verdict(world.claim('1'))).toBe('STALE_MEMBER');
    expect(() => world.add({}, byMember(ada))).toThrow('STALE_MEMBER');
    expect(verdict(world.say(byMember(ada, 2), start(2, null)))).toBe('ok');
    expect(world.board.members.get(ada)).toEqual({
      name: ada,
      role: reviewer,
      prefixes: [],
      state: 'joined',
      incarnation: life(ada, 2),
    });
  });

  it('a member joins once and leaves once', () => {
    const world = openWorld();
    const join: Change = { type: 'member.joined', name: ada, role: executor, prefixes: [] };
    const leave: Change = { type: 'member.left', name: ada, why: '' };
    expect([join, leave, leave, join, join].map((change) => verdict(world.say(byLead(), change)))).toEqual([
      'DUPLICATE',
      'ok',
      'UNKNOWN_MEMBER',
      'ok',
      'DUPLICATE',
    ]);
  });

  it('no member process may have the name `lead`', () => {
    const world = openWorld();
    world.add();
    const author: Author = { by: LEAD, inc: life(ada) };
    expect(verdict(world.say(author, { type: 'task.claimed', task: '1', member: LEAD }))).toBe('UNKNOWN_MEMBER');
  });

  it('roles are names too', () => expect(parseName('role', 'executor')).toBe(executor));
});
