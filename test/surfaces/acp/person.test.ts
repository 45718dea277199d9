/** What waits for a person in a team is asked in the editor: decisions by options, questions by a form or the next prompt. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { Editor } from '../../support/acp-editor.ts';
import { until, Workplace } from '../../support/cli.ts';

const asks = (content: string) => ({
  tool: 'SendMessage',
  input: { recipient: 'lead', kind: 'question', content },
});
const asker = {
  kind: 'scripted',
  options: {
    turns: [
      { match: 'Paint', calls: [asks('Which colour?')], answers: 'I asked' },
      { match: 'red', answers: 'painted red' },
      { match: 'Decide by yourself', answers: 'painted as I like' },
      { answers: 'painted', repeat: true },
    ],
  },
};
const tasks = [{ subject: 'Paint', owner: 'ada', prompt: 'Paint the door.' }];

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
  place.put('ask.json', JSON.stringify({ name: 'tiny', members: [{ name: 'ada', agent: asker }], tasks }));
  const planner = { name: 'ada', agent: { kind: 'exec' }, planApproval: true };
  place.put(
    'plan.json',
    JSON.stringify({
      name: 'tiny',
      members: [planner],
      tasks: [{ ...tasks[0], prompt: undefined, run: 'touch painted' }],
    }),
  );
});

const result = async (): Promise<string> => (await place.teams('task', 'get', 'tiny', '1')).out;

/** As Markdown it shows neither a comment nor the target of a link, and its fence ends at the first line of three. */
const UNSEEN = 'touch painted # <!-- hidden --> [docs](http://evil)\n# ```\n````\n# <!--';

test('what a person decides on is shown as it is, in a fence that its text does not end', async () => {
  const agent = { kind: 'scripted', options: { turns: [{ answers: UNSEEN, repeat: true }] } };
  place.put(
    'unseen.json',
    JSON.stringify({ name: 'tiny', members: [{ name: 'ada', agent, planApproval: true }], tasks }),
  );
  await using editor = await Editor.on(place);
  const session = await editor.session();
  await session.prompt('unseen.json');
  const { toolCall } = await editor.isAsked();
  const [block] = toolCall.content ?? [];
  const text = block?.type === 'content' && block.content.type === 'text' ? block.content.text : '';
  const [, fence = '', shown = ''] = /^[^\n]+\n(`{3,})\n([\s\S]*)\n\1\n$/.exec(text) ?? [];
  expect(shown).toContain(UNSEEN);
  expect(shown.split('\n').some((line) => line.trim().startsWith(fence))).toBe(false);
});

describe('a question of a member', () => {
  test('without forms it can be left to the member', async () => {
    await using editor = await Editor.on(place);
    const session = await editor.session();
    expect(await session.prompt('ask.json')).toMatchObject({ _meta: { teams: { outcome: 'succeeded' } } });
    const { toolCall, options } = await editor.isAsked();
    expect(toolCall.title).toBe('ada of team tiny (task #1 Paint) asks:');
    expect(JSON.stringify(toolCall.content)).toContain('Which colour?');
    expect(options.map(({ name }) => name)).toEqual(['Decide yourself', 'I answer with my next message']);
    expect(await result()).toContain('painted as I like');
  });

  test('without forms the next prompt can be the answer, and the run goes on meanwhile', async () => {
    await using editor = await Editor.on(place);
    editor.decide = () => 'leave';
    const session = await editor.session();
    expect(await session.prompt('ask.json')).toMatchObject({
      stopReason: 'end_turn',
      _meta: { teams: { team: 'tiny', outcome: 'waiting' } },
    });
    expect(session.said()).toContain('Which colour?\n\nYour next message is the answer.');
    expect(await session.prompt('red')).toMatchObject({ _meta: { teams: { outcome: 'succeeded' } } });
    expect(await result()).toContain('painted red');
    expect(session.said()).toContain('TEAM COMPLETE');
  });

  test('a form is the answer where the editor shows forms', async () => {
    await using editor = await Editor.with({ elicitation: { form: {} } }, place);
    editor.fill = () => ({ action: 'accept', content: { answer: 'red' } });
    const session = await editor.session();
    expect(await session.prompt('ask.json')).toMatchObject({ _meta: { teams: { outcome: 'succeeded' } } });
    expect(editor.forms).toEqual(['ada of team tiny (task #1 Paint) asks:\n\nWhich colour?']);
    expect(editor.asked).toEqual([]);
    expect(await result()).toContain('painted red');
  });

  test('a form that is declined leaves the question to the next prompt', async () => {
    await using editor = await Editor.with({ elicitation: { form: {} } }, place);
    const session = await editor.session();
    expect(await session.prompt('ask.json')).toMatchObject({ _meta: { teams: { outcome: 'waiting' } } });
    expect(await session.prompt('red')).toMatchObject({ _meta: { teams: { outcome: 'succeeded' } } });
  });

  test('what is answered elsewhere is taken back, and the run goes on', async () => {
    await using editor = await Editor.on(place);
    editor.decide = () => undefined;
    const session = await editor.session();
    const prompt = session.prompt('ask.json');
    await editor.isAsked();
    // The lead's inbox has other mail, too, and none once the lead has read it: the board keeps what is asked.
    const status = (await place.teams('status', 'tiny')).out;
    const id = /\b[0-9A-HJKMNP-TV-Z]{26}\b/.exec(status)?.[0] ?? status;
    expect(await place.teams('answer', 'tiny', id, 'red')).toMatchObject({ code: 0 });
    expect(await prompt).toMatchObject({ _meta: { teams: { outcome: 'succeeded' } } });
    expect(await result()).toContain('painted red');
  });

  test('a cancel while the run goes on without a prompt interrupts it', async () => {
    await using editor = await Editor.on(place);
    editor.decide = () => 'leave';
    const session = await editor.session();
    await session.prompt('ask.json');
    await session.cancel();
    await until(() => session.said().includes('TEAM INTERRUPTED'), 'the run is reported');
    expect((await place.teams('status', 'tiny')).out).toContain('interrupted');
  });

  test('an editor that goes away while the run goes on without a prompt ends it', async () => {
    const editor = await Editor.on(place);
    editor.decide = () => 'leave';
    const session = await editor.session();
    await session.prompt('ask.json');
    expect(await editor.leave()).toBe(0);
    expect((await place.teams('status', 'tiny')).out).toContain('interrupted');
  });
});

describe('a plan that waits for approval', () => {
  test('an approved plan is carried out', async () => {
    await using editor = await Editor.on(place);
    const session = await editor.session();
    expect(await session.prompt('plan.json')).toMatchObject({ _meta: { teams: { outcome: 'succeeded' } } });
    const { toolCall, options } = await editor.isAsked();
    expect(toolCall.title).toContain('waits for the approval of this plan');
    expect(options.map(({ name, kind }) => [name, kind])).toEqual([
      ['Approve the plan', 'allow_once'],
      ['Refuse the plan', 'reject_once'],
    ]);
    expect(existsSync(join(place.root, 'painted'))).toBe(true);
    expect(session.updates('tool_call_update').map(({ status }) => status)).toContain('completed');
  });

  test('a refused plan is not carried out', async () => {
    await using editor = await Editor.on(place);
    editor.decide = () => 'reject';
    const session = await editor.session();
    expect(await session.prompt('plan.json')).toMatchObject({ _meta: { teams: { outcome: 'failed' } } });
    expect(existsSync(join(place.root, 'painted'))).toBe(false);
    expect(readFileSync(join(place.root, 'plan.json'), 'utf8')).toContain('planApproval');
  });
});
