/** All teams of a user under one limit for the day: real runs through the command line, in two projects. */
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { ModelServer } from '../../fixtures/model-server/server.ts';
import { Workplace } from '../../support/cli.ts';

const USAGE = { input: 4_000, output: 400 };
const USD = (USAGE.input * 2 + USAGE.output * 10) / 1e6;

const plan = (name: string, url: string, tasks = 40): string => `name: ${name}
members:
${['ada', 'bob'].map((member) => `  - { name: ${member}, agent: { kind: anthropic, model: claude-sonnet-5-5, baseUrl: "${url}", env: { ANTHROPIC_API_KEY: none } } }`).join('\n')}
tasks:
${Array.from({ length: tasks }, (_, at) => `  - { subject: Task ${at + 1} }`).join('\n')}
`;

async function serve(): Promise<ModelServer> {
  const server = await ModelServer.start({ script: [{ text: 'Done.', times: 'always', usage: USAGE }] });
  onTestFinished(() => server.close());
  return server;
}

const shownSchema = z.object({
  limits: z.array(z.object({ scope: z.string(), limit: z.number(), spent: z.number(), reserved: z.number() })),
});

describe('a limit for the day', () => {
  it('is shared by two teams of two projects to the last call, and a raise lets them go on', async () => {
    const server = await serve();
    const place = new Workplace();
    for (const name of ['one', 'two']) place.put(`${name}/${name}.yaml`, plan(name, server.url));
    place.put('home/config/teams/config.yaml', 'perDay: { cost: 0.2 }\n');
    const led = ['one', 'two'].map((name) =>
      place.start('--root', `${place.root}/${name}`, 'run', `${name}/${name}.yaml`, '--yes'),
    );
    const ends = await Promise.all(led.map(({ ended }) => ended));
    expect(ends.map(({ code }) => code)).toEqual([1, 1]);
    for (const { out } of ends) expect(out).toContain('of all your teams today');
    const billed = server.requests.length * USD;
    expect(billed).toBeLessThanOrEqual(0.2);
    const { limits } = await place.json(shownSchema, 'budget', '--day');
    expect(limits).toMatchObject([{ scope: 'day', limit: 0.2, reserved: 0 }]);
    expect(limits[0]?.spent).toBeCloseTo(billed, 9);
    // What a person says stands, although the configuration says otherwise.
    expect((await place.teams('budget', '--day', '--set', 'cost=90')).code).toBe(0);
    const again = await place.start('--root', `${place.root}/one`, 'resume', 'one', '--yes').ended;
    expect(again.code).toBe(0);
    expect((await place.json(shownSchema, 'budget', '--day')).limits).toMatchObject([{ limit: 90 }]);
  });
});
