/**
 * A move of a team that is killed at any of its steps leaves the team living on exactly one side, and is finished when it
 * is said again. A step is a call that changes a file, or a question to PostgreSQL. `MIGRATE_STEPS=1` tries each of them,
 * 10 every tenth; otherwise a few are tried.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import type { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BIN } from '../../support/cli.ts';
import { allowLeft } from '../../support/leftovers.ts';
import { storePlace, told } from '../../support/machine.ts';
import { contentOf, FilesPlace } from '../../support/moved-team.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';

const KILLER = pathToFileURL(resolve('test/fixtures/kill-at-step.mjs')).href;
const asked = process.env['MIGRATE_STEPS'];
const isLong = asked !== undefined;
const WHENS = ['before', 'after', 'during'] as const;

describe.skipIf(!hasPostgres)('a move that is killed', { timeout: isLong ? 7_200_000 : 180_000 }, () => {
  let engine: Postgres;
  let client: Client | undefined;
  beforeAll(async () => {
    engine = await Postgres.start();
  });
  afterAll(async () => {
    await client?.end();
    await engine.stop();
  });

  const lines = async (): Promise<string> => {
    const found = await client?.query<{ line: string }>('select line from teams.log order by number');
    return (found?.rows ?? []).map(({ line }) => `\n${line}\n`).join('');
  };
  const unread = async (): Promise<string[]> => {
    const found = await client?.query<{ id: string }>(
      'select id from teams.mail where acknowledged is null order by id',
    );
    return (found?.rows ?? []).map(({ id }) => id);
  };
  const livesThere = async (): Promise<boolean> =>
    (await client?.query('select from teams.list_teams() where archived is null'))?.rowCount === 1;
  const unreadHere = (files: FilesPlace): string[] =>
    Object.values(contentOf(files.paths).mail)
      .flatMap((all) => all.map((one) => /"id":"([0-9A-Z]{26})"/.exec(one)?.[1] ?? ''))
      .toSorted();

  it('lives on one side, and is finished by the same words', async () => {
    // A kill while the old side is archived leaves its leases there, which mean nothing.
    allowLeft(/\/\.archive\/.*\.lock$/);
    const { place, database } = await storePlace(engine);
    const url = engine.url('owner', database);
    client = await engine.session('owner', database);
    const files = await FilesPlace.made(place);
    const log = join(place.root, 'steps');
    const moves = { store: ['--to', url], files: ['--to', 'files', '--from', url] };

    const killed = async (to: keyof typeof moves, step: string): Promise<{ code: number | null; err: string }> => {
      rmSync(log, { force: true });
      const argv = ['--import', KILLER, BIN, 'migrate', 'login', ...moves[to], '--root', files.root];
      const env = { ...place.environment, TEAMS_STORE: '', STEP: step, STEP_LOG: log };
      const child = spawn(process.execPath, argv, { cwd: place.root, env, stdio: ['ignore', 'ignore', 'pipe'] });
      const [err] = await Promise.all([text(child.stderr), once(child, 'exit')]);
      return { code: child.exitCode, err };
    };
    const steps = (): string[] => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);

    let kills = 0;
    for (const to of ['store', 'files'] as const) {
      const back = moves[to === 'store' ? 'files' : 'store'];
      if (to === 'files') await files.ok('migrate', 'login', ...back);
      const whole = await killed(to, '');
      expect(whole.code, whole.err).toBe(0);
      const all = steps();
      await files.ok('migrate', 'login', ...back);
      const stride = isLong ? Number(asked) : Math.ceil(all.length / 7);
      for (let n = Math.min(stride, 3); n <= all.length; n += stride) {
        const isQuestion = all[n - 1]?.startsWith('query') === true;
        const whens = isLong ? WHENS : [WHENS[n % 2] ?? 'before'];
        for (const when of whens.filter((one) => isQuestion || one !== 'during')) {
          const died = await killed(to, `${String(n)}.${when}`);
          const at = `killed ${when} step ${String(n)} on the way to ${to}: ${steps().at(-1) ?? 'none'} ${died.err}`;
          // Here first: this may be where it is decided.
          const here = await files.teams('task', 'create', 'login', `after ${at.slice(0, 40)}`);
          expect([here.code === 0, await livesThere()].toSorted(), `${at}\n${told(here)}`).toEqual([false, true]);
          await files.ok('migrate', 'login', ...moves[to]);
          kills += died.code === null ? 1 : 0;
          if (to === 'files') {
            expect(await livesThere(), at).toBe(false);
            expect(contentOf(files.paths).log.startsWith(await lines()), at).toBe(true);
          }
          const mail = to === 'store' ? await unread() : unreadHere(files);
          const gone = await files.teams('migrate', 'login', ...back);
          expect(gone.code, `${at}\n${told(gone)}`).toBe(0);
          // The same mail on both sides, and each record that was acknowledged.
          expect(to === 'store' ? unreadHere(files) : await unread(), at).toEqual(mail);
          if (here.code === 0) expect(await lines(), at).toContain(`"after ${at.slice(0, 40)}"`);
          if (isLong) process.stderr.write(`${at.split('\n', 1)[0] ?? ''}: one side\n`);
        }
      }
    }
    expect(kills).toBeGreaterThan(6);
    if (isLong) process.stderr.write(`${String(kills)} kills\n`);
  });
});
