/** Pipelines and refine loops with trees whose members are models by an API, with our own tools; the models are scripted. */
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Asked } from '../fixtures/model-server/asked.ts';
import type { Answerer, ToolUse } from '../fixtures/model-server/script.ts';
import { ModelServer } from '../fixtures/model-server/server.ts';
import { git, scene, userState, type Scene } from '../support/tree-scene.ts';

/** Two agents of one API, by the model that they name. */
async function models(script: (at: string) => Answerer): Promise<Scene> {
  const made = scene({ tasks: [] });
  const server = await ModelServer.start({ script: script(made.at) });
  onTestFinished(() => server.close());
  const env = { ANTHROPIC_API_KEY: 'none' };
  const api = (model: string) => ({ kind: 'anthropic', model, baseUrl: server.url, env });
  const agents = { api: api('claude-sonnet-5-5'), other: api('claude-haiku-4-5') };
  made.place.put('home/config/teams/config.yaml', JSON.stringify({ agents, fallback: [] }));
  return made;
}

const write = (path: string, content: string): ToolUse => ({ tool: 'write_file', input: { path, content } });

it('a role that is a model reads what earlier roles made, and changes its tree by relative and by absolute paths', async () => {
  const found: string[] = [];
  const { at, teams, landed } = await models((project) => ({ system, user, messages, results }: Asked) => {
    const session = /^session: (.*)$/m.exec(messages.map(({ text }) => text).join('\n'))?.[1] ?? '';
    const [phase] = /(?<=## Phase )\d/.exec(user) ?? [];
    found.push(...results);
    if (system.startsWith('You are planner') && phase === '3') return { text: '# The plan\n\nBuild it.' };
    if (!system.startsWith('You are executor') || results.length > 0) return { text: 'Done.' };
    if (phase === '2') return { calls: [{ tool: 'read_file', input: { path: `${session}/spec/plan.md` } }] };
    if (phase !== '3') return { text: 'Done.' };
    // The shell shows the tree at the path of the project.
    return {
      calls: [write('one.txt', 'one\n'), write(join(project, 'two.txt'), 'two\n'), write(`${session}/no`, 'x')],
    };
  });
  const before = userState(at);
  const argv = ['pipeline', 'impl-only', 'Add a dark mode', '--agent', 'api', '--isolation', 'trees', '--quiet'];
  const { code, out, err } = await teams(...argv);
  expect(code, `${out}${err}`).toBe(0);
  expect(userState(at)).toEqual(before);
  expect(found).toEqual([
    expect.stringContaining('Build it.'),
    expect.stringContaining('Created one.txt'),
    expect.stringContaining('Created two.txt'),
    expect.stringContaining("the team's own files"),
  ]);
  expect([landed('one.txt'), landed('two.txt')]).toEqual(['one\n', 'two\n']);
}, 120_000);

it('backends that are models write at once into trees of their own, and the winner lands', async () => {
  const { at, teams, landed } = await models((project) => ({ model, user, results }: Asked) => {
    if (results.length > 0 || !user.includes('fix the build')) return { text: `Done by ${model}.` };
    return { calls: [write(join(project, 'out.txt'), model.includes('haiku') ? 'good\n' : 'bad\n')] };
  });
  const before = userState(at);
  const backends = ['--backend', 'api', '--backend', 'other', '--reviewer', 'exec:grep -q good out.txt'];
  const argv = [
    'refine',
    'fix the build',
    '--isolation',
    'trees',
    '--timeout',
    '90s',
    '--max-rounds',
    '1',
    ...backends,
  ];
  const { code, out, err } = await teams(...argv);
  expect(code, `${out}${err}`).toBe(0);
  expect(userState(at)).toEqual(before);
  expect(landed('out.txt')).toBe('good\n');
  const refs = git(at, 'for-each-ref', '--format=%(refname)', 'refs/teams').split('\n');
  const left = refs.filter((ref) => ref.includes('/left/')).map((ref) => git(at, 'show', `${ref}:out.txt`));
  expect(left).toEqual(['bad\n']);
}, 120_000);
