/** What is not possible with a store yet: each is refused with one sentence, and nothing is half done. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasPostgres } from '../../support/postgres.ts';
import { useStore } from '../../support/store-scene.ts';
import { StoreUser } from '../../support/store-user.ts';

const PLAN = {
  name: 'login',
  members: [{ name: 'ada', agent: 'exec' }],
  tasks: [{ subject: 'one', run: 'echo 1 > one.txt' }],
  gates: { build: false, test: false, lint: false },
};
const TREES = /^teams: Team login has trees, and .* does not move yet: finish it where it is, .*\.\n$/;
const noTeam = (who: string): string =>
  `In a store on PostgreSQL ${who} no team yet: make one with \`teams create\` or \`teams run\`, or name no store (--store, TEAMS_STORE, \`store:\`).`;
const IN_THIS_WAY = 'pipelines and refine loops make';

describe.skipIf(!hasPostgres)('in a store', { timeout: 90_000 }, () => {
  const store = useStore();

  function project({ project: cwd }: StoreUser): void {
    const user = ['-c', 'user.name=u', '-c', 'user.email=u@x'];
    for (const args of [
      ['init', '--quiet'],
      [...user, 'commit', '--quiet', '--allow-empty', '-m', 'one'],
    ])
      expect(spawnSync('git', args, { cwd, env: store.place.environment }).status).toBe(0);
    writeFileSync(join(cwd, 'plan.json'), JSON.stringify(PLAN));
  }

  const teamsOf = async (user: StoreUser, ...more: string[]): Promise<string[]> => {
    const { out } = await user.ok('list', '--json', ...more);
    return [...out.matchAll(/"name": ?"([^"]*)"/g)].map(([, name = '']) => name);
  };

  it('a team with trees does not come from files, and what landed is applied there', async () => {
    const [a] = StoreUser.two(store.place);
    project(a);
    await a.ok('run', 'plan.json', '--isolation', 'trees');
    const log = readFileSync(join(a.project, '.tasks', 'login', 'log.jsonl'), 'utf8');
    const { code, err } = await a.teams(['migrate', 'login', '--to', store.url]);
    expect([code, err]).toEqual([4, expect.stringMatching(TREES)]);
    expect(readFileSync(join(a.project, '.tasks', 'login', 'log.jsonl'), 'utf8')).toBe(log);
    expect(await teamsOf(a, '--store', store.url)).toEqual([]);
    await a.ok('apply', 'login', '--yes');
    expect(readFileSync(join(a.project, 'one.txt'), 'utf8')).toBe('1\n');
  });

  it('a team with trees does not go to files, and what landed is applied from the store', async () => {
    const [a] = StoreUser.two(store.place);
    project(a);
    await a.ok('run', 'plan.json', '--isolation', 'trees', '--store', store.url);
    const { log } = a;
    const { code, err } = await a.teams(['migrate', 'login', '--to', 'files', '--from', store.url]);
    expect([code, err]).toEqual([4, expect.stringMatching(TREES)]);
    expect(a.log).toBe(log);
    expect(readdirSync(a.project)).not.toContain('.tasks');
    await a.ok('apply', 'login', '--yes', '--store', store.url);
    expect(readFileSync(join(a.project, 'one.txt'), 'utf8')).toBe('1\n');
  });

  it('a refine loop and a pipeline make no team', async () => {
    const [a] = StoreUser.two(store.place);
    project(a);
    const before = readdirSync(a.project);
    for (const [words, who] of [
      ['refine Write --backend exec:true --validate true', 'a refine loop makes'],
      ['pipeline impl-only Write --agent exec:true', IN_THIS_WAY],
      ['create login --profile pipeline', 'a pipeline makes'],
    ] as const) {
      const { code, err } = await a.teams([...words.split(' '), '--store', store.url]);
      expect([words, code, err]).toEqual([words, 4, `teams: ${noTeam(who)}\n`]);
    }
    expect(await teamsOf(a, '--store', store.url)).toEqual([]);
    expect(readdirSync(a.project)).toEqual(before);
    expect(readdirSync(join(a.root ?? '', '.teams')).filter((name) => !name.startsWith('.'))).toEqual([]);
  });
});
