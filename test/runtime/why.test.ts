/** Why a team, a member or a task stands still: what it waits for, since when, whose move it is, what comes next. */
import { describe, expect, it } from 'vitest';
import { codeOf } from '../../src/model/errors.ts';
import { why, whyText, type Why } from '../../src/runtime/why.ts';
import { ToldTeam } from '../support/told-team.ts';

const START = '2026-01-01T00:00:00.000Z';

const pair = (): ToldTeam =>
  new ToldTeam({ ada: 'explorer/claude', bob: 'executor/claude' })
    .ledByUs()
    .started('ada', 'bob')
    .process('ada', 'alive')
    .process('bob', 'alive');

/** #1 ← #2 ← #3: ada works on the first, bob has the others. */
const chain = (): ToldTeam =>
  pair()
    .add('One', { owner: 'ada' })
    .add('Two', { owner: 'bob', blockedBy: ['1'] })
    .add('Three', { owner: 'bob', blockedBy: ['2'] })
    .claim('1', 'ada');

const Q = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const asks = (team: ToldTeam, kind: 'question' | 'plan' | 'consensus'): ToldTeam =>
  team.as('ada', { type: 'request.made', request: Q, kind, about: '1', text: 'May I?' });

type Row = [about: string, subject: string | undefined, tell: () => ToldTeam | Promise<ToldTeam>, wanted: Partial<Why>];

const died = (team: ToldTeam): ToldTeam =>
  team.process('ada', 'dead').note('member.exited', { member: 'ada', text: 'signal SIGKILL' });

