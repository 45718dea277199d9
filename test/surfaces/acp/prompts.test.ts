/** An ACP client leads a team: prompts become runs, the board is the plan, and the division of the work needs approval. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { Editor } from '../../support/acp-editor.ts';
import { until, Workplace } from '../../support/cli.ts';
import { tempDir } from '../../support/temp.ts';

const SUBTASKS = [
  { subject: '[no-cascade] Fix a', description: 'Mend a.', acceptance: ['a works'], files: ['a.txt'] },
  {
    subject: '[no-cascade] Fix b',
    description: 'Mend b.',
    acceptance: ['b works'],
    files: ['b.txt'],
    dependencies: [1],
  },
];
const waiting = (go: string): string =>
  `exec:cat >/dev/null; while [ ! -e ${go} ]; do sleep 0.02; done; echo "made by $TEAMS_MEMBER"`;
const WORKER = 'exec:cat >/dev/null; echo "made by $TEAMS_MEMBER"';

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
  place.put('division.json', JSON.stringify({ subtasks: SUBTASKS }));
});

const PLANNER = 'exec:tee -a asked.txt >/dev/null; cat division.json';
const editorOn = (...args: string[]): Promise<Editor> =>
  Editor.on(place, '--planner', PLANNER, '--agent', WORKER, ...args);

describe('a prompt', () => {
  test('a prompt is divided, approved, done and reported, and its board is the plan', async () => {
    // A file that appears in the workspace would be nobody's.
    const go = join(tempDir(), 'go');
    await using editor = await Editor.on(place, '--planner', PLANNER, '--agent', waiting(go));
    const session = await editor.session();
    const prompted = session.prompt('2:executor fix both');
    const begun = 'in_progress #1 [no-cascade] Fix a (worker-1)';
    await until(() => session.plans().flat().includes(begun), 'the plan shows the task that began');
    writeFileSync(go, '');
    const { stopReason, _meta } = await prompted;
    expect(stopReason).toBe('end_turn');
    expect(_meta).toMatchObject({ teams: { outcome: 'succeeded', exitCode: 0 } });
    expect(session.said()).toMatch(/^```\nTEAM COMPLETE\nTeam: forge-team-\d+ \| Template: custom/);
    expect(session.plans()[0]).toEqual([
      'pending #1 [no-cascade] Fix a (worker-1)',
      'pending #2 [no-cascade] Fix b (worker-2)',
    ]);
    expect(session.plans().at(-1)).toEqual([
      'completed #1 [no-cascade] Fix a (worker-1)',
      'completed #2 [no-cascade] Fix b (worker-2)',
    ]);
    const { toolCall, options } = await editor.isAsked();
    expect(toolCall).toMatchObject({ title: 'Start this team?', status: 'pending' });
    expect(JSON.stringify(toolCall.content)).toContain('TEAM DECOMPOSITION');
    expect(options.map(({ kind }) => kind)).toEqual(['allow_once', 'reject_once']);
    expect(session.thought()).toContain('exec plans the work.');
  });

  test('a second prompt of the session is another run', async () => {
    await using editor = await editorOn();
    const session = await editor.session();
    await session.prompt('2:executor fix both');
    await session.prompt('2:executor fix them again');
    expect(session.said().match(/TEAM COMPLETE/g)).toHaveLength(2);
    expect(editor.asked).toHaveLength(2);
  });

  test('two sessions lead their teams at the same time, each in its directory', async () => {
    place.put('one/plan.yaml', gated('one'));
    place.put('two/plan.yaml', gated('two'));
    await using editor = await Editor.on(place);
    const sessions = await Promise.all(['one', 'two'].map((name) => editor.session(join(place.root, name))));
    const ends = sessions.map((session) => session.prompt('plan.yaml'));
    for (const name of ['one', 'two'])
      await until(() => existsSync(join(place.root, name, 'begun')), `the team of ${name} works`);
    for (const name of ['one', 'two']) place.put(`${name}/go`, '');
    for (const end of ends) expect(await end).toMatchObject({ stopReason: 'end_turn' });
    for (const [at, name] of ['one', 'two'].entries()) expect(sessions[at]?.said()).toContain(`Team: ${name} `);
  });

  test('a division that the person rejects starts nothing', async () => {
    await using editor = await editorOn();
    editor.decide = () => 'reject';
    const session = await editor.session();
    expect(await session.prompt('2:executor fix both')).toEqual({ stopReason: 'end_turn' });
    expect(session.said()).toBe('Nothing was started.');
    expect(session.updates('tool_call_update').map(({ status }) => status)).toEqual(['failed']);
    expect((await place.teams('list')).out).not.toContain('forge-team');
  });

  test('with --yes nobody is asked', async () => {
    await using editor = await editorOn('--yes');
    const session = await editor.session();
    await session.prompt('2:executor fix both');
    expect(editor.asked).toEqual([]);
    expect(session.thought()).toContain('TEAM DECOMPOSITION');
    expect(session.said()).toContain('TEAM COMPLETE');
  });

  test('files that the editor embeds or links are part of the task', async () => {
    await using editor = await editorOn('--yes');
    const session = await editor.session();
    const uri = pathToFileURL(join(place.root, 'a.txt')).href;
    await session.prompt(
      '2:executor mend ',
      { type: 'resource_link', uri, name: 'a.txt' },
      { type: 'resource', resource: { uri, text: 'what is in it' } },
    );
    const asked = readFileSync(join(place.root, 'asked.txt'), 'utf8');
    expect(asked).toContain(`mend ${join(place.root, 'a.txt')}`);
    expect(asked).toContain('what is in it');
  });
});

const gated = (name: string): string => `
name: ${name}
members: [{name: ada, agent: {kind: exec}}]
tasks: [{subject: Wait, owner: ada, run: 'touch begun; until [ -e go ]; do sleep 0.05; done'}]
`;

describe('a plan file', () => {
  test('a plan file is carried out without a question, also as a link', async () => {
    place.put('plan.yaml', gated('tiny'));
    place.put('go', '');
    await using editor = await Editor.on(place);
    const session = await editor.session();
    expect(await session.prompt('plan.yaml')).toMatchObject({
      _meta: { teams: { team: 'tiny', outcome: 'succeeded' } },
    });
    const uri = pathToFileURL(join(place.root, 'plan.yaml')).href;
    await session.prompt({ type: 'resource_link', uri, name: 'plan.yaml' });
    expect(session.said().match(/TEAM COMPLETE/g)).toHaveLength(2);
    expect(editor.asked).toEqual([]);
  });

  test('a run that fails is told in the plan, the report and the data of the answer', async () => {
    place.put(
      'plan.yaml',
      "name: red\nmembers: [{name: ada, agent: {kind: exec}}]\ntasks: [{subject: Break, owner: ada, run: 'exit 3'}]\n",
    );
    await using editor = await Editor.on(place);
    const session = await editor.session();
    expect(await session.prompt('plan.yaml')).toMatchObject({
      stopReason: 'end_turn',
      _meta: { teams: { outcome: 'failed', exitCode: 1 } },
    });
    expect(session.plans().at(-1)?.[0]).toMatch(/^completed #1 Break \(failed: /);
    expect(session.said()).toContain('TEAM FAILED: 1 failed');
  });
});

describe('a prompt that makes no team', () => {
  test.each([
    ['no words', '', -32_602, 'USAGE', 'The prompt has no words'],
    ['a misspelt number of workers', '99:executor mend it', -32_602, 'USAGE', 'Expected 1 to'],
    ['a plan that is not there', 'plans/none.yaml', -32_602, 'USAGE', 'There is no plan file'],
  ])('%s: an error with its code', async (_, words, code, name, why) => {
    await using editor = await editorOn();
    const session = await editor.session();
    const failure = session.prompt(words);
    await expect(failure).rejects.toThrow(why);
    await expect(failure).rejects.toMatchObject({
      code,
      data: { code: name, class: 'UsageError', retryable: false },
    });
  });

  test('without any agent the error names what was probed', async () => {
    place = new Workplace({ PATH: '/nowhere', OLLAMA_HOST: '127.0.0.1:9' });
    await using editor = await Editor.on(place);
    const session = await editor.session();
    await expect(session.prompt('mend it')).rejects.toMatchObject({
      code: -32_603,
      data: { code: 'AGENT_UNAVAILABLE' },
    });
  });

  test('a second prompt at the same time is refused', async () => {
    place.put('plan.yaml', gated('tiny'));
    await using editor = await Editor.on(place);
    const session = await editor.session();
    const first = session.prompt('plan.yaml');
    await until(() => existsSync(join(place.root, 'begun')), 'the team works');
    await expect(session.prompt('more')).rejects.toMatchObject({ code: -32_600 });
    place.put('go', '');
    expect(await first).toMatchObject({ stopReason: 'end_turn' });
  });

  test('an unknown session and a relative directory are refused', async () => {
    await using editor = await Editor.on(place);
    const prompt = { sessionId: 'none', prompt: [{ type: 'text' as const, text: 'x' }] };
    await expect(editor.agent.request('session/prompt', prompt)).rejects.toMatchObject({ code: -32_002 });
    await expect(editor.session('here')).rejects.toMatchObject({ code: -32_602 });
  });
});
