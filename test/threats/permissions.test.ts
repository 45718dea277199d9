/**
 * Permissions of a person (`approvals: ask`): what is allowed is the call that was shown, and no more than the sandbox of
 * the member.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { like } from '../agents/like.ts';
import { withinRoot } from '../../src/agents/script-files.ts';
import { ModelServer } from '../fixtures/model-server/server.ts';
import type { Step } from '../fixtures/model-server/script.ts';
import { until, Workplace } from '../support/cli.ts';
import { allowLeft } from '../support/leftovers.ts';
import { tempDir } from '../support/temp.ts';

const askedSchema = z.object({
  asked: z.array(z.object({ id: z.string(), text: z.string(), outcome: z.string() })),
});
const reportSchema = z.object({ members: z.array(z.object({ notEnforced: z.string().nullable() })) });

const processSchema = z.object({ pid: z.number() });

type Calls = NonNullable<Step['calls']>;

interface Asking {
  readonly environment?: Record<string, string>;
  readonly approvals?: string;
  readonly misbehaves?: string;
}

/**
 * A team of one program that asks. The one like Codex runs what was allowed without its own sandbox, as the real one does
 * after a refusal.
 */
async function asking(
  kind: 'codex' | 'acp',
  steps: readonly Calls[],
  { environment = {}, approvals = 'ask', misbehaves = '' }: Asking = {},
) {
  const script: Step[] = [...steps.map((calls) => ({ calls })), { text: 'Done.', times: 'always' }];
  const server = await ModelServer.start({ script });
  onTestFinished(() => server.close());
  const place = new Workplace(environment);
  const reach =
    kind === 'acp'
      ? { env: { LIKE_URL: server.url, MISBEHAVES: misbehaves } }
      : { baseUrl: `${server.url}/v1`, env: { OPENAI_API_KEY: 'none' } };
  const agent = { kind, command: like(kind), ...reach };
  place.put(
    'project/crew.json',
    JSON.stringify({ name: 'crew', approvals, members: [{ name: 'ada', agent }], tasks: [{ subject: 'Work' }] }),
  );
  const cwd = join(place.root, 'project');
  const running = place.say(['run', 'crew.json', '--json'], { cwd });
  const open = async (): Promise<z.infer<typeof askedSchema>['asked'][number] | undefined> => {
    const { code, out } = await place.say(['approvals', 'crew', '--json'], { cwd });
    return code === 0 ? askedSchema.parse(JSON.parse(out)).asked.find(({ outcome }) => outcome === 'open') : undefined;
  };
  const ask = async (): Promise<z.infer<typeof askedSchema>['asked'][number]> => {
    let found: Awaited<ReturnType<typeof open>>;
    let isOver = false;
    void running.then(() => (isOver = true));
    await until(async () => isOver || (found = await open()) !== undefined, 'a permission is asked for', 30_000);
    if (found === undefined) throw new Error('The run ended without a question.');
    return found;
  };
  const answer = (id: string, text: string) => place.say(['answer', 'crew', id, text], { cwd });
  return { place, cwd, running, ask, answer };
}

describe('what a person allows to a program with its own sandbox', () => {
  it.each([{}, { TEAMS_SANDBOX_BWRAP: 'off' }])(
    'does not leave the workspace, or it is said: %j',
    async (environment) => {
      allowLeft(/codex/);
      const outside = `outside-${process.pid}`;
      const calls = [{ tool: 'Bash', input: { command: `touch inside; touch ../${outside}` } }];
      const { place, cwd, running, ask, answer } = await asking('codex', [calls], { environment });
      await answer((await ask()).id, 'yes');
      const { out } = await running;
      expect(existsSync(join(cwd, 'inside'))).toBe(true);
      const isHeld = !('TEAMS_SANDBOX_BWRAP' in environment);
      expect(existsSync(join(place.root, outside))).toBe(!isHeld);
      const said = isHeld ? null : (expect.stringContaining('allows') as unknown);
      expect(reportSchema.parse(JSON.parse(out)).members).toMatchObject([{ notEnforced: said }]);
    },
  );
});