const ROWS: Row[] = [
  [
    'a task at work',
    '1',
    chain,
    { waitingFor: 'ada to finish it', since: START, who: 'ada', next: 'When #1 completes, #2 can go on.' },
  ],
  [
    'its dependant',
    '2',
    chain,
    {
      waitingFor: '#1 (ada works on it)',
      since: START,
      who: 'ada',
      next: "When #1 completes, #2 can go on. Then it is bob's to begin.",
    },
  ],
  [
    'the end of a chain, by what is at its far end',
    'Three',
    chain,
    {
      waitingFor: '#2, in the end for #1',
      who: 'ada',
      next: "When #1 completes, #2 can go on. Then it is bob's to begin.",
    },
  ],
  [
    'a task whose worker died, by when it is restarted',
    '1',
    () => died(chain()).wait(2_000),
    {
      waitingFor: 'a new process of ada: the last one died (signal SIGKILL; it will be restarted)',
      since: START,
      who: 'lead',
      next: 'ada is restarted in 3s.',
    },
  ],
  [
    'what waits for a held-up worker, by what holds it up',
    '2',
    () => died(chain()).wait(2_000),
    {
      waitingFor:
        '#1 (ada works on it); #1 waits for a new process of ada: the last one died (signal SIGKILL; it will be restarted)',
      next: "ada is restarted in 3s. Then it is bob's to begin.",
    },
  ],
  [
    'a second death, by the longer wait',
    'ada',
    () => died(chain().note('lead.decided', { act: 'restart', member: 'ada' })).wait(4_000),
    { next: 'ada is restarted in 6s.' },
  ],
  [
    'a death without a lead',
    'ada',
    () => new ToldTeam({ ada: 'explorer/claude' }).led().started('ada').process('ada', 'dead'),
    { who: null, next: 'Nobody leads the team: `teams resume login` goes on with it.' },
  ],
  [
    'a stalled worker, by when its task moves on',
    '1',
    () => chain().wait(400_000),
    { since: START, who: 'ada', next: "Without a sign within 3m20s ada's task goes to somebody else." },
  ],
  [
    'a question to the lead',
    '1',
    () => asks(chain(), 'question'),
    {
      waitingFor: "an answer to ada's question",
      since: START,
      who: 'lead',
      next: 'ada goes on when the lead answers: `teams answer 01ARZ3NDEKTSV4RRFFQ69G5FAV TEXT`.',
    },
  ],
  [
    'a plan to be approved',
    'ada',
    () => asks(chain(), 'plan'),
    {
      waitingFor: "the approval of ada's plan",
      who: 'lead',
      next: 'ada goes on when the lead answers: `teams task approve 1`.',
    },
  ],
  ['a team with a question', undefined, () => asks(chain(), 'question'), { waitingFor: "an answer to ada's question" }],
  [
    'a failed task that others wait for',
    '1',
    () => chain().fail('1', 'ada', 'exit 2'),
    { waitingFor: 'a decision, because it failed (exit 2) and #2 waits for it', who: 'lead' },
  ],
  [
    'what waits for a failed task',
    '3',
    () => chain().fail('1', 'ada', 'exit 2'),
    {
      waitingFor: '#2, in the end for #1',
      who: 'lead',
      next: '`teams task retry 1`, or `teams task unblock 3`, or skip it.',
    },
  ],
  [
    'a completed task',
    '1',
    () => chain().complete('1', 'ada'),
    { waitingFor: null, who: null, next: 'Nothing: it is completed.' },
  ],
  [
    'a ready task of a busy member',
    '2',
    () => pair().add('One').add('Two', { owner: 'bob' }).claim('1', 'bob'),
    { waitingFor: 'bob, who works on #1' },
  ],
  [
    'a ready task of an idle member',
    '1',
    () => pair().add('One', { owner: 'bob' }),
    { waitingFor: 'bob to claim it', who: 'bob' },
  ],
  [
    'a task for a role',
    '1',
    () => pair().add('One', { role: 'designer' }),
    { waitingFor: 'an idle member of the role designer' },
  ],
  ['a task of nobody', '1', () => pair().add('One'), { waitingFor: 'an idle member', who: null }],
  [
    'a task of the lead',
    '1',
    () => pair().add('One', { owner: 'lead' }),
    { who: 'lead', next: '`teams task claim 1` begins it.' },
  ],
  [
    'a task of a member that was never started',
    '1',
    () => new ToldTeam({ ada: 'explorer/claude' }).ledByUs().add('One', { owner: 'ada' }),
    { waitingFor: 'ada to be started (it was not started yet)', who: 'lead' },
  ],
  [
    'a member whose task is blocked',
    'bob',
    chain,
    { subject: 'member bob', waitingFor: '#1 (ada works on it)', who: 'ada' },
  ],
  ['an idle member', 'bob', pair, { waitingFor: 'a task or mail', who: 'lead' }],
  [
    'a team at work',
    undefined,
    chain,
    { subject: 'team login', state: 'active, executing', waitingFor: '#1 (ada)', who: 'ada' },
  ],
  ['a team without tasks', 'lead', pair, { waitingFor: 'its first task' }],
  [
    'a team that is stuck behind a failure',
    undefined,
    () => chain().fail('1', 'ada', 'exit 2'),
    { who: 'lead', next: '`teams task retry 1`, or `teams task unblock 2`, or skip it.' },
  ],
  ...[undefined, '1'].map((subject): Row => [
    'a result without consensus',
    subject,
    () => asks(chain(), 'consensus').complete('1', 'ada'),
    {
      waitingFor: 'a decision about #1, whose discussion ended without consensus',
      who: 'lead',
      next: 'What waits for it goes on after `teams task approve 1`; `teams task revise 1 TEXT` has it done again.',
    },
  ]),
  [
    'what waits for it',
    '3',
    () => asks(chain(), 'consensus').complete('1', 'ada'),
    { waitingFor: '#2, in the end for #1', who: 'lead' },
  ],
  [
    'the next after it',
    '2',
    () => asks(chain(), 'consensus').complete('1', 'ada'),
    { waitingFor: '#1 (done without consensus)', who: 'lead' },
  ],
  [
    'a team that is done',
    undefined,
    () => chain().say({ type: 'task.skipped', task: '1', cascade: true, why: '' }),
    { waitingFor: null },
  ],
  [
    'a closed team',
    undefined,
    () => chain().say({ type: 'team.closed' }),
    { waitingFor: null, next: 'Nothing: the team is closed.' },
  ],
];

