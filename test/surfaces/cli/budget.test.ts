/** `--max-cost`, `--max-tokens` and `--budget` of every verb that starts an agent. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ModelServer } from '../../fixtures/model-server/server.ts';
import { Workplace } from '../../support/cli.ts';

const shownSchema = z.looseObject({
  limits: z.array(z.looseObject({ scope: z.string(), meter: z.string(), limit: z.number(), spent: z.number() })),
});
const limitsOf = async (place: Workplace, team: string) =>
  (await place.json(shownSchema, 'budget', team)).limits.map(({ scope, meter, limit }) => `${scope}.${meter}=${limit}`);

describe('refine', () => {
  const LOOP = ['refine', 'do it', '--backend', 'exec:echo hi', '--reviewer', 'exec:false', '--max-rounds', '3'];

  it.each([
    ['by its workers', []],
    ['without a team', ['--no-team']],
  ])('%s stops at the limit, and asks nobody outside of it', async (_, how) => {
    const place = new Workplace();
    place.put('count.sh', 'echo x >>asked; echo hi\n');
    const argv = LOOP.map((word) => (word === 'exec:echo hi' ? 'exec:sh count.sh' : word));
    const { code, out, err } = await place.teams(...argv, ...how, '--budget', 'turns=2');
    expect(code, err).toBe(1);
    expect(`${out}${err}`).toMatch(/round 2\/3 .* refused: [Ii]ts budget: 2 turns are used of the 2 turns of the team/);
    // One turn of the backend, one of the reviewer.
    expect(readFileSync(join(place.root, 'asked'), 'utf8')).toBe('x\n');
  });
});

describe('relay', () => {
  it('is refused where nothing is left, before the vendor is asked', async () => {
    const server = await ModelServer.start({ script: [{ text: 'Done.', times: 'always' }] });
    const place = new Workplace();
    const agent = {
      kind: 'anthropic',
      model: 'claude-sonnet-5-5',
      baseUrl: server.url,
      env: { ANTHROPIC_API_KEY: 'x' },
    };
    place.put('.teams/config.yaml', JSON.stringify({ agents: { dear: agent } }));
    await place.teams('doctor', '--trust', '--yes');
    const asked = (...limit: string[]) => place.teams('relay', '--to', 'dear', '--prompt', 'x', ...limit);
    const refused = await asked('--budget', 'turns=0');
    expect({ code: refused.code, requests: server.requests.length }).toEqual({ code: 5, requests: 0 });
    expect(refused.err).toContain('0 turns of the team');
    expect((await asked('--max-cost', '5')).code).toBe(0);
    expect((await asked('--budget', 'cost=x')).code).toBe(2);
    await server.close();
  });
});

describe('a team that exists', () => {
  it('gets the limits of the teammate from worker, and a wrong one changes nothing', async () => {
    const place = new Workplace();
    await place.teams('create', 'duo', '--member', 'ada');
    const work = (...limit: string[]) =>
      place.teams('worker', 'duo', 'ada', '--agent', 'exec', '--idle-timeout', '1ms', ...limit);
    expect((await work('--budget', 'turns=x')).code).toBe(2);
    expect(await limitsOf(place, 'duo')).toEqual([]);
    expect((await work('--max-cost', '2', '--budget', 'turns=4', '--budget', 'task.1.tokens=9')).code).toBe(0);
    expect((await limitsOf(place, 'duo')).sort()).toEqual([
      'member.ada.cost=2',
      'member.ada.turns=4',
      'task.1.tokens=9',
    ]);
  });

  it('gets the limits of its background lead', async () => {
    const place = new Workplace();
    await place.teams('create', 'duo', '--member', 'ada');
    expect((await place.teams('lead', 'duo', '--detach', '--max-cost', '3', '--budget', 'turns=7')).code).toBe(0);
    await expect.poll(() => limitsOf(place, 'duo'), { timeout: 30_000 }).toEqual(['team.cost=3', 'team.turns=7']);
    expect((await place.teams('spawn', 'duo', 'ada', '--agent', 'exec', '--max-cost', '1')).code).toBe(0);
    expect(await limitsOf(place, 'duo')).toContain('member.ada.cost=1');
    expect((await place.teams('delete', 'duo', '--force', '--now', '--yes')).code).toBe(0);
  });

  it('gives a member of it that serves a host no way to set them', async () => {
    const place = new Workplace();
    await place.teams('create', 'duo', '--member', 'ada');
    const { code, err } = await place.teams('mcp', '--team', 'duo', '--as', 'ada', '--max-cost', '3');
    expect(code).toBe(2);
    expect(err).toContain('sets no limits');
  });
});
