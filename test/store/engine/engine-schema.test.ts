/** What the functions of the engine promise: one order without gaps, and nobody writes as somebody else. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseEngineAddress } from '../../../src/model/config/engine-address.ts';
import { codeOf } from '../../../src/model/text/errors.ts';
import { realClock } from '../../../src/os/system-clock.ts';
import { checkEngine, initEngine } from '../../../src/store/engine/engine-setup.ts';
import { newIds } from '../../../src/store/files/new-ids.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';

const newId = newIds();
const id = (): string => newId(realClock.now());
const INC = id();

const record = (author: object, subject = 'x'): string =>
  JSON.stringify({ id: id(), v: 2, at: '2026-01-01T00:00:00.000Z', author, type: 'note', subject });
const by = (member: string): object => ({ by: member, inc: INC });
const mail = (sender: string, content: string): string =>
  JSON.stringify({ type: 'message', sender, content, timestamp: 1, id: id() });

const append = async (session: Client, team: string, ...lines: string[]): Promise<number[]> => {
  const { rows } = await session.query<{ numbers: string[] }>('select numbers from teams.append($1, $2, 0)', [
    team,
    lines,
  ]);
  return (rows[0]?.numbers ?? []).map(Number);
};

const event = (type: string, member?: string): string =>
  JSON.stringify({ type, at: '2026-01-01T00:00:00.000Z', member });
const spends = (entry: object): string => JSON.stringify({ v: 1, chain: '', entry });
const tell = async (session: Client, team: string, ...lines: string[]): Promise<void> => {
  const source = id();
  await session.query('select teams.event_source($1, $2, 0)', [team, source]);
  await session.query('select teams.tell_events($1, $2, 10, $3)', [team, source, lines]);
};

describe.skipIf(!hasPostgres)('the engine', () => {
  let postgres: Postgres;
  let host: Client;
  const sessions: Client[] = [];
  const session = async (role: string): Promise<Client> => {
    const one = await postgres.session(role);
    sessions.push(one);
    return one;
  };
  const team = id();
  const other = id();

  beforeAll(async () => {
    postgres = await Postgres.start();
    await postgres.query('create role host login; create role ada login; create role stranger login');
    await initEngine(
      parseEngineAddress(postgres.url(), 'argument'),
      [{ role: 'host' }, { role: 'ada', only: { team, member: 'ada' } }],
      realClock,
    );
    host = await session('host');
    await host.query('select teams.create_team($1, $2), teams.create_team($3, $4)', [team, 'login', other, 'other']);
  });
  afterAll(async () => {
    await Promise.all(sessions.map((one) => one.end().catch(() => {})));
    await postgres.stop();
  });

  describe('to a role that is one member', () => {
    it.each<[string, (ada: Client) => Promise<unknown>]>([
      ['its own record', (ada) => append(ada, team, record(by('ada')))],
      ['its own mail', (ada) => ada.query('select teams.send($1, $2, $3)', [team, 'bob', [mail('ada', 'hi')]])],
      ['its own inbox', (ada) => ada.query('select * from teams.mail_after($1, $2, 0, 10)', [team, 'ada'])],
      ['the log of its team', (ada) => ada.query('select * from teams.log_after($1, 0, 10)', [team])],
      ['what its own program said', (ada) => tell(ada, team, event('agent.said', 'ada'))],
      [
        'what it reserves and uses',
        async (ada) => {
          const [first, second] = [
            spends({ do: 'reserve', id: 'r1', member: 'ada' }),
            spends({ do: 'settle', id: 'r1' }),
          ];
          await ada.query('select teams.append_ledger($1, 0, $2)', [team, [first]]);
          await ada.query('select teams.append_ledger($1, 1, $2)', [team, [second]]);
        },
      ],
      ['what others told', (ada) => ada.query('select * from teams.events_after($1, $2, 0, 10)', [team, 'here'])],
      ['its own lease', (ada) => ada.query('select teams.take_lease($1, $2, $3, 10)', [team, 'ada', 'p1'])],
    ])('allows %s', async (_what, act) => {
      await act(await session('ada'));
    });

    it.each<[string, (ada: Client) => Promise<unknown>]>([
      ['a record of another member', (ada) => append(ada, team, record(by('bob')))],
      ['a record of the lead', (ada) => append(ada, team, record({ lead: INC, epoch: 9 }))],
      ['a record of a person', (ada) => append(ada, team, record({ person: 'ada', epoch: 9 }))],
      ['a record without an author', (ada) => append(ada, team, JSON.stringify({ id: id() }))],
      ['a record of another after its own', (ada) => append(ada, team, record(by('ada')), record(by('bob')))],
      [
        'a record with two authors',
        (ada) => append(ada, team, record(by('ada')).replace('"type"', '"author":{"by":"bob"},"type"')),
      ],
      ['a record of another team', (ada) => append(ada, other, record(by('ada')))],
      [
        'mail of another member',
        (ada) => ada.query('select teams.send($1, $2, $3)', [team, 'bob', [mail('lead', 'hi')]]),
      ],
      ['the inbox of another', (ada) => ada.query('select * from teams.mail_after($1, $2, 0, 10)', [team, 'bob'])],
      [
        'an acknowledgement for another',
        (ada) => ada.query('select teams.acknowledge($1, $2, $3, $4)', [team, 'bob', INC, ['x']]),
      ],
      ['what the program of another said', (ada) => tell(ada, team, event('agent.said', 'bob'))],
      ['what the lead decides about it', (ada) => tell(ada, team, event('boundary.granted', 'ada'))],
      ['what nobody is named for', (ada) => tell(ada, team, event('agent.said'))],
      ['a limit', (ada) => ada.query('select teams.append_ledger($1, 2, $2)', [team, [spends({ do: 'limit' })]])],
      [
        'a reservation of another',
        (ada) => ada.query('select teams.append_ledger($1, 2, $2)', [team, [spends({ do: 'reserve', member: 'bob' })]]),
      ],
      [
        'what another one uses',
        async (ada) => {
          await host.query('select teams.append_ledger($1, 2, $2)', [
            team,
            [spends({ do: 'reserve', id: 'r2', member: 'bob' })],
          ]);
          await ada.query('select teams.append_ledger($1, 3, $2)', [team, [spends({ do: 'settle', id: 'r2' })]]);
        },
      ],
      ['an event of another team', (ada) => tell(ada, other, event('agent.said', 'ada'))],
      ["the lead's lease", (ada) => ada.query('select teams.take_lease($1, $2, $3, 10)', [team, 'lead', 'p1'])],
      ['a document', (ada) => ada.query('select teams.write_document($1, $2, 0, $3)', [team, 'config', '{}'])],
      ['a new team', (ada) => ada.query('select teams.create_team($1, $2)', [id(), 'mine'])],
      ['the end of the team', (ada) => ada.query('select teams.archive_team($1)', [team])],
      [
        'a row beside the functions',
        (ada) => ada.query('insert into teams.log values ($1, 99, $2, $3)', [team, id(), '{}']),
      ],
      ['a change of a record', (ada) => ada.query('update teams.log set line = $1', ['{}'])],
      ['a look into the table of mail', (ada) => ada.query('select * from teams.mail')],
      ['a word about who it is', (ada) => ada.query("insert into teams.who values ('ada', '*', '*')")],
      ['another name for itself', (ada) => ada.query('set session authorization host')],
      ['a function of ours that asks no right', (ada) => ada.query('select teams.may($1, $2)', [team, 'ada'])],
    ])('refuses %s', async (_what, act) => {
      const before = await host.query('select * from teams.log_after($1, 0, 1000)', [team]);
      await expect(act(await session('ada'))).rejects.toMatchObject({ code: '42501' });
      expect((await host.query('select * from teams.log_after($1, 0, 1000)', [team])).rows).toEqual(before.rows);
    });

    it('runs nothing of its own schemas inside of a function', async () => {
      const ada = await session('ada');
      await ada.query(
        `create temp table who (role name, team text, member text);
         insert into who values ('ada', '*', '*');
         create function pg_temp.may(text, text) returns boolean language sql as 'select true';
         set search_path = pg_temp, teams, pg_catalog`,
      );
      await expect(append(ada, team, record(by('bob')))).rejects.toMatchObject({ code: '42501' });
    });
  });

  it('lets a role call only functions with the rights and the path of their maker', async () => {
    const { rows } = await host.query<{ proname: string }>(
      `select proname from pg_proc where pronamespace = 'teams'::regnamespace and has_function_privilege('host', oid, 'execute')
       and (not prosecdef or proconfig is distinct from array['search_path=pg_catalog, pg_temp'])`,
    );
    expect(rows).toEqual([]);
  });

  it('shows a role without a word about it nothing', async () => {
    await expect((await session('stranger')).query('select * from teams.list_teams()')).rejects.toMatchObject({
      code: '42501',
    });
  });

  it('numbers the records of eight writers without a gap, each once', async () => {
    const crowded = id();
    await host.query('select teams.create_team($1, $2)', [crowded, 'crowded']);
    const writers = await Promise.all(Array.from({ length: 8 }, () => session('host')));
    const lines = writers.map(() => Array.from({ length: 40 }, () => record(by('ada'))));
    const numbers = await Promise.all(
      writers.map(async (writer, at) => {
        const got: number[] = [];
        // Each record twice: the answer to the first one may be lost.
        for (const line of lines[at] ?? [])
          got.push(...(await append(writer, crowded, line)), ...(await append(writer, crowded, line)));
        return got;
      }),
    );
    const pairs = numbers.flatMap((got) => got.map((number, at) => [number, got[at ^ 1]]));
    expect(pairs.every(([one, twin]) => one === twin)).toBe(true);
    const { rows } = await host.query<{ number: string; line: string }>('select * from teams.log_after($1, 0, 1000)', [
      crowded,
    ]);
    expect(rows.map(({ number }) => Number(number))).toEqual(Array.from({ length: 320 }, (_, at) => at + 1));
    expect(rows.map(({ line }) => line).toSorted()).toEqual(lines.flat().toSorted());
  });

  it('refuses another record with an id that is taken, with all of its batch', async () => {
    const first = record(by('ada'), 'one');
    await append(host, team, first);
    const before = (await host.query('select * from teams.log_after($1, 0, 1000)', [team])).rows;
    const forged = first.replace('"one"', '"two"');
    await expect(append(host, team, record(by('ada')), forged)).rejects.toMatchObject({ code: 'TM002' });
    expect((await host.query('select * from teams.log_after($1, 0, 1000)', [team])).rows).toEqual(before);
  });

  it.each(['\n', '\r'])('refuses a record, and mail, with the line break %j', async (end) => {
    const line = record(by('ada')).replace('"type"', `${end}"type"`);
    await expect(append(host, team, line)).rejects.toMatchObject({ code: '22023' });
    const message = mail('ada', 'hi').replace('{', `{${end}`);
    await expect(host.query('select teams.send($1, $2, $3)', [team, 'eve', [message]])).rejects.toMatchObject({
      code: '22023',
    });
  });

  it.each([
    ['a character that is none in PostgreSQL', '\0'],
    ['half of a pair', '\ud800'],
    ['a backslash before what looks like one', '\\u0000'],
    ['a whole pair, and two of them', '\u{1f600}\0\0'],
  ])('keeps %s in a record, a message and an event', async (_what, text) => {
    const line = record(by('ada'), text);
    const [number = 0] = await append(host, team, line);
    const { rows } = await host.query<{ line: string }>('select line from teams.log_after($1, $2, 1)', [
      team,
      number - 1,
    ]);
    expect(rows).toEqual([{ line }]);
    expect(JSON.parse(line)).toMatchObject({ subject: text });
    await host.query('select teams.send($1, $2, $3)', [team, 'eve', [mail('ada', text)]]);
    await tell(host, team, JSON.stringify({ type: 'agent.said', member: 'ada', text }));
  });

  it('keeps events of a source up to a place once, and tells them to the others', async () => {
    const place = async (at: number): Promise<unknown> =>
      (await host.query<{ place: string }>('select teams.event_source($1, $2, $3) as place', [team, 'here', at]))
        .rows[0]?.place;
    const heard = async (source: string, by = host): Promise<unknown> =>
      (
        await by.query<{ line: string }>(
          `select line from teams.events_after($1, $2, 0, 100) where line like '%x.happened%'`,
          [team, source],
        )
      ).rows.map(({ line }) => line);
    const lines = ['ada', 'bob'].map((member) => event('x.happened', member));
    const told = (upTo: number, some: string[]): Promise<unknown> =>
      host.query('select teams.tell_events($1, $2, $3, $4)', [team, 'here', upTo, some]);
    expect(await place(7)).toBe('7');
    expect(await place(0)).toBe('7');
    await Promise.all([told(20, lines), told(20, lines)]);
    await told(20, lines);
    expect(await place(0)).toBe('20');
    await told(30, lines.slice(1));
    expect(await heard('there')).toEqual([...lines, lines[1]]);
    expect(await heard('here')).toEqual([]);
    // A source is of its role: nobody hides what another told, or moves its place.
    expect(await heard('here', await session('ada'))).toEqual([...lines, lines[1]]);
  });

  it('appends to a ledger what was decided with all of it, once', async () => {
    const limited = id();
    await host.query('select teams.create_team($1, $2)', [limited, 'limited']);
    const append = async (after: number, lines: string[], by = host): Promise<unknown> =>
      (
        await by.query<{ last: string | null }>('select teams.append_ledger($1, $2, $3) as last', [
          limited,
          after,
          lines,
        ])
      ).rows[0]?.last;
    const [one, two, three] = ['1', '2', '3'].map((name) => spends({ do: 'limit', name })) as [string, string, string];
    expect(await append(0, [one, two])).toBe('2');
    // The answer was lost; or another one decided with less.
    expect(await append(0, [one, two])).toBe('2');
    expect(await append(0, [three])).toBeNull();
    expect(await append(1, [three])).toBeNull();
    const both = await Promise.all([append(2, [three]), append(2, [spends({ do: 'limit' })], await session('host'))]);
    expect(both.toSorted()).toEqual(['3', null]);
    const { rows } = await host.query('select number from teams.ledger_after($1, 0, 10)', [limited]);
    expect(rows).toHaveLength(3);
  });

  describe('for the user of a role', () => {
    const day = async (from: Client): Promise<string> =>
      (
        await from.query<{ today: string }>(
          `select today from teams.append_spending('1970-01-01', 0, '1970-01-01', '{}')`,
        )
      ).rows[0]?.today ?? '';
    const spend = async (from: Client, at: [string, number, string], ...lines: string[]): Promise<unknown> => {
      const text = 'select head_day, head_last, written from teams.append_spending($1, $2, $3, $4)';
      const { rows } = await from.query<{ head_day: string; head_last: string; written: boolean }>(text, [
        ...at,
        lines,
      ]);
      const [row] = rows;
      return `${row?.written ? 'written' : 'behind'} ${row?.head_day} ${row?.head_last}`;
    };
    const [one, two, three] = ['1', '2', '3'].map((name) => spends({ do: 'limit', name })) as [string, string, string];

    it('appends to the ledger of its day what was decided with all of it, once, and to that of no other role', async () => {
      const ada = await session('ada');
      const today = await day(host);
      expect(await spend(host, [today, 0, today], one, two)).toBe(`written ${today} 2`);
      expect(await spend(host, [today, 0, today], one, two)).toBe(`written ${today} 2`);
      expect(await spend(host, [today, 0, today], three)).toBe(`behind ${today} 2`);
      expect(await spend(host, [today, 1, today], three)).toBe(`behind ${today} 2`);
      expect(await spend(ada, [await day(ada), 0, today], three)).toBe(`written ${today} 1`);
      const rows = async (from: Client): Promise<number | null> =>
        (await from.query('select * from teams.spending_after($1, 0, 10)', [today])).rowCount;
      expect([await rows(host), await rows(ada)]).toEqual([2, 1]);
      await expect((await session('stranger')).query('select * from teams.spending')).rejects.toMatchObject({
        code: '42501',
      });
    });

    it('begins a day that has come, by its own clock, and takes no record of another one', async () => {
      const today = await day(host);
      const [before, after] = [-1, 1].map((days) =>
        new Date(Date.parse(today) + days * 24 * 3_600_000).toISOString().slice(0, 10),
      ) as [string, string];
      await postgres.query(`update teams.spending set day = '${before}' where role = 'host';
        update teams.spending_head set day = '${before}' where role = 'host'`);
      expect(await spend(host, [before, 2, before], three)).toBe(`behind ${before} 2`);
      expect(await spend(host, [before, 2, after], three)).toBe(`behind ${before} 2`);
      expect(await spend(host, [before, 1, today], three)).toBe(`behind ${before} 2`);
      expect(await spend(host, [before, 2, today], one, three)).toBe(`written ${today} 2`);
      // The answer was lost.
      expect(await spend(host, [before, 2, today], one, three)).toBe(`written ${today} 2`);
      expect(await spend(host, [before, 2, today], two)).toBe(`behind ${today} 2`);
      // A clock that is set back: the day stays.
      await postgres.query(`update teams.spending set day = '${after}' where role = 'host' and day = '${today}';
        update teams.spending_head set day = '${after}' where role = 'host'`);
      expect(await day(host)).toBe(after);
      expect(await spend(host, [after, 2, after], two)).toBe(`written ${after} 3`);
    });

    it.each([
      ['too many records', Array.from({ length: 10_001 }, () => one)],
      ['a record that is too long', [spends({ do: 'limit', name: 'x'.repeat(20_000) })]],
      ['two lines in one', [`${one}\n${two}`]],
    ])('refuses %s', async (_what, lines) => {
      const today = await day(host);
      await expect(spend(host, [today, 3, today], ...lines)).rejects.toMatchObject({ code: '22023' });
    });

    it('tells the machines of a role how long nobody is to call, and how many call, and no other role', async () => {
      const ada = await session('ada');
      const heard = async (from: Client): Promise<unknown> =>
        (await from.query<{ news: { paces: unknown } }>('select teams.news() as news')).rows[0]?.news.paces;
      await host.query(`select teams.tell_pace('key', 'a', 5, 2), teams.tell_pace('key', 'b', 0, 0)`);
      expect(await heard(host)).toMatchObject([{ credential: 'key', refusals: 2, machines: 2 }]);
      expect(await heard(ada)).toEqual([]);
      await host.query(`select teams.tell_pace('key', 'a', 1e9, 2)`);
      const [{ seconds }] = (await heard(host)) as [{ seconds: number }];
      expect(seconds).toBeLessThanOrEqual(960);
      await host.query(`select teams.tell_pace('key', 'a', 0, 0)`);
      expect(await heard(host)).toMatchObject([{ seconds: 0, refusals: 0, machines: 2 }]);
      await expect(host.query(`select teams.tell_pace('${'k'.repeat(65)}', 'a', 0, 0)`)).rejects.toMatchObject({
        code: '22023',
      });
      await host.query(`select teams.tell_pace('key' || n, 'a', 0, 0) from generate_series(1, 1100) n`);
      expect(((await heard(host)) as unknown[]).length).toBeLessThanOrEqual(1_000);
    });
  });

  it('hands mail out until it is acknowledged, once each', async () => {
    const lines = ['one', 'two', 'three'].map((content) => mail('lead', content));
    const send = async (from: Client): Promise<unknown> =>
      from.query('select teams.send($1, $2, $3)', [team, 'cy', lines]);
    await Promise.all([send(host), send(await session('host')), send(await session('host'))]);
    await send(host);
    const waiting = async (): Promise<string[]> =>
      (await host.query<{ line: string }>('select line from teams.mail_after($1, $2, 0, 10)', [team, 'cy'])).rows.map(
        ({ line }) => line,
      );
    expect(await waiting()).toEqual(lines);
    const ids = lines.slice(0, 2).map((line) => (JSON.parse(line) as { id: string }).id);
    const acknowledge = async (): Promise<unknown> =>
      (await host.query<{ done: number }>('select teams.acknowledge($1, $2, $3, $4) as done', [team, 'cy', INC, ids]))
        .rows[0]?.done;
    expect(await acknowledge()).toBe(2);
    expect(await acknowledge()).toBe(0);
    expect(await waiting()).toEqual(lines.slice(2));
  });

  it('notifies the mail of a member whole on a channel that only hosts are told, and to others that there is some', async () => {
    const [ada, listener, stranger] = [await session('ada'), await session('host'), await session('stranger')];
    const channelFor = async (from: Client, member = 'ada'): Promise<string | null | undefined> =>
      (await from.query<{ channel: string | null }>('select teams.mail_channel($1, $2) as channel', [team, member]))
        .rows[0]?.channel;
    // Also for the mailbox of another, whose lease its machine may have had before.
    expect([await channelFor(ada), await channelFor(ada, 'bob')]).toEqual([null, null]);
    await expect(stranger.query('select teams.mail_channel($1, $2)', [team, 'ada'])).rejects.toMatchObject({
      code: '42501',
    });
    const channel = await channelFor(host);
    expect(channel).toMatch(/^teams_[0-9a-f]{32}$/);
    const heard: string[] = [];
    listener.on('notification', (one) => heard.push(`${one.channel} ${one.payload}`));
    await listener.query(`listen teams; listen ${channel}`);
    const news = async (...lines: string[]): Promise<string[]> => {
      heard.length = 0;
      await host.query('select teams.send($1, $2, $3)', [team, 'ada', lines]);
      await expect.poll(() => heard.at(-1)).toContain(`teams mail ${team} ada `);
      return heard.slice(0, -1);
    };
    const last = async (question: string): Promise<number> =>
      Number((await host.query<{ last: string }>(question, [team])).rows[0]?.last ?? 0);
    const log = await last('select count(*) as last from teams.log_after($1, 0, 10000)');
    const before = await last(`select last from teams.mailboxes($1) where member = 'ada'`);
    const two = [mail('lead', 'one, with ünïcode'), mail('lead', 'two')];
    expect(await news(...two)).toEqual(two.map((line, at) => `${channel} ${before + 1 + at} ${log} ${line}`));
    // Sent again, too long, too many: to be asked for.
    expect(await news(...two)).toEqual([]);
    expect(await news(mail('lead', 'x'.repeat(7_000)))).toEqual([]);
    expect(await news(...['1', '2', '3', '4', '5'].map((text) => mail('lead', text)))).toEqual([]);
    expect(heard).toEqual([`teams mail ${team} ada ${before + 8}`]);
  });

  it('gives a lease to one owner, and to another when it has run out', async () => {
    const take = async (owner: string, seconds: number, by = host) =>
      (
        await by.query<{ owner: string; lapsed: string | null }>('select * from teams.take_lease($1, $2, $3, $4)', [
          team,
          'lead',
          owner,
          seconds,
        ])
      ).rows[0];
    const all = await Promise.all(['a', 'b', 'c'].map(async (owner) => take(owner, 60, await session('host'))));
    expect(new Set(all.map((one) => one?.owner)).size).toBe(1);
    const owner = all[0]?.owner ?? '';
    expect(await take('late', 60)).toEqual({ owner, lapsed: null });
    expect(await take(owner, 0)).toEqual({ owner, lapsed: null });
    // Whose lease lapsed is told to the next one.
    expect(await take('late', 60)).toEqual({ owner: 'late', lapsed: owner });
    expect(await take('late', 60)).toEqual({ owner: 'late', lapsed: null });
    await host.query('select teams.leave_lease($1, $2, $3)', [team, 'lead', 'late']);
    expect(await take('next', 60)).toEqual({ owner: 'next', lapsed: null });
  });

  it('says which mailboxes have changed', async () => {
    const boxes = async (): Promise<unknown> =>
      (await host.query(`select * from teams.mailboxes($1) where member = 'dan'`, [team])).rows;
    expect(await boxes()).toEqual([]);
    const lines = [mail('ada', '1'), mail('ada', '2')];
    await host.query('select teams.send($1, $2, $3)', [team, 'dan', lines]);
    const ids = lines.map((line) => (JSON.parse(line) as { id: string }).id);
    expect(await boxes()).toEqual([{ member: 'dan', last: '2', used: '0' }]);
    await host.query('select teams.acknowledge($1, $2, $3, $4)', [team, 'dan', INC, ids.slice(1)]);
    expect(await boxes()).toEqual([{ member: 'dan', last: '2', used: '1' }]);
    const { rows } = await host.query<{ ids: string[] }>('select teams.waiting_mail($1, $2) as ids', [team, 'dan']);
    expect(rows[0]?.ids).toEqual(ids.slice(0, 1));
    // A role of one member sees only its own.
    await host.query('select teams.send($1, $2, $3)', [team, 'ada', [mail('lead', 'hi')]]);
    const own = await (await session('ada')).query('select member from teams.mailboxes($1)', [team]);
    expect(own.rows).toEqual([{ member: 'ada' }]);
    const other = id();
    await host.query('select teams.create_team($1, $2)', [other, 'of-others']);
    const { rows: news } = await (
      await session('ada')
    ).query<{
      news: { teams: { id: string; mailboxes: { member: string }[] }[] };
    }>('select teams.news() as news');
    expect(news[0]?.news.teams.map((one) => one.id)).toEqual([team]);
    expect(news[0]?.news.teams[0]?.mailboxes.map(({ member }) => member)).toEqual(['ada']);
  });

  it('writes a document only over the revision that was read', async () => {
    const write = async (expected: number, body: string, by = host): Promise<unknown> =>
      (
        await by.query<{ to: string | null }>('select teams.write_document($1, $2, $3, $4) as to', [
          team,
          'state',
          expected,
          body,
        ])
      ).rows[0]?.to;
    expect(await write(0, 'a')).toBe('1');
    expect(await write(0, 'b')).toBeNull();
    const [one, two] = await Promise.all([write(1, 'c'), write(1, 'd', await session('host'))]);
    expect([one, two].toSorted()).toEqual(['2', null]);
  });

  it('names an artifact by its content', async () => {
    const put = await host.query<{ hash: string }>('select teams.put_artifact($1, $2) as hash', [
      team,
      Buffer.from('result'),
    ]);
    const hash = put.rows[0]?.hash;
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    const { rows } = await host.query<{ body: Buffer }>('select teams.artifact($1, $2) as body', [team, hash]);
    expect(rows[0]?.body.toString()).toBe('result');
  });

  it('takes no record of a team that is archived', async () => {
    const ended = id();
    await host.query('select teams.create_team($1, $2)', [ended, 'ended']);
    await append(host, ended, record(by('ada')));
    await host.query('select teams.archive_team($1)', [ended]);
    await expect(append(host, ended, record(by('ada')))).rejects.toMatchObject({ code: 'TM001' });
    await host.query('select teams.create_team($1, $2)', [id(), 'ended']);
  });

  it('takes nothing that came while the team was being archived', async () => {
    const ended = id();
    await host.query('select teams.create_team($1, $2)', [ended, 'ending']);
    const [ending, ...others] = await Promise.all(Array.from({ length: 4 }, async () => session('host')));
    await ending?.query('begin');
    await ending?.query('select teams.archive_team($1)', [ended]);
    let settled = 0;
    const acts = [
      (one: Client) => append(one, ended, record(by('ada'))),
      (one: Client) => one.query('select teams.send($1, $2, $3)', [ended, 'bob', [mail('ada', 'hi')]]),
      (one: Client) => one.query('select teams.take_lease($1, $2, $3, 10)', [ended, 'ada', 'p1']),
    ].map((act, at) => act(others[at] ?? host).finally(() => (settled += 1)));
    const answers = Promise.allSettled(acts);
    const asleep = async (): Promise<number> =>
      Number((await host.query<{ count: string }>('select count(*) from pg_locks where not granted')).rows[0]?.count);
    await expect.poll(async () => settled + (await asleep())).toBe(3);
    await ending?.query('commit');
    expect((await answers).map((one) => (one.status === 'rejected' ? codeOf(one.reason) : 'done'))).toEqual([
      'TM001',
      'TM001',
      'TM001',
    ]);
  });
});

describe.skipIf(!hasPostgres)('a schema of a version before', () => {
  it.each([2, 3, 4, 5, 6, 7, 8])(
    '%i is brought up to this one by `init`, with its teams, roles and grants',
    async (version) => {
      const postgres = await Postgres.start();
      try {
        const old = readFileSync(
          join(import.meta.dirname, '..', '..', 'fixtures', `engine-schema-${version}.sql`),
          'utf8',
        );
        await postgres.query(`create role host login; create role gone login; ${old}`);
        await postgres.query(`grant usage on schema teams to host; grant execute on all functions in schema teams to host;
        insert into teams.who values ('host', '*', '*'), ('gone', '*', '*'); drop role gone`);
        const address = parseEngineAddress(postgres.url(), 'argument');
        const team = id();
        const host = await postgres.session('host');
        await host.query('select teams.create_team($1, $2)', [team, 'old']);
        // Since version 6 it also gives what came after a record.
        const appends = version < 6 ? 'select teams.append($1, $2)' : 'select teams.append($1, $2, 0)';
        await host.query(appends, [team, [record(by('ada'))]]);
        for (const to of ['ada', 'bob'])
          await host.query('select teams.send($1, $2, $3)', [team, to, [mail('lead', 'hi')]]);
        await expect(checkEngine(address, realClock)).rejects.toMatchObject({
          code: 'ENGINE_UNFIT',
          message: expect.stringContaining('teams store init') as string,
        });
        const both = await Promise.all([initEngine(address, [], realClock), initEngine(address, [], realClock)]);
        expect(both.map(({ isNew, before }) => ({ isNew, before })).toSorted((one) => (one.before ? -1 : 1))).toEqual([
          { isNew: false, before: version },
          { isNew: false, before: undefined },
        ]);
        await append(host, team, record(by('ada'), '\0'));
        await tell(host, team, event('lead.decided'));
        await expect(host.query('select * from teams.event')).rejects.toMatchObject({ code: '42501' });
        await expect(host.query('select teams.must($1, $2)', [team, 'ada'])).rejects.toMatchObject({ code: '42501' });
        const { rows } = await host.query('select * from teams.log_after($1, 0, 10)', [team]);
        expect(rows).toHaveLength(2);
        // Each mailbox of before has a channel of its own.
        const { rows: channels } = await host.query<Record<string, string>>(
          `select teams.mail_channel($1, 'ada') as ada, teams.mail_channel($1, 'bob') as bob`,
          [team],
        );
        expect(new Set(Object.values(channels[0] ?? {}))).toHaveLength(2);
        await host.query(`select teams.register_host('here', 'p1', 2, '{}', null, 10)`);
        await host.query('select teams.place($1, $2, $3)', [team, 'ada', 'here']);
        await host.query(`select teams.tell_pace('key', 'here', 5, 1)`);
        await expect(host.query('select * from teams.pace')).rejects.toMatchObject({ code: '42501' });
        await expect(host.query('select * from teams.placement')).rejects.toMatchObject({ code: '42501' });
        const news = await host.query<{ news: { teams: unknown[] } }>('select teams.news() as news');
        expect(news.rows[0]?.news.teams).toMatchObject([
          { id: team, log: 2, events: 1, placements: [{ member: 'ada' }] },
        ]);
        await host.end();
        expect(await checkEngine(address, realClock)).toMatchObject({ schema: 9 });
      } finally {
        await postgres.stop();
      }
    },
  );
});

describe.skipIf(!hasPostgres)('hosts of the engine', () => {
  let postgres: Postgres;
  let session: Client;
  const team = id();
  const ask = async (text: string, ...values: unknown[]): Promise<Record<string, unknown>[]> =>
    (await session.query<Record<string, unknown>>(text, values)).rows;
  const register = async (name: string, owner: string, only: string | null = null, seconds = 10): Promise<unknown> =>
    (await ask('select teams.register_host($1, $2, 1, $3, $4, $5) as owner', name, owner, ['gpu'], only, seconds))[0]?.[
      'owner'
    ];
  const place = async (member: string, host: string): Promise<unknown> =>
    (await ask('select teams.place($1, $2, $3) as placed', team, member, host))[0]?.['placed'];
  const placements = (): Promise<Record<string, unknown>[]> =>
    ask('select member, host, owner, ended from teams.placements($1)', team);
  beforeAll(async () => {
    postgres = await Postgres.start();
    await postgres.query('create role host login; create role ada login; create role lead login');
    const grants = [
      { role: 'host' },
      { role: 'ada', only: { team, member: 'ada' } },
      { role: 'lead', only: { team, member: 'lead' } },
    ];
    await initEngine(parseEngineAddress(postgres.url(), 'argument'), grants, realClock);
    session = await postgres.session('host');
    await ask('select teams.create_team($1, $2)', team, 'login');
  });
  afterAll(async () => {
    await session.end().catch(() => {});
    await postgres.stop();
  });

  it('have one process each, place no more members than slots, and lose their placements with their process', async () => {
    expect(await register('one', 'p1')).toBe('p1');
    expect(await register('one', 'p2')).toBe('p1');
    expect(await place('ada', 'one')).toBe(true);
    expect(await place('bob', 'one')).toBe(false);
    // The same member once more is a new start.
    expect(await place('ada', 'one')).toBe(true);
    expect(await placements()).toEqual([{ member: 'ada', host: 'one', owner: 'p1', ended: null }]);
    expect(await register('one', 'p1', null, -1)).toBe('p1');
    expect(await place('ada', 'one')).toBe(false);
    expect(await register('one', 'p2')).toBe('p2');
    expect(await placements()).toEqual([]);
  });

  it('have a slot again when a process ended, its team is archived, or it has another place', async () => {
    const used = async (): Promise<unknown> =>
      (await ask(`select used from teams.hosts() where name = 'two'`))[0]?.['used'];
    await register('two', 'p1');
    expect(await place('ada', 'two')).toBe(true);
    expect(await used()).toBe('1');
    const [row] = await ask('select number from teams.placements($1)', team);
    await ask('select teams.end_placement($1, $2, $3)', team, row?.['number'], 'exit 0');
    expect(await used()).toBe('0');
    expect(await placements()).toMatchObject([{ ended: 'exit 0' }]);
    expect(await place('ada', 'two')).toBe(true);
    const [again] = await ask('select number from teams.placements($1)', team);
    await ask('select teams.displace($1, $2)', team, again?.['number']);
    expect(await used()).toBe('0');
    await ask('select teams.leave_host($1, $2)', 'two', 'another');
    expect(await used()).toBe('0');
    await ask('select teams.leave_host($1, $2)', 'two', 'p1');
    expect(await used()).toBeUndefined();
  });

  it('of one team take no members of another', async () => {
    await register('three', 'p1', 'other');
    expect(await place('ada', 'three')).toBe(false);
    await register('three', 'p1', 'login');
    expect(await place('ada', 'three')).toBe(true);
  });

  it('are made by roles of hosts, and members are placed by the lead', async () => {
    await register('four', 'p1');
    const [ada, lead] = [await postgres.session('ada'), await postgres.session('lead')];
    const isMine = { code: '42501' };
    await expect(ada.query(`select teams.register_host('x', 'p', 1, '{}', null, 10)`)).rejects.toMatchObject(isMine);
    await expect(ada.query(`select teams.leave_host('four', 'p1')`)).rejects.toMatchObject(isMine);
    await expect(ada.query('select teams.place($1, $2, $3)', [team, 'ada', 'four'])).rejects.toMatchObject(isMine);
    await expect(ada.query('select teams.displace($1, 1)', [team])).rejects.toMatchObject(isMine);
    await expect(ada.query('select teams.end_placement($1, 1, $2)', [team, 'x'])).rejects.toMatchObject(isMine);
    await lead.query('select teams.place($1, $2, $3)', [team, 'ada', 'four']);
    await Promise.all([ada.end(), lead.end()]);
  });
});

describe.skipIf(!hasPostgres)('an engine that is killed', () => {
  it('has every record that it acknowledged, in the same order', async () => {
    const postgres = await Postgres.start();
    try {
      await initEngine(parseEngineAddress(postgres.url(), 'argument'), [], realClock);
      const team = id();
      const first = await postgres.session();
      await first.query('select teams.create_team($1, $2)', [team, 'killed']);
      await first.end();
      const acknowledged = new Map<number, string>();
      for (let round = 0; round < 3; round += 1) {
        const writers = await Promise.all(Array.from({ length: 4 }, async () => postgres.session()));
        let count = 0;
        const load = writers.map(async (writer) => {
          for (;;) {
            const line = record(by('ada'));
            const [number = 0] = await append(writer, team, line);
            acknowledged.set(number, line);
            count += 1;
            // In the middle of the others' appends.
            if (count === 50) await postgres.kill();
          }
        });
        await Promise.allSettled(load);
        await postgres.run();
      }
      const reader = await postgres.session();
      const { rows } = await reader.query<{ number: string; line: string }>(
        'select * from teams.log_after($1, 0, 100000)',
        [team],
      );
      await reader.end();
      const kept = new Map(rows.map(({ number, line }) => [Number(number), line]));
      expect(acknowledged.size).toBeGreaterThanOrEqual(150);
      expect([...acknowledged].filter(([number, line]) => kept.get(number) !== line)).toEqual([]);
      expect([...kept.keys()]).toEqual(Array.from({ length: kept.size }, (_, at) => at + 1));
    } finally {
      await postgres.stop();
    }
  });
});
