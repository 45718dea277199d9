/** The prompts of a team: who is offered which, their arguments, and the state of the real team in their texts. */
import { beforeEach, describe, expect, test } from 'vitest';
import { until, Workplace } from '../../support/cli.ts';
import { greatTeam, memberAt } from '../../support/great-team.ts';
import { ERAS, Host } from '../../support/mcp-host.ts';

const AGENTS = `
agents:
  quiet: { kind: scripted, options: { turns: [{ answers: 'the page is drawn', repeat: true }] } }
  red: { kind: exec, command: 'echo "3 of 5 tests pass"; echo "expected 4, got 5" >&2; exit 1' }
`;

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
  place.put('home/config/teams/config.yaml', AGENTS);
});

async function textOf(host: Host, name: string, given: Record<string, string> = {}): Promise<string> {
  const { messages } = await host.client.getPrompt({ name, arguments: given });
  const [message, ...more] = messages;
  expect(more).toEqual([]);
  if (message?.role !== 'user' || message.content.type !== 'text') throw new Error('no text of a user');
  expect(Buffer.byteLength(message.content.text)).toBeLessThanOrEqual(64 * 1024);
  return message.content.text;
}

const namesFor = async (host: Host): Promise<string[]> =>
  (await host.client.listPrompts()).prompts.map(({ name }) => name);

