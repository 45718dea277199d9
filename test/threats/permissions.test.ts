/**
 * Permissions of a person (`approvals: ask`): what is allowed is the call that was shown, and no more than the sandbox of
 * the member.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { like } from '../agents/like.ts';
import { ModelServer } from '../fixtures/model-server/server.ts';
import type { Step } from '../fixtures/model-server/script.ts';
import { until, Workplace } from '../support/cli.ts';
import { allowLeft } from '../support/leftovers.ts';

const askedSchema = z.object({
  asked: z.array(z.object({ id: z.string(), text: z.string(), outcome: z.string() })),
});
const reportSchema = z.object({ members: z.array(z.object({ notEnforced: z.string().nullable() })) });

/** A team of one Codex, which runs what was allowed without its own sandbox, as the real one does after a refusal. */
async function codexAsks(calls: NonNullable<Step['calls']>, environment: Record<string, string> = {}) {
  const server = await ModelServer.start({ script: [{ calls }, { text: 'Done.', times: 'always' }] });
  onTestFinished(() => server.close());
  const place = new Workplace(environment);
  const agent = { kind: 'codex', command: like('codex'), baseUrl: `${server.url}/v1`, env: { OPENAI_API_KEY: 'none' } };
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
  return { place, cwd, running, open };
}

describe('what a person allows to a program with its own sandbox', () => {
  it.each([{}, { TEAMS_SANDBOX_BWRAP: 'off' }])(
    'does not leave the workspace, or it is said: %j',
    async (environment) => {
      allowLeft(/codex/);
      const outside = `outside-${process.pid}`;
      const { place, cwd, running, open } = await codexAsks(
        [{ tool: 'Bash', input: { command: `touch inside; touch ../${outside}` } }],
        environment,
      );
      await until(async () => (await open()) !== undefined, 'a permission is asked for', 30_000);
      await place.say(['answer', 'crew', (await open())?.id ?? '', 'yes'], { cwd });
      const { out } = await running;
      expect(existsSync(join(cwd, 'inside'))).toBe(true);
      const isHeld = !('TEAMS_SANDBOX_BWRAP' in environment);
      expect(existsSync(join(place.root, outside))).toBe(!isHeld);
      const said = isHeld ? null : (expect.stringContaining('allows') as unknown);
      expect(reportSchema.parse(JSON.parse(out)).members).toMatchObject([{ notEnforced: said }]);
    },
  );
});