describe('why', () => {
  it.each(ROWS)('explains %s', async (_, subject, tell, wanted) => {
    const team = await tell();
    expect(await why(team.store, subject)).toMatchObject(wanted);
  });

  it('takes a question for answered when it is', async () => {
    const team = asks(chain(), 'question').say({
      type: 'request.answered',
      request: Q,
      approve: false,
      text: 'You may.',
    });
    expect(await why(team.store, '1')).toMatchObject({ waitingFor: 'ada to finish it' });
  });

  it('names who waits on whom, since when, also when nobody of the team runs any more', async () => {
    const team = asks(chain(), 'question').say({
      ...{ type: 'task.released', task: '1', epoch: 1, reason: 'lost', why: 'SIGKILL' },
    });
    const { waitingFor, since, who } = await why(team.wait(60_000).store, '1');
    expect({ waitingFor, since, who }).toEqual({
      waitingFor: "an answer to ada's question",
      since: START,
      who: 'lead',
    });
  });

  it('shows what was asked and answered about a task, to the task and to who asked', async () => {
    const team = asks(chain(), 'question').say({
      type: 'request.answered',
      request: Q,
      approve: false,
      text: 'You may.',
    });
    for (const subject of ['1', 'ada'])
      expect((await why(team.store, subject)).events.map(({ type }) => type)).toEqual(
        expect.arrayContaining(['request.made', 'request.answered']),
      );
    expect((await why(team.store, '2')).events.map(({ type }) => type)).not.toContain('request.made');
  });

  it('shows the last events of its subject, and of no other', async () => {
    const team = chain().note('lead.decided', { act: 'check', member: 'ada', task: '1', text: 'silent' });
    const { events } = await why(team.store, '1');
    expect(events.map(({ type }) => type)).toEqual(['task.created', 'task.claimed', 'lead.decided']);
    expect((await why(team.store, 'bob')).events.map(({ type }) => type)).toEqual(['member.joined', 'member.started']);
  });

  it('is one paragraph', async () => {
    const team = chain().wait(130_000);
    expect(whyText(await why(team.store, '2'), team.clock.now())).toBe(
      `Task #2 (pending) waits for #1 (ada works on it) since ${START} (2m10s). The next move is ada's. When #1 completes, #2 can go on. Then it is bob's to begin.`,
    );
    expect(whyText(await why(team.complete('1', 'ada').store, '1'), team.clock.now())).toBe(
      'Task #1 (completed) waits for nothing. Nothing: it is completed.',
    );
  });

  it('tells in the same paragraph what the lead decided last and why, however much has happened since', async () => {
    const team = chain().wait(600_000);
    const text = 'no progress on task #1 for 10m00s; it is alive';
    team.note('lead.decided', { act: 'fence', member: 'ada', task: '1', to: 'bob', text });
    for (let at = 0; at < 20; at += 1) team.note('agent.said', { member: 'bob', task: '1' });
    const decided =
      ' The last decision about it: at 2026-01-01T00:10:00.000Z the lead took task #1 from ada and gave it to bob: no progress on task #1 for 10m00s; it is alive.';
    for (const subject of ['1', 'ada', 'bob']) {
      const answer = await why(team.store, subject);
      expect(whyText(answer, team.clock.now()).slice(-decided.length)).toBe(decided);
      expect(answer.events.length).toBeLessThanOrEqual(8);
    }
    expect(whyText(await why(team.store, '2'), team.clock.now())).not.toContain('decision');
  });

  it('refuses a subject that is neither a member nor a task', async () => {
    const refusal: unknown = await why(pair().store, 'nobody').catch((error: unknown) => error);
    expect(codeOf(refusal)).toBe('UNKNOWN_TASK');
  });
});
