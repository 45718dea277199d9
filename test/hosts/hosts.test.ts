/**
 * The real claude, codex, gemini and opencode lead a team through our MCP server. Each is configured by `teams init
 * --host` and uses a scripted model on the loopback. `npm run test:hosts` installs them first, 1.2 GB in total.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { ModelServer } from '../fixtures/model-server/server.ts';
import { Workplace } from '../support/cli.ts';
import { allowLeft } from '../support/leftovers.ts';
import { installed } from './install.ts';
import { HostLife } from './life.ts';
import { PROGRAMS, type Start } from './programs.ts';

const AGENTS = `
agents:
  talker:
    kind: scripted
    options:
      turns:
        - { match: 'ping from the host', calls: [{ tool: SendMessage, input: { recipient: lead, content: 'pong from ada' } }] }
        - { answers: 'standing by', repeat: true }
`;

async function run(program: string, { args, env }: Start, place: Workplace) {
  const child = spawn(program, args, {
    cwd: place.root,
    env: { ...place.environment, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: child.exitCode, out, err };
}

describe.each(PROGRAMS)('$pinned', ({ host, pinned, bin, prepare, start }) => {
  test('the host creates a team, starts a teammate, exchanges a message with it and deletes the team', async () => {
    const program = await installed(pinned, bin);
    const place = new Workplace();
    // Locks in the host's own home belong to the host.
    allowLeft(/\/home\//);
    place.put('home/config/teams/config.yaml', AGENTS);
    const life = new HostLife(place.root);
    await using model = await ModelServer.start({ script: life.answer, titles: true });
    prepare(place, model.url);
    expect((await place.teams('init', '--host', host)).code).toBe(0);

    const { code, out, err } = await run(program, start(place, model.url, 'Lead a team.'), place);
    expect(life.wrong, `${out}\n${err}`.slice(-4_000)).toEqual([]);
    expect({ code, isDone: life.isDone }, `${out}\n${err}`.slice(-4_000)).toEqual({ code: 0, isDone: true });
    expect([...new Set(life.called)]).toEqual(HostLife.tools);
  });
});
