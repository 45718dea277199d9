/** A team of five of one real CLI at a vendor that is overloaded for ever: how often the vendor is asked in 105 s. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { ModelServer } from '../fixtures/model-server/server.ts';
import { figure } from '../support/figures.ts';
import { allowLeft } from '../support/leftovers.ts';
import { BIN } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';
import { start } from '../support/workers.ts';
import { environment, reach, realCli, REAL_CLIS } from './clis.ts';

beforeEach(() => allowLeft(/\/(?:homes|home)\//));

const WATCHED_MS = 105_000;
const MOST = 12;
/** It retries in silence, and has no setting for that. */
const OWN_RETRIES: Readonly<Record<string, number>> = { opencode: 60 };
const MEMBERS = ['ada', 'bob', 'cy', 'dee', 'eve'];
const only = process.env['ONLY'];

it.each(REAL_CLIS.filter((kind) => only === undefined || kind === only))(
  'five members with %s ask an overloaded vendor at most 12 times in 105 s',
  { timeout: 3 * WATCHED_MS },
  async (kind) => {
    const root = tempDir();
    const server = await ModelServer.start({ titles: true, script: [{ fail: 529, times: 'always' }] });
    onTestFinished(() => server.close());
    // Its own retries are what the team's own environment of it says.
    const { CLAUDE_CODE_MAX_RETRIES: _, ...own } = environment(root);
    const { PATH: __, HOME: ___, ...keys } = own;
    const agent = { kind, command: [await realCli(kind)], ...reach(kind, server.url), env: keys };
    mkdirSync(join(root, 'config', 'teams'), { recursive: true });
    writeFileSync(
      join(root, 'config', 'teams', 'config.yaml'),
      JSON.stringify({ agents: { it: agent }, fallback: [] }),
    );
    const members = MEMBERS.map((name) => ({ name, agent: 'it' }));
    const tasks = MEMBERS.map((owner) => ({ key: owner, subject: `Work of ${owner}`, owner }));
    writeFileSync(join(root, 'plan.yaml'), JSON.stringify({ name: 'crew', members, tasks }));
    const env = { ...own, XDG_CONFIG_HOME: join(root, 'config'), XDG_STATE_HOME: join(root, 'state') };
    const run = start(
      'env',
      [
        '-i',
        ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
        process.execPath,
        BIN,
        'run',
        'plan.yaml',
        '--yes',
      ],
      root,
    );
    const ended = run.result().then(
      () => undefined,
      (error: unknown) => error,
    );
    const first = await Promise.race([server.request(1), ended]);
    expect(first, 'the run asked for nothing').toHaveProperty('wire');
    await new Promise<void>((resolve) => setTimeout(resolve, WATCHED_MS));
    const asked = server.requests.length;
    run.child.kill('SIGINT');
    await ended;
    const most = OWN_RETRIES[kind] ?? MOST;
    figure({
      area: `${kind}: requests of five members in 105 s of 529`,
      count: asked,
      violations: asked > most ? 1 : 0,
    });
    console.log(`${kind}: ${asked} requests`);
    expect(asked).toBeLessThanOrEqual(most);
    expect(asked).toBeGreaterThan(3);
  },
);
