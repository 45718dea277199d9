/** Why a team, a member or a task waits: what for, since when, who must act, what comes next. */
import { describe, expect, it } from 'vitest';
import { codeOf } from '../../../src/model/text/errors.ts';
import { why, whyText, type Why } from '../../../src/runtime/views/why.ts';
import { timeOfDay } from '../../../src/model/team/colors-and-times.ts';
import { ToldTeam } from '../../support/told-team.ts';

const START = '2026-01-01T00:00:00.000Z';

const pair = (): ToldTeam =>
  new ToldTeam({ ada: 'explorer/claude', bob: 'executor/claude' })
    .ledByUs()
    .started('ada', 'bob')
    .process('ada', 'alive')
    .process('bob', 'alive');

/** #1 ← #2 ← #3: ada works on the first, bob owns the others. */
const chain = (): ToldTeam =>
  pair()
    .add('One', { owner: 'ada' })
    .add('Two', { owner: 'bob', blockedBy: ['1'] })
    .add('Three', { owner: 'bob', blockedBy: ['2'] })
    .claim('1', 'ada');

const Q = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const asks = (team: ToldTeam, kind: 'question' | 'plan' | 'consensus'): ToldTeam =>
  team.as('ada', { type: 'request.made', request: Q, kind, about: '1', text: 'May I?' });

type Row = [about: string, subject: string | undefined, tell: () => ToldTeam, wanted: Partial<Why>];

const died = (team: ToldTeam): ToldTeam =>
  team.process('ada', 'dead').note('member.exited', { member: 'ada', text: 'signal SIGKILL' });

/** Facts that are read from the disk; the wording is tested as a table in `test/policy/explain/explain.test.ts`. */
const ROWS: Row[] = [
  [
    'a task whose worker died, by the time of the restart',
    '1',
    () => died(chain()).wait(2_000),
    {
      waitingFor: 'a new process of ada: the last one died (signal SIGKILL; it will be restarted)',
      since: START,
      who: 'lead',
      nextAt: '2026-01-01T00:00:05.000Z',
      next: 'ada is restarted in 3s.',
    },
  ],
  [
    'a second death, by the longer pause',
    'ada',
    () => died(chain().note('lead.decided', { act: 'restart', member: 'ada' })).wait(4_000),
    { nextAt: '2026-01-01T00:00:10.000Z' },
  ],
  [
    'a rate-limited member, by the pause that its process wrote',
    'ada',
    () => {
      const note = { state: 'rate-limited' as const, reason: 'its vendor asked for a pause' };
      const [since, until] = [Date.parse(START) / 1_000, Date.parse(START) / 1_000 + 30];
      return chain()
        .wait(5_000)
        .process('ada', 'alive', { note: { ...note, since, until } });
    },
    { since: START, who: 'ada', nextAt: '2026-01-01T00:00:30.000Z' },
  ],
  [
    'a starting member, by the time when it must be ready',
    'bob',
    () => pair().wait(5_000).process('bob', 'alive', { phase: 'spawning' }).wait(1_000),
    { since: '2026-01-01T00:00:05.000Z', nextAt: '2026-01-01T00:05:05.000Z' },
  ],
  [
    'a command, by its time-out',
    '1',
    () =>
      new ToldTeam({ ada: 'tester/exec' })
        .ledByUs()
        .started('ada')
        .process('ada', 'alive')
        .add('One', { work: { timeoutMs: 9_000 } })
        .claim('1', 'ada'),
    { next: 'Nothing else waits for #1. The time-out of #1 ends the attempt in 9s.' },
  ],
  [
    'a stalled worker, by the time when its task is taken away',
    '1',
    () => chain().wait(400_000),
    { since: START, who: 'ada', nextAt: '2026-01-01T00:10:00.000Z' },
  ],
  ['an idle member', 'bob', () => pair().wait(9_000), { waitingFor: 'a task or mail', since: START }],
  ['a team with a question', undefined, () => asks(chain(), 'question'), { waitingFor: "an answer to ada's question" }],
  ['a working team', undefined, chain, { subject: 'team login', state: 'running', waitingFor: '#1 (ada)' }],
  ['a closed team', 'lead', () => chain().say({ type: 'team.closed' }), { waitingFor: null, since: START }],
];

