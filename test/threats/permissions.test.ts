/**
 * Permissions of a person (`approvals: ask`): what is allowed is the call that was shown, and no more than the sandbox of
 * the member.
 */
import { existsSync, symlinkSync } from 'node:fs';
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

type Calls = NonNullable<Step['calls']>;

/**
 * A team of one program that asks. The one like Codex runs what was allowed without its own sandbox, as the real one does
 * after a refusal.
 */
async function asking(kind: 'codex' | 'acp', steps: readonly Calls[], environment: Record<string, string> = {}) {
  const script: Step[] = [...steps.map((calls) => ({ calls })), { text: 'Done.', times: 'always' }];
  const server = await ModelServer.start({ script });
  onTestFinished(() => server.close());
  const place = new Workplace(environment);
  const reach =
    kind === 'acp'
      ? { env: { LIKE_URL: server.url } }
      : { baseUrl: `${server.url}/v1`, env: { OPENAI_API_KEY: 'none' } };
  const agent = { kind, command: like(kind), ...reach };
  place.put(
    'project/crew.json',
    JSON.stringify({ name: 'crew', approvals: 'ask', members: [{ name: 'ada', agent }], tasks: [{ subject: 'Work' }] }),
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
      const { place, cwd, running, ask, answer } = await asking('codex', [calls], environment);
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
