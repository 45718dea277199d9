/** Sessions outlive their agent: another process lists them, repeats what was said, and goes on. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { Editor } from '../../support/acp-editor.ts';
import { until, Workplace } from '../../support/cli.ts';
import { allowLeft } from '../../support/leftovers.ts';

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
  place.put(
    'plan.yaml',
    "name: tiny\nmembers: [{name: ada, agent: {kind: exec}}]\ntasks: [{subject: Wait, owner: ada, run: 'touch begun; until [ -e go ]; do sleep 0.05; done'}]\n",
  );
});

/** A session with one prompt that was carried out. */
async function finished(): Promise<string> {
  place.put('go', '');
  await using editor = await Editor.on(place);
  const session = await editor.session();
  await session.prompt('plan.yaml');
  return session.id;
}

describe('a session of before', () => {
  test('session/load repeats the prompts, the answers and the plan of the last team, and the session goes on', async () => {
    const id = await finished();
    await using editor = await Editor.on(place);
    expect(editor.initialized.agentCapabilities).toMatchObject({ loadSession: true });
    const session = await editor.continued(id);
    expect(session.repeated()).toEqual(['plan.yaml']);
    expect(session.said()).toContain('TEAM COMPLETE');
    expect(session.plans()).toEqual([['completed #1 Wait (ada)']]);
    expect(await session.prompt('plan.yaml')).toMatchObject({ stopReason: 'end_turn' });
    expect(session.said().match(/TEAM COMPLETE/g)).toHaveLength(2);
  });

  test('session/resume goes on without repeating anything', async () => {
    const id = await finished();
    await using editor = await Editor.on(place);
    const session = await editor.continued(id, 'session/resume');
    expect(editor.updates).toEqual([]);
    expect(await session.prompt('plan.yaml')).toMatchObject({ stopReason: 'end_turn' });
  });

  test('after the agent was killed at work, the loaded session continues the team with the same prompt', async () => {
    allowLeft();
    const first = await Editor.on(place);
    const session = await first.session();
    const prompt = session.prompt('plan.yaml').catch(() => undefined);
    await until(() => existsSync(join(place.root, 'begun')), 'the team works');
    const exited = once(first.process, 'exit');
    first.process.kill('SIGKILL');
    await exited;
    await first.leave();
    await prompt;
    place.put('go', '');
    await using editor = await Editor.on(place);
    const again = await editor.continued(session.id);
    // The member may have given the task back before it was ended.
    expect(again.plans()).toEqual([[expect.stringMatching(/^(?:pending|in_progress) #1 Wait \(ada\)$/)]]);
    expect(await again.prompt('plan.yaml')).toMatchObject({ stopReason: 'end_turn' });
    expect(again.thought()).toContain('Continuing the unfinished team tiny.');
    expect(again.plans().at(-1)).toEqual(['completed #1 Wait (ada)']);
  });

  test('a session without a prompt can be continued in another process, and is not listed', async () => {
    place.put('go', '');
    const first = await Editor.on(place);
    const { id } = await first.session();
    await first.leave();
    await using editor = await Editor.on(place);
    expect(await editor.agent.request('session/list', {})).toEqual({ sessions: [] });
    const session = await editor.continued(id, 'session/resume');
    expect(await session.prompt('plan.yaml')).toMatchObject({ stopReason: 'end_turn' });
  });

  test('an error of a prompt is repeated, too', async () => {
    await using editor = await Editor.on(place);
    const session = await editor.session();
    await expect(session.prompt('plans/none.yaml')).rejects.toThrow('There is no plan file');
    const again = await editor.continued(session.id);
    expect(again.said()).toContain('USAGE: There is no plan file');
  });

  test('an unknown session cannot be loaded', async () => {
    await using editor = await Editor.on(place);
    await expect(editor.continued('01ARZ3NDEKTSV4RRFFQ69G5FAV')).rejects.toMatchObject({ code: -32_002 });
    await expect(editor.continued('../key')).rejects.toMatchObject({ code: -32_002 });
  });

  test('a session that works cannot be loaded', async () => {
    await using editor = await Editor.on(place);
    const session = await editor.session();
    const prompt = session.prompt('plan.yaml');
    await until(() => existsSync(join(place.root, 'begun')), 'the team works');
    await expect(editor.continued(session.id)).rejects.toMatchObject({ code: -32_600 });
    place.put('go', '');
    await prompt;
  });
});

describe('the list of sessions', () => {
  test('sessions with a prompt are listed with their directory and title, until they are deleted', async () => {
    const id = await finished();
    await using editor = await Editor.on(place);
    await editor.session();
    const { sessions } = await editor.agent.request('session/list', {});
    expect(sessions).toMatchObject([{ sessionId: id, cwd: place.root, title: 'plan.yaml' }]);
    expect(sessions[0]?.updatedAt).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(await editor.agent.request('session/list', { cwd: '/elsewhere' })).toEqual({ sessions: [] });
    await editor.agent.request('session/delete', { sessionId: id });
    expect(await editor.agent.request('session/list', {})).toEqual({ sessions: [] });
  });

  test('session/close ends the present prompt', async () => {
    await using editor = await Editor.on(place);
    const session = await editor.session();
    const prompt = session.prompt('plan.yaml');
    await until(() => existsSync(join(place.root, 'begun')), 'the team works');
    await editor.agent.request('session/close', { sessionId: session.id });
    expect(await prompt).toMatchObject({ stopReason: 'cancelled' });
    await expect(session.prompt('plan.yaml')).rejects.toMatchObject({ code: -32_002 });
  });
});

test.each(['plan.yaml', 'missing', 'a\nb\u001b[2J'])(
  'a session in %j, which is no directory, is refused in one line',
  async (name) => {
    await using editor = await Editor.on(place);
    const asked = editor.agent.request('session/new', { cwd: join(place.root, name), mcpServers: [] });
    const [error] = await Promise.allSettled([asked]);
    expect(error).toMatchObject({
      reason: { code: -32_602, message: expect.stringMatching(/^[^\p{Cc}]*which is no directory\.$/u) as unknown },
    });
  },
);
