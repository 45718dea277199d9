/**
 * A move of a team that is killed at any of its steps leaves the team living on exactly one side, and is finished when it
 * is said again. A step is a call that changes a file, or a question to PostgreSQL. `MIGRATE_STEPS=1` tries each of them,
 * 10 every tenth; otherwise a few are tried.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import type { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stateOf } from '../../../src/os/process-table.ts';
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

  async function session(server: Postgres, database: string): Promise<Client> {
    await client?.end().catch(() => {});
    return server.session('owner', database);
  }

  interface Mover {
    readonly database: string;
    readonly files: FilesPlace;
    readonly moves: { readonly store: readonly string[]; readonly files: readonly string[] };
    /** Starts a move that gets a signal at a step; none with `''`. */
    readonly start: (to: 'store' | 'files', step: string, signal?: string) => ChildProcess;
    /** Those of the last one. */
    readonly steps: () => string[];
  }

  async function mover(server = engine): Promise<Mover> {
    const { place, database } = await storePlace(server);
    const url = server.url('owner', database);
    client = await session(server, database);
    const files = await FilesPlace.made(place);
    const log = join(place.root, 'steps');
    const moves = { store: ['--to', url], files: ['--to', 'files', '--from', url] };
    return {
      database,
      files,
      moves,
      start(to, step, signal = 'SIGKILL') {
        rmSync(log, { force: true });
        const argv = ['--import', KILLER, BIN, 'migrate', 'login', ...moves[to], '--root', files.root];
        const how = { TEAMS_STORE: '', STEP: step, STEP_LOG: log, STEP_SIGNAL: signal };
        const env = { ...place.environment, ...how };
        return spawn(process.execPath, argv, { cwd: place.root, env, stdio: ['ignore', 'ignore', 'pipe'] });
      },
      steps: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []),
    };
  }

  async function ended(child: ChildProcess): Promise<{ code: number | null; err: string }> {
    const said = child.stderr === null ? Promise.resolve('') : text(child.stderr);
    const [err] = await Promise.all([said, once(child, 'exit')]);
    return { code: child.exitCode, err };
  }

  it.each(['before', 'during'] as const)('lives on one side if the store is killed %s its last word', async (when) => {
    const server = await Postgres.start();
    try {
      const { database, files, moves, start, steps } = await mover(server);
      expect((await ended(start('store', ''))).code).toBe(0);
      const last = steps().indexOf('query commit') + 1;
      await files.ok('migrate', 'login', ...moves.files);
      const child = start('store', `${String(last)}.${when}`, 'SIGSTOP');
      const gone = ended(child);
      await expect.poll(() => stateOf(child.pid ?? 0), { timeout: 20_000 }).toBe('T');
      await server.kill();
      child.kill('SIGCONT');
      const { code, err } = await gone;
      // The answer may have come before the server was killed.
      expect(when === 'during' ? [0, 4] : [4], err).toContain(code);
      const meanwhile = await files.teams('task', 'create', 'login', 'Where?');
      expect(meanwhile.code, told(meanwhile)).not.toBe(0);
      // Nobody can say where it is until the store answers.
      if (code !== 0) expect(err + meanwhile.err).toMatch(/say the same again.*Where team login is cannot be said/s);
      await server.run();
      client = await session(server, database);
      const here = await files.teams('task', 'create', 'login', 'Here');
      expect([here.code === 0, await livesThere()].toSorted(), told(here)).toEqual([false, true]);
      await files.ok('migrate', 'login', ...moves.store);
      expect(await livesThere()).toBe(true);
    } finally {
      await server.stop();
    }
  });

  it('lives on one side, and is finished by the same words', async () => {
    // What a killed process has left of its leases means nothing in the archive.
    allowLeft(/\/\.archive\/.*\.(?:lock|tmp)$/);
    const { files, moves, start, steps } = await mover();
    const killed = (to: 'store' | 'files', step: string) => ended(start(to, step));
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
