/** `approvals: ask` of the configuration: it holds for new teams, however they are made, whose plan says nothing of it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { ModelServer } from '../fixtures/model-server/server.ts';
import { bash } from '../support/asking-crew.ts';
import { until, Workplace } from '../support/cli.ts';

const askedSchema = z.object({ asked: z.array(z.object({ id: z.string(), outcome: z.string() })) });
const configSchema = z.object({ approvals: z.string().optional() });

async function placeWith(more: string): Promise<Workplace> {
  const server = await ModelServer.start({
    script: [bash('echo one >one.txt'), { text: 'Done.', times: 'always' }],
  });
  onTestFinished(() => server.close());
  const place = new Workplace({ TEAMS_APPROVALS: 'ask' });
  const agent = `{ kind: anthropic, model: m, baseUrl: "${server.url}", env: { ANTHROPIC_API_KEY: none } }`;
  place.put('crew.yaml', `name: crew\nmembers: [{ name: ada, agent: ${agent}${more} }]\ntasks: [{ subject: Work }]\n`);
  return place;
}

it('a team whose plan says nothing asks, and its plan has not changed', { timeout: 60_000 }, async () => {
  const place = await placeWith('');
  const { ended } = place.start('run', 'crew.yaml', '--yes');
  let id = '';
  await until(
    async () => {
      if ((await place.teams('approvals', 'crew')).code !== 0) return false;
      id = (await place.json(askedSchema, 'approvals', 'crew')).asked[0]?.id ?? '';
      return id !== '';
    },
    'a permission is asked for',
    30_000,
  );
  expect(existsSync(join(place.root, 'one.txt'))).toBe(false);
  expect((await place.teams('up', 'crew.yaml', '--dry-run', '--detailed-exitcode')).code).toBe(0);
  await place.teams('answer', 'crew', id, 'yes');
  expect((await ended).code).toBe(0);
  expect(readFileSync(join(place.root, 'one.txt'), 'utf8')).toBe('one\n');
});

it('a member that says `sandbox` does not ask', { timeout: 60_000 }, async () => {
  const place = await placeWith(', approvals: sandbox');
  expect((await place.start('run', 'crew.yaml', '--yes').ended).code).toBe(0);
  expect((await place.json(askedSchema, 'approvals', 'crew')).asked).toEqual([]);
});

it('a team that is made without a plan has it, too, and a file of a stranger cannot take it away', async () => {
  const place = new Workplace();
  const made = async (name: string): Promise<string | undefined> => {
    expect((await place.teams('create', name)).code).toBe(0);
    const path = join(place.root, '.teams', name, 'config.json');
    return configSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).approvals;
  };
  expect(await made('one')).toBeUndefined();
  const asking = new Workplace({ TEAMS_APPROVALS: 'ask' });
  asking.put('.teams/config.yaml', 'approvals: sandbox\n');
  expect((await asking.teams('create', 'two')).code).toBe(0);
  const path = join(asking.root, '.teams', 'two', 'config.json');
  expect(configSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).approvals).toBe('ask');
});
