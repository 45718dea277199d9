/** A team goes from files to a store and back: everything of it is there, and the side that it left takes nothing. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { codeOf } from '../../../src/model/text/errors.ts';
import { LEAD, parseName } from '../../../src/model/text/names.ts';
import { teamPaths } from '../../../src/store/files/paths.ts';
import { openStore } from '../../../src/store/team/team-store.ts';
import type { Workplace } from '../../support/cli.ts';
import { realClock } from '../../support/clock.ts';
import { Machine, storePlace, told } from '../../support/machine.ts';
import { contentOf, FilesPlace, hasTeam, LOGIN } from '../../support/moved-team.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';

/** A document as JSON, without what proves whose it is: in a store it is signed, too. */
function unsigned(text = '{}'): object {
  const { seal: _, signature: __, ...said } = JSON.parse(text) as Record<string, unknown>;
  return said;
}
const allUnsigned = (documents: Readonly<Record<string, string | undefined>>): object =>
  Object.fromEntries(Object.entries(documents).map(([name, text]) => [name, unsigned(text)]));

describe.skipIf(!hasPostgres)('a team that moves', { timeout: 120_000 }, () => {
  let engine: Postgres;
  let place: Workplace;
  let url = '';
  beforeAll(async () => {
    engine = await Postgres.start();
  });
  afterAll(() => engine.stop());
  beforeEach(async () => {
    const made = await storePlace(engine);
    place = made.place;
    url = engine.url('owner', made.database);
  });

  const machine = async (name: string): Promise<Machine> => {
    const one = new Machine(place, name);
    expect(await one.start(), one.said).toBeNull();
    return one;
  };
  const comes = (one: Machine) => expect.poll(() => hasTeam(one.root), { timeout: 10_000 }).toBe(true);
  const goes = (one: Machine) => expect.poll(() => hasTeam(one.root), { timeout: 30_000 }).toBe(false);
  const inReplica = (one: Machine) => contentOf(teamPaths(one.root, LOGIN));

  it('goes to a store and back with its log byte for byte, unread mail, results, and documents but for their signatures', async () => {
    const files = await FilesPlace.made(place);
    const a = await machine('a');
    const before = contentOf(files.paths);
    const { out } = await files.ok('migrate', 'login', '--to', url);
    expect(out).toMatch(/^Team login is in postgres:.* now: \d+ records, 5 unread messages\.$/m);
    expect(existsSync(files.paths.board)).toBe(false);
    await comes(a);
    await expect.poll(() => inReplica(a).mail).toEqual(before.mail);
    const there = inReplica(a);
    expect([there.log, there.results]).toEqual([before.log, before.results]);
    await expect.poll(() => inReplica(a).ledger).toEqual(before.ledger);
    expect(before.ledger).toHaveLength(2);
    for (const name of ['config', 'plan', 'plan.1'])
      expect(unsigned(there.documents[name])).toEqual(unsigned(before.documents[name]));
    for (const name of ['config', 'plan']) expect(there.documents[name]).toContain('"signature": "ed25519:');
    // It goes on there.
    await a.ok('task', 'create', 'login', 'Four');
    await a.ok('send', 'login', 'bob', 'later');
    await a.ok('budget', 'login', '--add', 'cost=1');
    const taken = await a.ok('take', 'login', 'ada', '--json');
    expect(JSON.parse(taken.out)).toMatchObject({
      messages: [
        { content: 'taken', redelivered: true },
        { content: 'first', redelivered: true },
        { content: 'second ✓', redelivered: true },
      ],
    });
    await expect.poll(() => inReplica(a).mail['bob']).toHaveLength(2);
    const then = inReplica(a);
    await files.ok('migrate', 'login', '--to', 'files', '--from', url);
    const back = contentOf(files.paths);
    expect(back).toMatchObject({ log: then.log, mail: then.mail, results: before.results, ledger: then.ledger });
    expect(back.ledger).toHaveLength(3);
    expect(allUnsigned(back.documents)).toEqual(allUnsigned(before.documents));
    expect((await files.ok('task', 'list', 'login')).out).toContain('Four');
    await files.ok('send', 'login', 'bob', 'on files');
    await goes(a);
    // And there again: its rows are there, and the mail that was used meanwhile stays used.
    await files.ok('take', 'login', 'lead');
    const again = contentOf(files.paths);
    await files.ok('migrate', 'login', '--to', url);
    await comes(a);
    await expect.poll(() => inReplica(a).mail).toEqual(again.mail);
    expect(inReplica(a).log).toBe(again.log);
    await expect.poll(() => inReplica(a).ledger).toEqual(back.ledger);
    expect((await a.ok('budget', 'login')).out).toContain('of $6.0000');
    expect(readdirSync(join(files.root, '.teams')).filter((name) => name.startsWith('.moves'))).toEqual(['.moves']);
    expect(readdirSync(join(files.root, '.teams/.moves'))).toEqual([]);
  });

  /** The whole texts that the board names, as a person finds them on this machine. */
  function wholes({ root }: FilesPlace | Machine): string[] {
    const log = readFileSync(teamPaths(root, LOGIN).log, 'utf8');
    return [...log.matchAll(/whole in (\.teams\/login\/blobs\/[0-9a-f]{64})\)/g)].map(([, path = '']) =>
      existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : 'missing',
    );
  }

  it('takes along what it asks a person, whole, and every machine of a store has it', async () => {
    const files = await FilesPlace.made(place);
    const [a, b] = [await machine('a'), await machine('b')];
    const [one, two] = ['1', '2'].map((digit) => `Which? ${digit.repeat(9_000)} end`);
    const ask = (on: FilesPlace | Machine, text = '') =>
      on.ok('send', 'login', 'lead', text, '--kind', 'question', '--as', 'ada');
    await ask(files, one);
    // Its mail is used; the question stays open.
    await files.ok('take', 'login', 'lead');
    expect(wholes(files)).toEqual([one]);
    await files.ok('migrate', 'login', '--to', url);
    for (const on of [a, b]) {
      await comes(on);
      await expect.poll(() => wholes(on), { timeout: 20_000 }).toEqual([one]);
    }
    await ask(a, two);
    await a.ok('take', 'login', 'lead');
    await expect.poll(() => wholes(b), { timeout: 20_000 }).toEqual([one, two]);
    const back = new FilesPlace(place, 'back');
    await back.ok('migrate', 'login', '--to', 'files', '--from', url);
    expect(wholes(back)).toEqual([one, two]);
  });

  it('answers TEAM_GONE to a writer of the side that it left', async () => {
    const files = await FilesPlace.made(place);
    const a = await machine('a');
    const open = openStore(files.paths, { clock: realClock });
    const author = { person: LEAD, epoch: 0 };
    await files.ok('migrate', 'login', '--to', url);
    const write = (): Promise<unknown> => open.board.append(author, () => ({ type: 'team.paused' }));
    expect(codeOf(await write().catch((error: unknown) => error))).toBe('TEAM_GONE');
    const mail = {
      sender: 'lead',
      recipient: parseName('member', 'ada'),
      draft: { type: 'message', content: 'x' },
    } as const;
    expect(codeOf(await open.sender.send(mail).catch((error: unknown) => error))).toBe('TEAM_GONE');
    await open.close();
    for (const argv of [
      ['task', 'create', 'login', 'Late'],
      ['send', 'login', 'ada', 'late'],
    ]) {
      const answer = await files.teams(...argv);
      expect(answer, told(answer)).toMatchObject({ code: 4 });
      expect(answer.err).toMatch(/Team login was moved to postgres:.*--to files/);
    }
    await comes(a);
    const replica = openStore(teamPaths(a.root, LOGIN), { clock: realClock });
    await files.ok('migrate', 'login', '--to', 'files', '--from', url);
    const late = (): Promise<unknown> => replica.board.append(author, () => ({ type: 'team.paused' }));
    expect(codeOf(await late().catch((error: unknown) => error))).toBe('TEAM_GONE');
    await replica.close();
    await goes(a);
    expect((await a.teams('task', 'create', 'login', 'Late')).code).not.toBe(0);
    expect(a.relay?.exitCode).toBeNull();
  });

  it('is neither led, ended nor awaited on the side that it left', async () => {
    const files = await FilesPlace.made(place);
    await files.ok('migrate', 'login', '--to', url);
    const archived = readdirSync(join(files.root, '.teams/.archive'));
    for (const verb of ['resume', 'cancel', 'wait', 'lead', 'pause', 'delete']) {
      const answer = await files.teams(verb, 'login');
      expect(answer, told(answer)).toMatchObject({ code: 4 });
      expect(answer.err).toMatch(/Team login was moved to postgres:.*--to files/);
    }
    for (const verb of ['status', 'why', 'log', 'report'])
      expect((await files.ok(verb, 'login')).err).toMatch(
        /Team login was moved to postgres:\S+: this is how it was then/,
      );
    expect(readdirSync(join(files.root, '.teams/.archive'))).toEqual(archived);
    const back = new FilesPlace(place, 'back');
    await back.ok('migrate', 'login', '--to', 'files', '--from', url);
    expect((await back.ok('status', 'login')).err).toBe('');
  });

  it('is told to be gone by the replicas that it left, also by one whose relay did not run, and an ended one is not', async () => {
    const files = await FilesPlace.made(place);
    const [a, b] = [await machine('a'), await machine('b')];
    await files.ok('migrate', 'login', '--to', url);
    await a.ok('create', 'ended');
    for (const one of [a, b]) await comes(one);
    const logOf = (one: Machine) => (existsSync(one.log('ended')) ? readFileSync(one.log('ended'), 'utf8') : undefined);
    // The file is there before its records.
    await expect.poll(() => logOf(b), { timeout: 10_000 }).toBe(logOf(a));
    await b.stop('SIGKILL');
    await a.ok('task', 'create', 'login', 'The last');
    await files.ok('migrate', 'login', '--to', 'files', '--from', url);
    await a.ok('delete', 'ended');
    expect(await b.start(), b.said).toBeNull();
    for (const one of [a, b]) {
      await goes(one);
      await expect.poll(() => existsSync(one.log('ended')), { timeout: 10_000 }).toBe(false);
      const shown = await one.ok('status', 'login');
      expect(shown.out).toContain('Tasks: 4');
      expect(shown.err).toMatch(/Team login was moved from postgres:\S+ to the files of a folder: this is how it was/);
      const resumed = await one.teams('resume', 'login');
      expect(resumed, told(resumed)).toMatchObject({ code: 4 });
      expect(resumed.err).toMatch(/was moved from .* without `--store`, .*--to store/);
      const ended = await one.ok('status', 'ended');
      expect(ended.out).toContain('cancelled');
      expect(ended.err).toBe('');
    }
  });

  /** Until it says so; then `work`, and then it ends. */
  async function during(child: ChildProcess, says: RegExp, work: () => Promise<void>): Promise<void> {
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (said += text));
    const gone = once(child, 'exit');
    try {
      await expect.poll(() => said, { timeout: 20_000 }).toMatch(says);
      await work();
    } finally {
      child.kill('SIGTERM');
      await gone;
    }
  }

  it('is not moved while a lead or a member works in it, on either side, and nothing is changed', async () => {
    const files = await FilesPlace.made(place);
    const a = await machine('a');
    const log = contentOf(files.paths).log;
    const refused = async (argv: string[], who: RegExp): Promise<void> => {
      const answer = await files.teams('migrate', 'login', ...argv);
      expect(answer, told(answer)).toMatchObject({ code: 3 });
      expect(answer.err).toMatch(who);
    };
    const there = ['--to', url];
    await during(files.process('worker', 'login', 'bob', '--agent', 'exec'), /bob works for team/, async () => {
      await refused(there, /Team login can be moved only while nobody works in it: end bob \(pid \d+\) first\./);
      expect(contentOf(files.paths).log).toContain(log);
    });
    await files.ok('migrate', 'login', ...there);
    await comes(a);
    const before = inReplica(a).log;
    const back = ['--to', 'files', '--from', url];
    await during(a.process('worker', 'login', 'bob', '--agent', 'exec'), /bob works for team/, async () => {
      await refused(back, /end bob \(pid \d+ on .+\) first/);
      expect(hasTeam(files.root)).toBe(false);
      await a.ok('task', 'create', 'login', 'It goes on');
    });
    expect(inReplica(a).log.startsWith(before)).toBe(true);
    await files.ok('migrate', 'login', ...back);
    expect((await files.ok('task', 'list', 'login')).out).toContain('It goes on');
    await during(files.process('lead', 'login'), /leads the team/, () =>
      refused(there, /end lead \(pid \d+\)(?:, .*)? first/),
    );
  });

  it('says what cannot be moved, in one sentence', async () => {
    const files = await FilesPlace.made(place);
    const cases: [string[], number, RegExp][] = [
      [['migrate', 'login'], 2, /--to/],
      [['migrate', 'login', '--to', 'nowhere'], 2, /is no URL of PostgreSQL/],
      [['migrate', 'login', '--to', 'store'], 2, /Name the store/],
      [['migrate', 'ghost', '--to', url], 2, /There is no team ghost/],
      [['migrate', 'ghost', '--to', 'files', '--from', url], 2, /There is no team ghost in postgres/],
      [['migrate', 'login', '--to', 'postgres://127.0.0.1:1/none'], 4, /refuses the connection/],
    ];
    for (const [argv, code, why] of cases) {
      const answer = await files.teams(...argv);
      expect([argv, answer.code], told(answer)).toEqual([argv, code]);
      expect(answer.err).toMatch(why);
    }
    // Another team of the name.
    const other = new FilesPlace(place, 'other');
    await other.ok('create', 'login');
    await other.ok('migrate', 'login', '--to', url);
    const taken = await files.teams('migrate', 'login', '--to', url);
    expect(taken, told(taken)).toMatchObject({ code: 3 });
    expect(taken.err).toContain('There is a team of this name in the store already.');
    const back = await files.teams('migrate', 'login', '--to', 'files', '--from', url);
    expect(back, told(back)).toMatchObject({ code: 3 });
    await files.ok('task', 'create', 'login', 'Still here');
    // What has been done already is no error.
    expect((await other.ok('migrate', 'login', '--to', url)).out).toMatch(/already/);
    await other.ok('migrate', 'login', '--to', 'files', '--from', url);
    expect((await other.ok('migrate', 'login', '--to', 'files', '--from', url)).out).toMatch(/already/);
    appendFileSync(other.paths.log, '\nno record\n');
    expect((await other.ok('migrate', 'login', '--to', url)).err).toMatch(/1 line of its log is no record/);
  });
});
