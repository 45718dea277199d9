/** Teams of one user in several projects against a server that allows so many requests in a window, and tells it. */
import { expect, it, onTestFinished } from 'vitest';
import { ModelServer } from '../fixtures/model-server/server.ts';
import { Workplace } from '../support/cli.ts';
import { allowLeft } from '../support/leftovers.ts';
import { TIMEOUT_MS } from '../support/sizes.ts';

const IS_STRESS = process.env['STRESS'] !== undefined;
const TEAMS = IS_STRESS ? 10 : 3;
const LIMIT = IS_STRESS ? 20 : 12;
const WINDOW_MS = IS_STRESS ? 60_000 : 10_000;
const WINDOWS = 4;

interface Window {
  count: number;
  refused: number;
  readonly byTeam: Map<string, number>;
}

async function limitedServer() {
  const windows: Window[] = [];
  let from: number | undefined;
  const server = await ModelServer.start({
    script: async (asked) => {
      const now = performance.now();
      from ??= now;
      const number = Math.floor((now - from) / WINDOW_MS);
      const window = (windows[number] ??= { count: 0, refused: 0, byTeam: new Map() });
      const resetMs = Math.ceil(from + (number + 1) * WINDOW_MS - now);
      if (window.count >= LIMIT) {
        window.refused += 1;
        return { fail: { status: 429, retryAfter: Math.ceil(resetMs / 1_000) } };
      }
      window.count += 1;
      const team = /team-\d+/.exec(JSON.stringify(asked.body))?.[0] ?? '';
      window.byTeam.set(team, (window.byTeam.get(team) ?? 0) + 1);
      await new Promise((done) => setTimeout(done, 200));
      const headers = {
        'anthropic-ratelimit-requests-limit': String(LIMIT),
        'anthropic-ratelimit-requests-remaining': String(LIMIT - window.count),
        'anthropic-ratelimit-requests-reset': new Date(Date.now() + resetMs).toISOString(),
        date: new Date().toISOString(),
      };
      return { text: 'Done.', headers };
    },
  });
  onTestFinished(() => server.close());
  return { server, windows };
}

const plan = (name: string, url: string): string => `name: ${name}
members:
${['ada', 'bob'].map((member) => `  - { name: ${member}, agent: { kind: anthropic, model: claude-sonnet-5-5, baseUrl: "${url}", env: { ANTHROPIC_API_KEY: one-key } } }`).join('\n')}
tasks:
${Array.from({ length: 200 }, (_, at) => `  - { subject: "${name} ${at + 1}" }`).join('\n')}
`;

it(
  'use nearly all that it allows, have nearly nothing refused, and each has its share',
  { timeout: (IS_STRESS ? 12 : 4) * TIMEOUT_MS },
  async () => {
    allowLeft();
    const { server, windows } = await limitedServer();
    const place = new Workplace();
    const names = Array.from({ length: TEAMS }, (_, at) => `team-${at + 1}`);
    for (const name of names) place.put(`${name}/plan.yaml`, plan(name, server.url));
    const led = names.map((name) =>
      place.start('--root', `${place.root}/${name}`, 'run', `${name}/plan.yaml`, '--yes'),
    );
    // The first windows are those in which the teams start.
    const isMeasured = (): boolean => windows.length > WINDOWS + 1;
    while (!isMeasured()) await new Promise((done) => setTimeout(done, 200));
    for (const { child } of led) child.kill('SIGTERM');
    await Promise.all(led.map(({ ended }) => ended));
    const measured = windows.slice(1, 1 + WINDOWS);
    const used = measured.reduce((sum, { count }) => sum + count, 0);
    const refused = measured.reduce((sum, one) => sum + one.refused, 0);
    const shares = names.map((name) => measured.reduce((sum, { byTeam }) => sum + (byTeam.get(name) ?? 0), 0));
    const figures = { used: used / (LIMIT * WINDOWS), refused: refused / (used + refused), shares };
    if (IS_STRESS)
      console.warn(JSON.stringify({ figures, windows: windows.map(({ count, refused: no }) => [count, no]) }));
    expect(figures.used).toBeGreaterThanOrEqual(IS_STRESS ? 0.95 : 0.8);
    expect(figures.refused).toBeLessThanOrEqual(IS_STRESS ? 0.02 : 0.1);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(used / TEAMS / 2);
  },
);
