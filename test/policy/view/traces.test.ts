import { expect, it } from 'vitest';
import { Traces, type TracedSpan } from '../../../src/policy/view/trace-spans.ts';
import { world, type World } from '../world.ts';

const spansOf = ({ shown, now }: World): TracedSpan[] => {
  const traces = new Traces();
  return [...shown.flatMap((event) => traces.add(event)), ...traces.rest(now)];
};

const tree = (spans: readonly TracedSpan[]): string[] => spans.map(({ key, parent = '-' }) => `${key} in ${parent}`);

it('tools and messages belong to the turn, and a turn to the message that caused it, otherwise to its task', () => {
  const team = world({ members: ['ada', 'bob'], tasks: [{ owner: 'ada' }, { owner: 'bob' }] });
  team.claim('ada', '1');
  team.note('agent.acted', { member: 'ada', text: 'bash: npm test' });
  team.note('message.sent', { member: 'ada', to: 'bob', text: 'to bob: look' });
  team.claim('bob', '2');
  team.note('agent.acted', { member: 'bob', text: 'edit_file: src/a.ts' });
  team.complete('bob', '2');
  team.now += 1_000;
  team.complete('ada', '1');
  const spans = spansOf(team);
  const [tool, message] = team.shown.filter(({ type }) => type === 'agent.acted' || type === 'message.sent');
  const last = team.shown.findLast(({ type }) => type === 'agent.acted');
  expect(tree(spans)).toEqual([
    `tool ${tool?.number ?? 0} in turn 1 1`,
    `message ${message?.number ?? 0} in turn 1 1`,
    `tool ${last?.number ?? 0} in turn 2 1`,
    `turn 2 1 in message ${message?.number ?? 0}`,
    'task 2 in run',
    'turn 1 1 in task 1',
    'task 1 in run',
    'run in -',
  ]);
  expect(spans.find(({ key }) => key === 'turn 2 1')).toMatchObject({ link: 'task 2' });
  expect(spans.find(({ key }) => key === 'task 1')).toMatchObject({ attributes: { 'teams.status': 'completed' } });
  expect(spans.find(({ key }) => key === 'task 1')?.to).toBe(team.now);
});

it('a trace has failed turns, turns of lost processes and open turns, each key once', () => {
  const team = world({ members: ['ada'], tasks: [{ owner: 'ada', retries: 1 }, { owner: 'ada' }] });
  team.attempt('ada', '1');
  team.claim('ada', '1');
  team.start('ada');
  const spans = spansOf(team);
  expect(tree(spans)).toEqual([
    'turn 1 1 in task 1',
    'turn 1 2 in task 1',
    'task 1 in run',
    'task 2 in run',
    'run in -',
  ]);
  expect(spans.slice(0, 2).map(({ fault }) => fault)).toEqual(['it broke', 'lost']);
  expect(new Set(spans.map(({ key }) => key)).size).toBe(spans.length);
});
