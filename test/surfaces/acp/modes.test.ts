/** The modes of a session: what a prompt becomes. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { Editor } from '../../support/acp-editor.ts';
import { until, Workplace } from '../../support/cli.ts';

const WORKER = 'exec:cat >/dev/null; echo "phase $TEAMS_PHASE of $TEAMS_ROLE"';

let place: Workplace;
beforeEach(() => {
  place = new Workplace({ TEAMS_SHUTDOWN_TIMEOUT_MS: '2000' });
});

test('a session has a mode for a divided task, for one member, for a question, and for each pipeline', async () => {
  await using editor = await Editor.on(place);
  const { modes } = await editor.agent.request('session/new', { cwd: place.root, mcpServers: [] });
  expect(modes?.currentModeId).toBe('forge');
  const ids = modes?.availableModes.map(({ id }) => id) ?? [];
  expect(ids.slice(0, 3)).toEqual(['forge', 'v8', 'relay']);
  expect(ids).toContain('pipeline-impl-only');
});

test('in mode v8 one member does the task, without a planner and without a question', async () => {
  await using editor = await Editor.on(place, '--agent', 'exec:cat');
  const session = await editor.session();
  await session.switch('v8');
  expect(await session.prompt('say it\nloudly')).toMatchObject({ _meta: { teams: { outcome: 'succeeded' } } });
  expect(editor.asked).toEqual([]);
  expect(session.plans().at(-1)).toEqual(['completed #1 say it (worker-1)']);
  expect(JSON.stringify(session.updates('tool_call_update'))).toContain('loudly');
});

test('in mode v8 the same prompt continues a team that was interrupted', async () => {
  await using editor = await Editor.on(
    place,
    '--agent',
    'exec:cat >/dev/null; touch begun; until [ -e go ]; do sleep 0.05; done',
  );
  const session = await editor.session();
  await session.switch('v8');
  const prompt = session.prompt('wait');
  await until(() => existsSync(join(place.root, 'begun')), 'the member works');
  await session.cancel();
  expect(await prompt).toMatchObject({ stopReason: 'cancelled' });
  place.put('go', '');
  expect(await session.prompt('wait')).toMatchObject({ _meta: { teams: { outcome: 'succeeded' } } });
  expect(session.thought()).toContain('Continuing the unfinished team task-');
});

test('in mode relay one agent answers, and no team is made', async () => {
  await using editor = await Editor.on(place, '--agent', 'exec:cat');
  const session = await editor.session();
  await session.switch('relay');
  expect(await session.prompt('what is it?')).toEqual({ stopReason: 'end_turn' });
  expect(session.said()).toContain('what is it?');
  expect(existsSync(join(place.root, '.teams'))).toBe(false);
});

test('in mode relay a cancel ends the agent', async () => {
  await using editor = await Editor.on(place, '--agent', 'exec:touch begun; sleep 60');
  const session = await editor.session();
  await session.switch('relay');
  const prompt = session.prompt('what is it?');
  await until(() => existsSync(join(place.root, 'begun')), 'the agent works');
  await session.cancel();
  expect(await prompt).toEqual({ stopReason: 'cancelled' });
});

test(
  'in the mode of a pipeline the prompt is its requirement, and its checkpoint is asked',
  { timeout: 30_000 },
  async () => {
    for (const [name, text] of [
      ['short', 'description: short\nstages: [first, {checkpoint: Go on?}, second]'],
      [
        'first',
        'description: f\ntasks: [{code: PLAN-001, role: planner, subject: Plan, artifact: spec/plan.md, retries: 0}]',
      ],
      ['second', 'description: s\ntasks: [{code: TEST-001, role: tester, subject: Test}]'],
    ] as const)
      place.put(`.teams/pipelines/${name}.yaml`, text);
    expect((await place.teams('doctor', '--trust')).code).toBe(0);
    await using editor = await Editor.on(place, '--agent', WORKER);
    const session = await editor.session();
    await session.switch('pipeline-short');
    expect(await session.prompt('Add a shop')).toMatchObject({ _meta: { teams: { outcome: 'succeeded' } } });
    const { toolCall, options } = await editor.isAsked();
    expect(toolCall.title).toMatch(/^Team tls-add-a-shop-.* waits at checkpoint /);
    expect(options.map(({ name }) => name)).toEqual(['Go on', 'Stop here']);
  },
);

test('an unknown mode is refused, and the mode is kept with the session', async () => {
  const first = await Editor.on(place);
  const { id } = await first.session();
  await first.agent.request('session/set_mode', { sessionId: id, modeId: 'relay' });
  await expect(first.agent.request('session/set_mode', { sessionId: id, modeId: 'none' })).rejects.toMatchObject({
    code: -32_602,
  });
  await first.leave();
  await using editor = await Editor.on(place);
  const { modes } = await editor.agent.request('session/load', { sessionId: id, cwd: place.root, mcpServers: [] });
  expect(modes?.currentModeId).toBe('relay');
});
