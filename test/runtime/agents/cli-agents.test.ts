/** Teams whose members are programs that behave like the real CLIs, each with its own MCP server of the team. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AgentSpec } from '../../../src/model/agent/agent.ts';
import type { Script } from '../../fixtures/model-server/script.ts';
import { ModelServer } from '../../fixtures/model-server/server.ts';
import { like } from '../../agents/like.ts';
import { allowLeft } from '../../support/leftovers.ts';
import { running } from '../../support/processes.ts';
import { lead, run, team } from '../../support/session.ts';

async function serve(script: Script): Promise<ModelServer> {
  const server = await ModelServer.start({ script });
  onTestFinished(() => server.close());
  return server;
}

const KINDS = ['claude', 'codex', 'acp'] as const;

const agentAt = ({ url }: ModelServer, kind: (typeof KINDS)[number], env = {}): AgentSpec => ({
  kind,
  command: like(kind),
  baseUrl: kind === 'codex' ? `${url}/v1` : url,
  env: { LIKE_URL: url, ...env },
});

describe('a team of programs', () => {
  it('a team of programs does its tasks, and each member writes to the lead by the tools of the team', async () => {
    const server = await serve(({ results }) =>
      results.length === 0
        ? { calls: [{ tool: 'SendMessage', input: { recipient: 'lead', content: 'Begun.' } }] }
        : { text: 'Done, and told.' },
    );
    const on = await team({
      members: KINDS.map((kind) => ({ name: kind, agent: agentAt(server, kind) })),
      tasks: KINDS.map((kind) => ({ subject: `Work of ${kind}`, owner: kind })),
    });
    await run(on);
    expect(KINDS.map((_, at) => on.task(String(at + 1)))).toMatchObject(
      KINDS.map(() => ({ status: 'completed', result: { summary: 'Done, and told.' } })),
    );
    const told = on.events('message.sent').map(({ member, text }) => `${String(member)}: ${String(text)}`);
    expect(told.sort()).toEqual(KINDS.map((kind) => `${kind}: to lead: Begun.`).sort());
  });

  it.each(['claude', 'acp'] as const)(
    'a read-only member with %s writes nothing, and its model and its person are told so',
    async (kind) => {
      const server = await serve(({ results, user }) =>
        results.length === 0 && !user.includes('were refused')
          ? { calls: [{ tool: 'Write', input: { file_path: 'made', content: 'x' } }] }
          : { text: `Heard: ${results.join()} ${user}` },
      );
      const agent = agentAt(server, kind);
      const on = await team({
        members: [{ name: 'ada', agent, sandbox: 'read-only' }],
        tasks: [{ subject: 'Write it.' }],
      });
      await run(on);
      expect(on.task('1')).toMatchObject({ result: { summary: expect.stringContaining('is read-only') as string } });
      expect(existsSync(join(on.root, 'made'))).toBe(false);
      expect(on.events('agent.denied')).toMatchObject([
        { member: 'ada', task: '1', text: expect.stringContaining('is denied: this member is read-only') as string },
      ]);
    },
  );

  it.each(KINDS)('a killed teammate leaves no process of %s, in any session', async (kind) => {
    // The successor breaks the lease of a killed process.
    allowLeft(/ada\.lock$/);
    const server = await serve([{ hangs: 'before', times: 'always' }]);
    const on = await team({
      members: [{ name: 'ada', agent: agentAt(server, kind, { MISBEHAVES: 'stray' }) }],
      tasks: [{ subject: 'Hang.' }],
    });
    const session = await lead(on);
    await session.start(session.startable());
    await server.request(1);
    const strays = (): string[] =>
      running()
        .filter(({ cwd }) => cwd === on.root)
        .map(({ command }) => command);
    expect(strays()).toContainEqual('sleep 3600');
    process.kill(on.pid('ada'), 'SIGKILL');
    await session.shutDown({ force: true });
    await session.close();
    expect(strays()).toEqual([]);
  });
});
