/** One team of the real CLIs and a command on one board, each telling the lead by the tools of the team. */
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { execAgent, type AgentSpec } from '../../src/model/agent.ts';
import { ModelServer } from '../fixtures/model-server/server.ts';
import { allowLeft } from '../support/leftovers.ts';
import { run, team } from '../support/session.ts';
import { environment, reach, realCli } from './clis.ts';

beforeEach(() => allowLeft(/\/homes\//));

const KINDS = ['claude', 'codex', 'gemini'] as const;

it('does its tasks together, and leaves nothing behind', async () => {
  const server = await ModelServer.start({
    titles: true,
    script: ({ results }) =>
      results.length === 0
        ? { calls: [{ tool: 'SendMessage', input: { recipient: 'lead', content: 'Begun.' } }] }
        : { text: 'Done, and told.' },
  });
  onTestFinished(() => server.close());
  const { PATH: _, HOME: __, ...keys } = environment('');
  const members = await Promise.all(
    KINDS.map(async (kind) => {
      const agent: AgentSpec = { kind, command: [await realCli(kind)], ...reach(kind, server.url), env: keys };
      return { name: kind, agent };
    }),
  );
  const on = await team({
    members: [...members, { name: 'shell', agent: execAgent('true') }],
    tasks: [
      ...KINDS.map((kind) => ({ subject: `Work of ${kind}`, owner: kind })),
      {
        subject: 'Gather',
        owner: 'shell',
        work: { run: 'echo gathered' },
        blockedBy: [...KINDS.map((_, at) => String(at + 1))],
      },
    ],
  });
  await run(on);
  expect([1, 2, 3, 4].map((id) => on.task(String(id)).status)).toEqual(Array.from({ length: 4 }, () => 'completed'));
  const told = on.events('message.sent').map(({ member, text }) => `${String(member)}: ${String(text)}`);
  expect(told.sort()).toEqual(KINDS.map((kind) => `${kind}: to lead: Begun.`).sort());
});
