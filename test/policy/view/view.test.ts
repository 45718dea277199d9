import { describe, expect, it } from 'vitest';
import type { MemberState, MemberStatus } from '../../../src/model/member/member-status.ts';
import { columnsOf } from '../../../src/policy/view/board-columns.ts';
import { criticalPath } from '../../../src/policy/view/critical-path.ts';
import { problemsOf } from '../../../src/policy/view/team-problems.ts';
import { workedMs } from '../../../src/policy/view/claim-spans.ts';
import { TeamProjection, throughput } from '../../../src/policy/view/team-projection.ts';
import { name, world, type World } from '../world.ts';

const storyOf = ({ shown }: World): TeamProjection => {
  const projection = new TeamProjection();
  for (const event of shown) projection.add(event);
  return projection;
};

const later = (team: World, ms: number): void => void (team.now += ms);

const status = (member: string, state: MemberState, reason = 'so it is'): MemberStatus => ({
  name: name(member),
  role: 'executor',
  state,
  reason,
  pid: null,
  task: null,
});

describe('the last words of a member', () => {
  it('what was said about an earlier task is not shown beside the next one', () => {
    const projection = new TeamProjection();
    const at = '2026-01-01T00:00:00.000Z';
    projection.add({ number: 1, at, type: 'agent.said', member: 'ada', text: 'done with #1' });
    expect(projection.words.get('ada')).toBe('done with #1');
    const team = world({ members: ['ada'], tasks: [{ owner: 'ada' }] });
    team.claim('ada', '1');
    for (const event of team.shown) projection.add(event);
    expect(projection.words.get('ada')).toBeUndefined();
  });
});

describe('the timeline', () => {
  it('the timeline has a span for each claim, with its holder and its end', () => {
    const team = world({ members: ['ada', 'bob'], tasks: [{ owner: 'ada' }, { owner: 'bob' }] });
    team.claim('ada', '1');
    later(team, 1_000);
    team.fail('ada', '1');
    team.claim('bob', '2');
    later(team, 500);
    const spans = storyOf(team).spans.all(team.board.tasks);
    expect(spans).toMatchObject([
      { task: '1', member: 'ada', claim: 1, end: 'failed' },
      { task: '2', member: 'bob', claim: 1 },
    ]);
    expect(spans[1]).not.toHaveProperty('to');
    expect(workedMs(spans, team.now)).toEqual(new Map([['1', 1_000], ['2', 500]])); // prettier-ignore
  });

  it('the timeline ends the claim of a replaced process, and counts the new one as a restart', () => {
    const team = world({ members: ['ada'], tasks: [{ owner: 'ada' }] });
    team.claim('ada', '1');
    later(team, 2_000);
    team.start('ada');
    const { spans } = storyOf(team);
    expect(spans.all(team.board.tasks)).toMatchObject([{ task: '1', end: 'lost' }]);
    expect(spans.starts.map(({ life }) => life)).toEqual([1, 2]);
  });
});

describe('the critical path', () => {
  const node = (id: string, ...blockedBy: string[]) => [id, { id, blockedBy }] as const;

  it('the critical path is the chain of dependent tasks that took longest, not the longest chain', () => {
    const tasks = new Map([node('1'), node('2', '1'), node('3', '2'), node('4'), node('5', '4', '1')]);
    const worked = new Map(Object.entries({ 1: 10, 2: 10, 3: 10, 4: 100, 5: 1 }));
    expect(criticalPath(tasks, worked)).toEqual({ tasks: ['4', '5'], ms: 101 });
  });

  it('the critical path passes through tasks without work, and is empty before any work', () => {
    const tasks = new Map([node('1'), node('2', '1'), node('3', '2')]);
    expect(criticalPath(tasks, new Map([['1', 5], ['3', 5]]))).toEqual({ tasks: ['1', '3'], ms: 10 }); // prettier-ignore
    expect(criticalPath(tasks, new Map())).toEqual({ tasks: [], ms: 0 });
  });

  it('the critical path needs no stack for a chain of 20,000 tasks, in either order, and ends on a cycle', () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => String(index + 1));
    const chain = ids.map((id, index) => node(id, ...ids.slice(index + 1, index + 2)));
    expect(criticalPath(new Map(chain), new Map(ids.map((id) => [id, 1]))).ms).toBe(20_000);
    const cycle = new Map([node('1', '2'), node('2', '1')]);
    expect(criticalPath(cycle, new Map([['1', 1]])).ms).toBe(1);
  });
});