describe('what a person allows for always', () => {
  it.each<[string, 'codex' | 'acp', string, Calls[number], Calls[number], string]>([
    [
      'every call of one tool of an unknown kind: not of another one',
      'acp',
      'always tool',
      { tool: 'read_note', input: { id: 1 } },
      { tool: 'delete_note', input: { id: 1 } },
      'delete_note',
    ],
    [
      'one call of a tool: not the same call of another one',
      'acp',
      'always',
      { tool: 'read_note', input: { id: 1 } },
      { tool: 'delete_note', input: { id: 1 } },
      'delete_note',
    ],
    [
      'a command: not with more beside it',
      'acp',
      'always',
      { tool: 'Bash', input: { command: 'true' } },
      { tool: 'Bash', input: { command: 'true', directory: '/elsewhere' } },
      '/elsewhere',
    ],
    [
      'a command: not in another directory',
      'codex',
      'always',
      { tool: 'Bash', input: { command: 'true' } },
      { tool: 'Bash', input: { command: 'true', workdir: 'sub' } },
      'sub',
    ],
  ])('is %s', async (_, kind, words, first, second, shown) => {
    allowLeft(/codex/);
    const { running, ask, answer } = await asking(kind, [[first], [second]]);
    const one = await ask();
    await answer(one.id, words);
    const other = await ask();
    expect([one.text.includes(shown), other.text.includes(shown)]).toEqual([false, true]);
    await answer(other.id, 'no');
    expect((await running).code).toBe(0);
  });
});

describe('an answer', () => {
  const touch = (file: string) => [{ tool: 'Bash', input: { command: `touch ${file}` } }];

  it('counts once, for the question that it names: not for the same call again', async () => {
    const { place, cwd, running, ask, answer } = await asking('acp', [touch('made'), touch('made'), touch('made')]);
    const first = await ask();
    expect((await answer(first.id, 'yes')).code).toBe(0);
    for (const end of ['yes', 'no']) {
      const next = await ask();
      expect([next.id === first.id, next.text]).toEqual([false, first.text]);
      rmSync(join(cwd, 'made'), { force: true });
      for (const words of ['yes', 'always', 'always tool'])
        expect((await answer(first.id, words)).err).toContain('already answered');
      expect((await ask()).id).toBe(next.id);
      expect(existsSync(join(cwd, 'made'))).toBe(false);
      expect((await answer(next.id, end)).code).toBe(0);
      if (end === 'yes') await until(() => existsSync(join(cwd, 'made')), 'it is made', 10_000);
    }
    expect((await running).code).toBe(0);
    const { out } = await place.say(['approvals', 'crew', '--json'], { cwd });
    expect(out).toContain('"allowed":[]');
  });

  it('does not count for the process that asks again after the one that asked was killed', async () => {
    const { cwd, running, ask, answer } = await asking('acp', [touch('made'), touch('made')]);
    const first = await ask();
    const { pid } = processSchema.parse(JSON.parse(readFileSync(join(cwd, '.teams/crew/processes/ada.json'), 'utf8')));
    if (pid === process.pid) throw new Error('The member has no process of its own.');
    process.kill(pid, 'SIGKILL');
    // At once: nobody has seen yet that it is gone.
    await answer(first.id, 'yes');
    let next = first;
    await until(async () => (next = await ask()).id !== first.id, 'it is asked anew', 60_000);
    expect((await answer(first.id, 'yes')).err).toMatch(/already answered|withdrawn/);
    expect([next.id === first.id, existsSync(join(cwd, 'made'))]).toEqual([false, false]);
    await answer(next.id, 'no');
    await running;
    expect(existsSync(join(cwd, 'made'))).toBe(false);
  });

  it('is not replaced by a rule for always that a program writes into the configuration of the team', async () => {
    const { cwd, running, ask, answer } = await asking('acp', [touch('first'), touch('second')]);
    const { id } = await ask();
    const path = join(cwd, '.teams/crew/config.json');
    const config = z.looseObject({}).parse(JSON.parse(readFileSync(path, 'utf8')));
    const allowed = [{ tool: 'execute', text: 'every call of execute', at: '2026-01-01T00:00:00.000Z' }];
    writeFileSync(path, JSON.stringify({ ...config, allowed }));
    await answer(id, 'yes');
    expect((await running).code).not.toBe(0);
    expect(existsSync(join(cwd, 'second'))).toBe(false);
  });
});

