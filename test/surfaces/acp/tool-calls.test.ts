/** What members do is shown as tool calls with their output, ends and diffs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Script } from '../../fixtures/model-server/script.ts';
import { ModelServer } from '../../fixtures/model-server/server.ts';
import { like } from '../../agents/like.ts';
import { Editor, type EditorSession } from '../../support/acp-editor.ts';
import { until, Workplace } from '../../support/cli.ts';

let place: Workplace;
beforeEach(async () => {
  place = new Workplace();
  place.put('work/a.txt', 'one\n');
  await place.shell('cd work && git init -q && git add . && git -c user.name=a -c user.email=a@b commit -qm one');
});

const PLAN = `
name: tiny
members: [{name: ada, agent: {kind: exec}}]
tasks:
  - {subject: Change a, owner: ada, files: [a.txt], run: 'echo two >a.txt; echo wrote it'}
  - {subject: Add b, owner: ada, blockedBy: [Change a], run: 'echo new >b.txt'}
  - {subject: Break, owner: ada, blockedBy: [Add b], required: false, run: 'echo it is broken; exit 3'}
`;

/** Each tool call as it was last shown. */
function calls(session: EditorSession) {
  const shown = new Map<
    string,
    { title?: string; kind?: unknown; status?: unknown; content: string; locations?: unknown }
  >();
  for (const { toolCallId, title, kind, status, content, locations } of session.updates('tool_call'))
    shown.set(toolCallId, { title, kind, status, content: JSON.stringify(content ?? []), locations });
  for (const { toolCallId, kind, status, content, locations } of session.updates('tool_call_update')) {
    const known = shown.get(toolCallId) ?? { content: '' };
    if (kind !== undefined) known.kind = kind;
    if (status !== undefined) known.status = status;
    if (content !== undefined) known.content = JSON.stringify(content);
    if (locations !== undefined) known.locations = locations;
    shown.set(toolCallId, known);
  }
  return [...shown.values()];
}

const diff = (file: string, oldText: string | null, newText: string) =>
  JSON.stringify({ path: join(place.root, 'work', file), oldText, newText, type: 'diff' });

describe('attempts at tasks', () => {
  test('an attempt is a tool call with its output, its end and the diffs of its files; the rest is shown at the end', async () => {
    place.put('work/plan.yaml', PLAN);
    await using editor = await Editor.on(place);
    const session = await editor.session(join(place.root, 'work'));
    await session.prompt('plan.yaml');
    await until(() => calls(session)[0]?.kind === 'edit', 'the diff of the first attempt is shown');
    const [change, add, broken, rest] = calls(session);
    expect(change).toMatchObject({ title: 'ada: #1 Change a', kind: 'edit', status: 'completed' });
    expect(change?.content).toContain('wrote it');
    expect(change?.content).toContain(diff('a.txt', 'one\n', 'two\n'));
    expect(change?.locations).toEqual([{ path: join(place.root, 'work/a.txt') }]);
    expect(add).toMatchObject({ title: 'ada: #2 Add b', status: 'completed' });
    expect(broken).toMatchObject({ title: 'ada: #3 Break', status: 'failed' });
    expect(broken?.content).toContain('it is broken');
    expect(rest).toMatchObject({ title: 'The run changed 1 more file', kind: 'edit', status: 'completed' });
    expect(rest?.content).toContain(diff('b.txt', null, 'new\n'));
    expect(rest?.content).not.toContain('a.txt');
  });

  test('a file that is removed has an empty new text; bytes and large files are left out', async () => {
    writeFileSync(
      join(place.root, 'work/plan.yaml'),
      'name: tiny\nmembers: [{name: ada, agent: {kind: exec}}]\ntasks: [{subject: Do, owner: ada, run: "rm a.txt; head -c 200000 /dev/zero | tr \'\\\\0\' x >large; head -c 10 /dev/zero >bytes"}]\n',
    );
    await using editor = await Editor.on(place);
    const session = await editor.session(join(place.root, 'work'));
    await session.prompt('plan.yaml');
    const rest = calls(session).at(-1);
    expect(rest?.content).toBe(`[${diff('a.txt', 'one\n', '')}]`);
  });

  test('without git there are no diffs', async () => {
    mkdirSync(join(place.root, 'plain'));
    place.put('plain/plan.yaml', PLAN);
    await using editor = await Editor.on(place);
    const session = await editor.session(join(place.root, 'plain'));
    await session.prompt('plan.yaml');
    expect(calls(session).map(({ title }) => title)).toEqual(['ada: #1 Change a', 'ada: #2 Add b', 'ada: #3 Break']);
    expect(JSON.stringify(calls(session))).not.toContain('diff');
  });
});

describe('calls of agents', () => {
  /** A team whose member is a program with a model that says this. */
  async function prompted(script: Script, sandbox: string): Promise<EditorSession> {
    const server = await ModelServer.start({ script });
    onTestFinished(() => server.close());
    const agent = { kind: 'acp', command: like('acp'), env: { LIKE_URL: server.url } };
    const members = [{ name: 'ada', agent, sandbox }];
    place.put(
      'work/plan.json',
      JSON.stringify({ name: 'tiny', members, tasks: [{ subject: 'Write', owner: 'ada', prompt: 'Write it.' }] }),
    );
    await using editor = await Editor.on(place);
    const session = await editor.session(join(place.root, 'work'));
    await session.prompt('plan.json');
    return session;
  }
  const writes: Script = ({ results, user }) =>
    results.length === 0 && !user.includes('were refused')
      ? { calls: [{ tool: 'Write', input: { file_path: 'made', content: 'x' } }] }
      : { text: 'Done.' };

  test('a call of an agent is a tool call of its kind', async () => {
    const session = await prompted(writes, 'workspace-write');
    expect(calls(session)).toContainEqual({
      title: 'ada: edit: Write',
      kind: 'edit',
      status: 'completed',
      content: '[]',
      locations: undefined,
    });
    expect(calls(session)[0]?.content).toContain('Done.');
  });

  test('a refused call is a failed tool call with the reason', async () => {
    const session = await prompted(writes, 'read-only');
    const refused = calls(session).find(({ title }) => title === 'ada: refused');
    expect(refused).toMatchObject({ status: 'failed' });
    expect(refused?.content).toContain('is denied: this member is read-only');
  });
});