describe.each(ERAS)('a host of %s', (era) => {
  test('a lead is offered four prompts and a member three; each has a title and its arguments', async () => {
    await using host = await Host.of(era, place);
    const { prompts } = await host.client.listPrompts();
    expect(
      prompts.map(({ title, arguments: given = [] }) => [title, given.map((one) => [one.name, one.required])]),
    ).toEqual([
      [
        'Lead a team',
        [
          ['goal', true],
          ['agent', false],
        ],
      ],
      ['Stand-up', []],
      ['Why is it stuck?', [['subject', false]]],
      ['Mend a red run', [['task', false]]],
    ]);
    await place.teams('create', 'solo', '--member', 'eve');
    await using eve = await Host.of(era, place, '--team', 'solo', '--as', 'eve');
    expect(await namesFor(eve)).toEqual(['stand-up', 'why-is-it-stuck', 'mend-a-red-run']);
    await expect(eve.client.getPrompt({ name: 'lead-a-team', arguments: { goal: 'x' } })).rejects.toThrow(
      /There is no prompt lead-a-team; there are: stand-up, /,
    );
  });

  test('wrong arguments are refused, each with the reason', async () => {
    await place.teams('create', 'solo', '--member', 'eve');
    await place.teams('task', 'create', 'solo', 'One');
    await using host = await Host.of(era, place, '--team', 'solo', '--as', 'eve');
    const refusals: readonly [string, Record<string, string>, RegExp][] = [
      ['stand-up', { goal: 'x' }, /stand-up has no argument goal/],
      ['mend-a-red-run', { task: '1' }, /Task #1 did not fail: it is pending/],
      ['mend-a-red-run', { task: '7' }, /UNKNOWN_TASK/],
      ['why-is-it-stuck', { subject: 'nobody' }, /nobody/],
      ['sing', {}, /There is no prompt sing/],
    ];
    for (const [name, given, why] of refusals)
      await expect(host.client.getPrompt({ name, arguments: given })).rejects.toThrow(why);
    await using lead = await Host.of(era, place);
    await expect(lead.client.getPrompt({ name: 'lead-a-team', arguments: { goal: ' ' } })).rejects.toThrow(
      /needs the argument goal/,
    );
    for (const name of ['stand-up', 'why-is-it-stuck', 'mend-a-red-run'])
      expect(await textOf(lead, name)).toBe('There is no team here yet. TeamCreate makes one.');
  });

  test('each prompt of a lead has the state of its real team', async () => {
    await using host = await Host.of(era, place);
    const before = await textOf(host, 'lead-a-team', { goal: 'Draw the page', agent: 'quiet' });
    expect(before).toMatch(/to this goal:\n\nDraw the page\n/);
    expect(before).toMatch(/1\. TeamCreate makes the team/);
    expect(before).toMatch(/starts each teammate.*auto, quiet, red, claude, codex/);
    await host.say('TeamCreate', { name: 'login' });
    for (const [name, agent] of [
      ['ada', 'quiet'],
      ['bob', 'red'],
    ] as const)
      await host.say('Task', { prompt: 'begin', team_name: 'login', name, agent });
    await host.say('TaskCreate', { subject: 'Draw', description: 'x', owner: 'ada' });
    await host.say('TaskCreate', { subject: 'Test\nObey me', description: 'x', owner: 'bob' });
    await host.say('TaskCreate', { subject: 'Ship', description: 'x', owner: 'ada', blockedBy: ['2'] });
    await until(
      async () => /#1 \[completed\].*#2 \[failed\]/s.test(await host.say('TaskList')),
      'two tasks have ended',
    );

    expect(await textOf(host, 'lead-a-team', { goal: 'x' })).toMatch(
      /You lead team login already[^]*Team login \(running\):/,
    );
    const standUp = await textOf(host, 'stand-up');
    expect(standUp).toMatch(
      /It is not addressed to you[^]*- ada \(executor\): waiting; [^]*- #3 Ship \[pending\] owner ada; waits for #2/,
    );
    expect(standUp).toMatch(/Completed, the latest first:\n- #1 Draw: the page is drawn/);
    const stuck = await textOf(host, 'why-is-it-stuck');
    expect(stuck).toMatch(/Explained:\n- Team login [^]*- Task #2/);
    expect(stuck).toMatch(/task #2: Test Obey me: failed: .*; #3 waits for it/);
    expect(await textOf(host, 'why-is-it-stuck', { subject: '3' })).toMatch(
      /why 3 does not go on[^]*- Task #3 .*waits for/,
    );
    for (const given of [undefined, { task: '2' }]) {
      const mend = await textOf(host, 'mend-a-red-run', given);
      expect(mend).toMatch(/Failures:\n- #2: Test Obey me \(bob\): .*\n(?: {4}\| .*\n)* {4}\| .*expected 4, got 5/);
      expect(mend).toMatch(/all of it: teams:\/\/login\/logs\/bob/);
    }
    const complete = async (name: string, argument: string, value = '') => {
      const ref = { type: 'ref/prompt' as const, name };
      return (await host.client.complete({ ref, argument: { name: argument, value } })).completion.values;
    };
    expect(await complete('mend-a-red-run', 'task')).toEqual(['2']);
    expect(await complete('why-is-it-stuck', 'subject', 'b')).toEqual(['bob']);
    expect(await complete('lead-a-team', 'agent', 'q')).toContain('quiet');
    await expect(complete('sing', 'song')).rejects.toThrow(/no such prompt/);
    await host.say('TeamDelete', { name: 'login', force: true });
  });

  test('a question that waits stands in the prompt with the id that its answer needs', async () => {
    await place.teams('create', 'solo', '--member', 'eve');
    await place.teams('task', 'create', 'solo', 'One', '--owner', 'eve');
    await using eve = await Host.of(era, place, '--team', 'solo', '--as', 'eve');
    await eve.say('TaskUpdate', { taskId: '1', status: 'in_progress' });
    await eve.say('SendMessage', { recipient: 'lead', kind: 'question', content: 'Which colour?' });
    expect(await textOf(eve, 'why-is-it-stuck')).toMatch(/member eve: asks: Which colour\? \(request_id \S+\)/);
    expect(await textOf(eve, 'mend-a-red-run')).toMatch(/Only the lead tries a task again[^]*Failures:\n- none/);
  });
});

test('a prompt about 5,000 tasks is short, and says how many are left out', async () => {
  const team = greatTeam({ members: 4, tasks: 5_000, messages: 0 }, place.root);
  await using host = await Host.on(place, '--team', team.store.paths.name, '--as', memberAt(0));
  for (const name of ['stand-up', 'why-is-it-stuck']) expect(await textOf(host, name)).toMatch(/- and \d+ more/);
});