describe('the configuration of the team, while a person is asked', () => {
  type Fields = Record<string, unknown>;
  const changed = (change: (config: Fields) => Fields) => (path: string) =>
    writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')) as Fields)));
  const members = (change: (member: Fields) => Fields) =>
    changed((config) => ({ ...config, members: (config['members'] as Fields[]).map(change) }));

  it.each<[string, (path: string) => void]>([
    ['says sandbox for the team', changed((config) => ({ ...config, approvals: 'sandbox' }))],
    ['says sandbox for the member', members((member) => ({ ...member, approvals: 'sandbox' }))],
    ['asks nobody', members(({ approvals: _, ...member }) => member)],
    ['has no members', changed((config) => ({ ...config, members: [] }))],
    ['is cut off', (path) => writeFileSync(path, '{"version":')],
    ['is gone', (path) => rmSync(path)],
    ['is a pipe', (path) => (rmSync(path), void execFileSync('mkfifo', [path]))],
  ])('%s: nothing is done, and the run ends', { timeout: 60_000 }, async (_, exchange) => {
    const { cwd, running, ask } = await asking('acp', [[{ tool: 'Bash', input: { command: 'touch made' } }]]);
    await ask();
    exchange(join(cwd, '.teams/crew/config.json'));
    expect((await running).code).toBe(4);
    expect(existsSync(join(cwd, 'made'))).toBe(false);
  });

  it('is removed by a call that was allowed: the next one is not done unasked', async () => {
    const calls = ['sh build.sh', 'touch made'].map((command) => [{ tool: 'Bash', input: { command } }]);
    const { place, cwd, running, ask, answer } = await asking('acp', calls);
    place.put('project/build.sh', 'rm .teams/crew/config.json');
    await answer((await ask()).id, 'yes');
    expect((await running).code).toBe(4);
    expect(existsSync(join(cwd, 'made'))).toBe(false);
  });
});

describe('a program that can be allowed no single call', () => {
  it.each(['ask', 'sandbox'])('is allowed none, and is not asked for: approvals %s', async (approvals) => {
    const calls = ['first', 'second'].map((name) => [{ tool: 'Bash', input: { command: `touch ${name}` } }]);
    const { place, cwd, running, ask, answer } = await asking('acp', calls, {
      approvals,
      misbehaves: 'offers only always',
    });
    const question = ask().then(({ id }) => answer(id, 'yes'));
    await Promise.race([question, running]);
    const { code } = await running;
    await question.catch(() => undefined);
    expect([code, existsSync(join(cwd, 'first')), existsSync(join(cwd, 'second'))]).toEqual([0, false, false]);
    const { out } = await place.say(['log', 'crew', '--json'], { cwd });
    expect(out).toContain('offers no way to allow one call only');
    expect((await place.say(['approvals', 'crew', '--json'], { cwd })).out).toContain('"asked":[]');
  });
});

describe('a path that a program asks to write', () => {
  it.each([
    ['a link to a file that is not there yet', '/there/new', 'link', '/there/new'],
    ['a file below such a link', '/there/new', 'link/sub/file', '/there/new/sub/file'],
    ['a link that leads back in', 'inside/new', 'link', 'inside/new'],
    ['a link to itself', 'link', 'link', 'link'],
  ])('is judged where it leads: %s', (_, target, asked, real) => {
    const root = tempDir();
    symlinkSync(target, join(root, 'link'));
    expect(withinRoot(root, [asked])).toEqual([real]);
  });
});
