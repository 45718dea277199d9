/** What a relay asks the engine: one session, which also hears of news. */
import type { EngineAddress } from '../../model/config/engine-address.ts';
import type { Clock } from '../../model/text/clock.ts';
import { isTeamError, StoreError } from '../../model/text/errors.ts';
import { isMemberName, isName, type Name } from '../../model/text/names.ts';
import { LINE_LIMIT } from '../files/lines.ts';
import type { PaceTold, SharedTeam, SpendingAsked } from '../replica/relay-request.ts';
import type { Documents } from '../replica/team-documents.ts';
import { connectEngine, type EngineServer } from './engine-connection.ts';
import { EngineMailboxes } from './engine-mailboxes.ts';
import { EngineQueries, type EngineValue, type RowForm } from './engine-queries.ts';
import {
  aboutRow,
  appendForm,
  configurationRow,
  documentRow,
  eventRow,
  idRow,
  lastRow,
  leaseRow,
  lineRow,
  placeRow,
  revisionRow,
  spendingRow,
  takingRow,
  teamRow,
  textRow,
  type EngineEvent,
  type EngineLease,
  type EngineTeam,
  type LeaseTaking,
  type NotifiedMail,
  type SpendingNews,
} from './engine-rows.ts';
import {
  inOrder,
  isAll,
  lineOf,
  MOST_TEXT_BYTES,
  PAGE,
  pageOf,
  pageForm,
  readable,
  requireShort,
  type EnginePage,
} from './engine-pages.ts';
import { requireSchema, requireSchemaIn } from './engine-schema.ts';

/** For all documents of a team. */
const MOST_DOCUMENTS_BYTES = 144 * 1024 * 1024;
/** Of all who may connect. */
const NEWS = 'teams';
/** The document with the team's configuration. */
const CONFIG = 'config';
const READ_DOCUMENT = 'select revision, body from teams.read_document($1, $2)';
/** One that no machine can have kept is none. */
const READ_TEXT = `select body from (select teams.artifact($1, $2) as body) kept
  where octet_length(body) <= ${String(MOST_TEXT_BYTES)}`;

/** What has one order for all machines. */
export type EngineOrder = 'log' | 'ledger' | 'spending';

/** Called with what others have made new. */
export interface EngineListener {
  /**
   * Also when the session is lost.
   *
   * @param what `log TEAM NUMBER`, `mail TEAM MEMBER NUMBER` and `ring TEAM MEMBER` (the team's id) or `news`
   */
  readonly onNews: (what: string) => void;
  /** Comes before the news of the same message. */
  readonly onMail: (mail: NotifiedMail) => void;
}

const NO_LISTENER: EngineListener = { onNews: () => {}, onMail: () => {} };

export class EngineSession {
  readonly mail: EngineMailboxes;
  readonly #queries: EngineQueries;