describe('the flow of messages', () => {
  it('the flow of messages counts messages between two members, and a question with its answer once', () => {
    const team = world({ members: ['ada'], tasks: [{ owner: 'ada' }] });
    const request = '1'.repeat(26);
    team.note('message.sent', { member: 'ada', to: 'bob', text: 'to bob: hello' });
    team.note('message.sent', { member: 'ada', to: 'bob', text: 'to bob: again' });
    team.claim('ada', '1');
    team.member('ada', { type: 'request.made', request, kind: 'question', text: 'Which one?' });
    team.note('message.received', { member: 'ada', kind: 'question', text: 'Which one?' });
    team.note('message.received', { member: 'ada', kind: 'idle', text: 'Standing by.' });
    team.lead({ type: 'request.answered', request, approve: false, text: 'The second.' });
    const { flow } = storyOf(team);
    expect(flow.recent.map(({ from, to, kind, text }) => `${from}>${to} ${kind} ${text}`)).toEqual([
      'ada>bob message hello',
      'ada>bob message again',
      'ada>lead question Which one?',
      'ada>lead idle Standing by.',
      'lead>ada answer The second.',
    ]);
    expect(flow.edges.map(({ from, to, count }) => `${from}>${to} ${count}`)).toEqual([
      'ada>bob 2',
      'ada>lead 2',
      'lead>ada 1',
    ]);
  });

  it('the flow of messages keeps the last 500', () => {
    const team = world({ members: ['ada'] });
    for (let n = 1; n <= 2_300; n += 1) team.note('message.sent', { member: 'ada', to: 'bob', text: `to bob: ${n}` });
    const { flow } = storyOf(team);
    expect(flow.recent).toHaveLength(500);
    expect(flow.recent.at(-1)?.text).toBe('2300');
    expect(flow.edges[0]?.count).toBe(2_300);
  });
});

describe('problems', () => {
  it('problems list waits for a person first, then dead, stuck and limited members', () => {
    const team = world({ members: ['ada'], tasks: [{ owner: 'ada' }, { blockedBy: ['1'] }, { owner: 'ada' }] });
    team.claim('ada', '1');
    team.fail('ada', '1');
    team.claim('ada', '3');
    team.member('ada', { type: 'request.made', request: '1'.repeat(26), kind: 'question', text: 'Which one?' });
    const members = [
      status('bob', 'rate-limited'),
      status('cy', 'dead'),
      status('dan', 'stalled'),
      status('ed', 'idle'),
    ];
    const problems = problemsOf({ board: team.board, members, hasLead: false });
    expect(problems.map(({ kind }) => kind)).toEqual([
      'request', 'dead', 'stalled', 'leaderless', 'stuck', 'rate-limited',
    ]); // prettier-ignore
    expect(problems[0]).toMatchObject({ text: 'asks: Which one?', request: { kind: 'question' } });
    expect(problems[4]?.text).toContain('#2 waits for it');
  });

  it('a healthy team has no problems', () => {
    const team = world({ members: ['ada'], tasks: [{ owner: 'ada' }, { blockedBy: ['1'] }] });
    expect(problemsOf({ board: team.board, members: [status('ada', 'working')], hasLead: true })).toEqual([]);
  });
});

describe('the columns of the board', () => {
  it('the columns of the board separate ready tasks from waiting ones, and name the claimant', () => {
    const team = world({
      members: ['ada'],
      tasks: [{ owner: 'ada' }, { blockedBy: ['1'] }, {}, { metadata: { _internal: true } }],
    });
    team.claim('ada', '1');
    const { blocked, ready, in_progress } = columnsOf(team.board);
    expect(blocked).toMatchObject([{ id: '2', waitsFor: ['1'] }]);
    expect(ready.map(({ id }) => id)).toEqual(['3']);
    expect(in_progress).toMatchObject([{ id: '1', member: 'ada', holds: ['2'] }]);
  });
});

describe('what was used', () => {
  it('usage is summed up in total, for each member and for each task', () => {
    const team = world({ members: ['ada'] });
    const spent = { kind: 'openai', model: 'm', input_tokens: 100, output_tokens: 10, cost_usd: 0.5 };
    team.note('agent.spent', { member: 'ada', task: '1', ...spent });
    team.note('agent.spent', { member: 'ada', task: '2', ...spent });
    team.note('agent.spent', { member: 'bob', ...spent });
    const { total, members, tasks } = storyOf(team).spending;
    expect(total).toEqual({ tokens: 330, usd: 1.5, unpriced: [], unknown: [] });
    expect(members.get('ada')).toMatchObject({ tokens: 220, usd: 1 });
    expect(tasks.get('2')).toMatchObject({ tokens: 110, usd: 0.5 });
  });
});

describe('throughput', () => {
  it('throughput counts completed tasks in each interval', () => {
    expect(throughput([0, 10, 99, 100], 0, 100, 4)).toEqual([2, 0, 0, 2]);
    expect(throughput([], 0, 0, 2)).toEqual([0, 0]);
  });
});