describe('why', () => {
  it.each(ROWS)('why explains %s', async (_, subject, tell, wanted) => {
    expect(await why(tell().store, subject)).toMatchObject(wanted);
  });

  it('why counts a question as answered once it is', async () => {
    const team = asks(chain(), 'question').say({
      type: 'request.answered',
      request: Q,
      approve: false,
      text: 'You may.',
    });
    expect(await why(team.store, '1')).toMatchObject({ waitingFor: 'ada to finish it' });
  });

  it('why names who waits for whom, since when, also if no member runs any more', async () => {
    const team = asks(chain(), 'question').say({
      type: 'task.released',
      task: '1',
      epoch: 1,
      reason: 'lost',
      why: 'SIGKILL',
    });
    const { waitingFor, since, who } = await why(team.wait(60_000).store, '1');
    expect({ waitingFor, since, who }).toEqual({
      waitingFor: "an answer to ada's question",
      since: START,
      who: 'lead',
    });
  });

  it('why shows the question and the answer about a task, for the task, for the asker and for the dependants', async () => {
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
    expect((await why(team.store, 'bob')).events.map(({ type }) => type)).toContain('request.made');
  });

  it('why shows the last events of its subject, and of what it waits for', async () => {
    const team = chain().note('lead.decided', { act: 'check', member: 'ada', task: '1', text: 'silent' });
    const { events } = await why(team.store, '1');
    expect(events.map(({ type }) => type)).toEqual(['task.created', 'task.claimed', 'lead.decided']);
    expect((await why(team.store, 'bob')).events.map(({ type }) => type)).toEqual([
      'member.joined',
      'member.started',
      'task.created',
      'task.created',
      'task.claimed',
      'lead.decided',
    ]);
  });

  it('why shows a failure once, and what its agent printed before it', async () => {
    const team = chain()
      .note('agent.printed', { member: 'ada', text: '12 of 30' })
      .note('agent.printed', { member: 'ada', text: 'broken' })
      .note('agent.failed', { member: 'ada', task: '1', fault: 'exit', text: 'exit 1: broken' })
      .note('agent.last_lines', { member: 'ada', task: '1', text: 'broken' })
      .wait(1)
      .fail('1', 'ada', 'exit 1: broken');
    const { events } = await why(team.store, '1');
    expect(events.map(({ type }) => type).slice(-3)).toEqual(['task.created', 'task.claimed', 'task.failed']);
    const ofMember = await why(team.store, 'ada');
    const printed = ofMember.events.filter(({ type }) => type === 'agent.printed');
    expect(printed.map(({ text }) => text)).toEqual(['12 of 30']);
  });

  it('why answers in one paragraph', async () => {
    const team = chain().wait(130_000);
    expect(whyText(await why(team.store, '2'), team.clock.now())).toBe(
      `Task #2 (pending) waits for #1 (ada works on it) since ${timeOfDay(START)} (2m10s). The next move is ada's. When #1 completes, #2 can go on. Then bob can begin it. Without progress of ada the lead sends a STATUS CHECK in 2m50s.`,
    );
    expect(whyText(await why(team.complete('1', 'ada').store, '1'), team.clock.now())).toBe(
      `Task #1 (completed) waits for nothing since ${timeOfDay('2026-01-01T00:02:10.000Z')} (0 ms). It is completed: nothing more will happen.`,
    );
  });

  it('why gives the last decision of the lead and its reason in the same paragraph, however much happened since', async () => {
    const team = chain().wait(600_000);
    const text = 'no progress on task #1 for 10m00s; it is alive';
    team.note('lead.decided', { act: 'fence', member: 'ada', task: '1', to: 'bob', text });
    for (let at = 0; at < 20; at += 1) team.note('agent.said', { member: 'bob', task: '1' });
    const decided = ` The last decision behind it: at ${timeOfDay('2026-01-01T00:10:00.000Z')} the lead took task #1 from ada and gave it to bob: no progress on task #1 for 10m00s; it is alive.`;
    for (const subject of ['1', '2', 'ada', 'bob']) {
      const answer = await why(team.store, subject);
      expect(whyText(answer, team.clock.now()).slice(-decided.length)).toBe(decided);
      expect(answer.events.length).toBeLessThanOrEqual(8);
    }
  });

  it('why refuses a subject that is neither a member nor a task', async () => {
    const refusal: unknown = await why(pair().store, 'nobody').catch((error: unknown) => error);
    expect(codeOf(refusal)).toBe('UNKNOWN_TASK');
  });
});