  /**
   * @param seen the highest timeline that was seen, if any was
   * @throws StoreError `ENGINE_UNREACHABLE`, `ENGINE_UNFIT`
   */
  static async open(
    address: EngineAddress,
    clock: Clock,
    { onNews, onMail } = NO_LISTENER,
    seen?: number,
  ): Promise<EngineSession> {
    const connection = await connectEngine(address, clock, seen);
    const { client } = connection;
    const session = new EngineSession(new EngineQueries(connection, { address, clock }));
    try {
      const [about] = await session
        .ask('select teams.schema_version() as version, pg_backend_pid() as own', [], aboutRow)
        .catch(async (error: unknown) => {
          if (isTeamError(error)) await requireSchemaIn(client, error);
          throw error;
        });
      requireSchema(about?.version ?? 0);
      client.on('notification', ({ processId, channel, payload = '' }) => {
        if (processId === about?.own) return;
        if (channel === NEWS) return onNews(payload);
        const mail = session.mail.notified(channel, payload);
        if (mail !== undefined) onMail(mail);
      });
      client.on('end', () => onNews(''));
      await session.ask(`listen ${NEWS}`, []);
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  private constructor(queries: EngineQueries) {
    this.#queries = queries;
    this.mail = new EngineMailboxes(queries);
  }

  get server(): EngineServer {
    return this.#queries.server;
  }

  /** The teams that are not archived. */
  async teams(): Promise<EngineTeam[]> {
    const rows = await this.ask(
      'select id, name from teams.list_teams() where archived is null order by name',
      [],
      teamRow,
    );
    return rows.flatMap(({ id, name }) => (isName(name) ? [{ id, name }] : []));
  }

  /** Nobody writes to it any more; another team may have its name. */
  async archive(team: string): Promise<void> {
    await this.ask('select teams.archive_team($1)', [team]);
  }

  /** The ids of teams that were archived, or moved to files. */
  async goneTeams(): Promise<Set<string>> {
    const text = 'select id from teams.list_teams() where archived is not null';
    const rows = await this.ask(text, [], idRow);
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * Appends records in one transaction.
   *
   * @param after the number of a record
   * @returns the records after that one, these among them, if they are few and short
   * @throws StoreError `TEAM_GONE`, `ENGINE_UNFIT`: none of them was written; {@link SessionLost}
   */
  async append(team: string, lines: readonly string[], after: number): Promise<readonly string[] | undefined> {
    requireShort(lines);
    const asked = 'select news from teams.append($1, $2, $3)';
    const [row] = await this.ask(asked, [team, lines, after], appendForm);
    return row?.news?.split('\n').map((line) => lineOf(line, MOST_TEXT_BYTES));
  }

  /** The records of the log or of the ledger of a team, or of the spending of a day, after a number, in their order; at most a page of them. */
  async after(team: string, number: number, of: EngineOrder = 'log'): Promise<EnginePage<string>> {
    const text = pageOf('number', `teams.${of}_after($1, $2, $3)`, MOST_TEXT_BYTES);
    const rows = await this.ask(text, [team, number, PAGE], pageForm);
    if (rows.some((row, index) => Number(row.number) !== number + 1 + index))
      throw new StoreError(
        'ENGINE_DIVERGED',
        `The store has a gap after record ${String(number)} of the ${of} of ${team}.`,
      );
    return { found: rows.map(({ line }) => lineOf(line, MOST_TEXT_BYTES)), isAll: isAll(rows) };
  }

  /** All records of the log or of the ledger of a team. */
  async all(team: string, of: EngineOrder): Promise<string[]> {
    const lines: string[] = [];
    for (;;) {
      const { found, isAll: isEnd } = await this.after(team, lines.length, of);
      lines.push(...found);
      if (isEnd) return lines;
    }
  }

  /** @returns undefined if there is no such record */
  async line(team: string, number: number, of: EngineOrder = 'log'): Promise<string | undefined> {
    const text = `select ${readable(MOST_TEXT_BYTES)} from teams.${of}_after($1, $2, 1) where number = $3`;
    const rows = await this.ask(text, [team, number - 1, number], lineRow);
    return rows[0]?.line;
  }

  /**
   * Appends records to the ledger that were decided with its first `after` records.
   *
   * @returns false if it has others meanwhile: then none of them was written
   */
  async appendLedger(team: string, after: number, lines: readonly string[]): Promise<boolean> {
    requireShort(lines);
    const text = 'select teams.append_ledger($1, $2, $3) as last';
    const [row] = await this.ask(text, [team, after, lines], lastRow);
    return typeof row?.last === 'string';
  }

  /**
   * Appends records to the ledger of the day of this role; without any it says only how far that is.
   *
   * @returns `isWritten` false if it has others than those that they were decided with, or the day is over
   */
  async appendSpending({ from, after, day, lines }: SpendingAsked): Promise<SpendingNews & { isWritten: boolean }> {
    requireShort(lines);
    const text = 'select * from teams.append_spending($1, $2, $3, $4)';
    const [row] = await this.ask(text, [from, after, day, lines], spendingRow);
    if (row === undefined) throw new StoreError('ENGINE_UNFIT', 'The store did not say which day it is.');
    return { today: row.today, day: row.head_day, last: row.head_last, isWritten: row.written };
  }

  /** Says to the other machines of this role that this one calls a vendor, and for how long nobody is to call it. */
  async tellPace({ credential, pauseMs, refusals }: PaceTold, machine: string): Promise<void> {
    await this.ask('select teams.tell_pace($1, $2, $3, $4)', [credential, machine, pauseMs / 1_000, refusals]);
  }

  /** What goes with the team: its configuration, and what it had when it came from files. */
  async documents(team: string): Promise<Documents> {
    const text = 'select name, body from teams.documents($1)';
    const rows = await this.ask(text, [team], documentRow, MOST_DOCUMENTS_BYTES);
    return new Map(rows.map(({ name, body }) => [name, body]));
  }

  /**
   * Makes a team with its first records, or nothing.
   *
   * @throws ConflictError `TEAM_EXISTS`; StoreError as {@link append}
   */
  create(name: Name, { id, lines, config }: SharedTeam): Promise<void> {
    return this.transaction(async () => {
      await this.ask('select teams.create_team($1, $2)', [id, name]);
      await this.append(id, lines, 0);
      await this.ask('select teams.write_document($1, $2, 0, $3)', [id, CONFIG, config]);
    });
  }

  /** {@link EngineQueries.transaction} */
  transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#queries.transaction(work);
  }

  close(): Promise<void> {
    return this.#queries.close();
  }

  /** Calls a function of the engine for which there is no method here (`engine-moves.ts`). */
  ask<Row extends object>(
    text: string,
    values: readonly EngineValue[],
    row?: RowForm<Row>,
    mostBytes?: number,
  ): Promise<Row[]> {
    return this.#queries.ask(text, values, row, mostBytes);
  }

  /** Tells the other machines to wake a member. */
  async ring(team: string, member: Name): Promise<void> {
    await this.ask('select pg_notify($1, $2)', [NEWS, `ring ${team} ${member}`]);
  }

  /** @returns who has the lease now, and whose lease had lapsed if another one's had */
  async takeLease(team: string, name: Name, owner: string, seconds: number): Promise<LeaseTaking> {
    const [row] = await this.ask(
      'select owner, lapsed from teams.take_lease($1, $2, $3, $4)',
      [team, name, owner, seconds],
      takingRow,
    );
    return { owner: row?.owner, lapsed: row?.lapsed ?? undefined };
  }

  async leaveLease(team: string, name: Name, owner: string): Promise<void> {
    await this.ask('select teams.leave_lease($1, $2, $3)', [team, name, owner]);
  }

  async leases(team: string): Promise<EngineLease[]> {
    const rows = await this.ask('select name, owner, seconds from teams.leases($1)', [team], leaseRow);
    return rows.flatMap(({ name, ...lease }) => (isMemberName(name) ? [{ name, ...lease }] : []));
  }

  /**
   * @param place where the event log of a source that is new to the store begins
   * @returns how far the log of the source is in the store
   */
  async eventSource(team: string, source: string, place: number): Promise<number> {
    const text = 'select teams.event_source($1, $2, $3) as place';
    const [row] = await this.ask(text, [team, source, place], placeRow);
    return row?.place ?? place;
  }

  /** Stores events of a source, which go up to a place of its log. */
  async tellEvents(team: string, source: string, upTo: number, lines: readonly string[]): Promise<void> {
    await this.ask('select teams.tell_events($1, $2, $3, $4)', [team, source, upTo, lines]);
  }

  /** The events of other sources after a number, in their order; at most a page of them. */
  async eventsAfter(team: string, source: string, number: number): Promise<EnginePage<EngineEvent>> {
    const text = pageOf('number, left(source, 400) as source', 'teams.events_after($1, $2, $3, $4)', LINE_LIMIT);
    const rows = await this.ask(text, [team, source, number, PAGE], eventRow);
    return { found: inOrder(rows, number), isAll: isAll(rows) };
  }

  async configuration(team: string): Promise<{ readonly revision: string; readonly body: string } | undefined> {
    return (await this.ask(READ_DOCUMENT, [team, CONFIG], configurationRow))[0];
  }

  /** @returns the new revision; undefined if it was changed meanwhile */
  async configure(team: string, revision: string, body: string): Promise<string | undefined> {
    const asked = 'select teams.write_document($1, $2, $3, $4) as revision';
    const [row] = await this.ask(asked, [team, CONFIG, revision, body], revisionRow);
    return row?.revision ?? undefined;
  }

  /** Keeps a text under its hash. */
  async keep(team: string, text: string): Promise<void> {
    requireShort([text]);
    await this.ask('select teams.put_artifact($1, $2)', [team, Buffer.from(text)]);
  }

  /** The text that {@link keep} was given; undefined if it has none of this hash. */
  async kept(team: string, hash: string): Promise<string | undefined> {
    const [row] = await this.ask(READ_TEXT, [team, hash], textRow);
    return row?.body.toString('utf8');
  }
}
