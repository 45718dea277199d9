/** `where` in a plan without a store: refused before anything is written or put away. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Workplace } from '../../support/cli.ts';

const planOf = (where?: readonly string[]): string =>
  JSON.stringify({
    name: 'login',
    members: [{ name: 'ada', agent: { kind: 'exec' }, where }],
    tasks: [{ subject: 'A', run: 'true' }],
  });

it('a plan that needs a host is refused, and git, the folders and an earlier team stay as they are', async () => {
  const place = new Workplace();
  mkdirSync(join(place.root, '.git/info'), { recursive: true });
  place.put('.git/HEAD', 'ref: refs/heads/main\n');
  place.put('where.json', planOf(['gpu']));
  const refused = {
    code: 2,
    err: 'teams: ada needs a host with gpu (`where`), and only a team in a store has hosts: name a store with --store, or leave `where` out.\n',
  };
  expect(await place.teams('run', 'where.json')).toMatchObject(refused);
  for (const made of ['.git/info/exclude', '.teams', '.tasks']) expect(existsSync(join(place.root, made))).toBe(false);
  writeFileSync(join(place.root, 'plan.json'), planOf());
  expect((await place.teams('run', 'plan.json')).code).toBe(0);
  expect(await place.teams('run', 'where.json', '--fresh')).toMatchObject(refused);
  expect((await place.teams('status', 'login')).code).toBe(0);
});
