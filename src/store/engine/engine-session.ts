/** What a relay asks the engine: one session, which also hears of news. */
import type { EngineAddress } from '../../model/config/engine-address.ts';
import type { Clock } from '../../model/text/clock.ts';
import { StoreError } from '../../model/text/errors.ts';
import { isMemberName, isName, type Name } from '../../model/text/names.ts';
import type { SharedTeam } from '../replica/relay-request.ts';
import type { Documents } from '../replica/team-documents.ts';
import { connectEngine, type EngineServer } from './engine-connection.ts';
import { EngineQueries } from './engine-queries.ts';
import type {
  EngineEvent,
  EngineLease,
  EngineMailbox,
  EngineMailPage,
  EngineTeam,
  LeaseTaking,
} from './engine-rows.ts';
import { requireSchema } from './engine-schema.ts';

/** Records that one question reads: fewer are all. */
export const PAGE = 2_000;
/** The document with the team's configuration. */
const CONFIG = 'config';
const READ_DOCUMENT = 'select revision, body from teams.read_document($1, $2)';

/** What has one order for all machines. */
type EngineOrder = 'log' | 'ledger';

export class EngineSession {
  readonly #queries: EngineQueries;

  /**
   * @param onNews called with what others made new: `log TEAM NUMBER`, `mail TEAM MEMBER` (the team's id) or `news`; and when the
   *   session is lost
   * @param seen the highest timeline that was seen, if any was
   * @throws StoreError `ENGINE_UNREACHABLE`, `ENGINE_UNFIT`
   */
  static async open(
    address: EngineAddress,
    clock: Clock,
    onNews: (what: string) => void,
    seen?: number,
  ): Promise<EngineSession> {
    const connection = await connectEngine(address, clock, seen);
    const { client } = connection;
    const session = new EngineSession(new EngineQueries(connection, { address, clock }));
    try {
      const [about] = await session.ask<{ version: number; own: number }>(
        'select teams.schema_version() as version, pg_backend_pid() as own',
        [],
      );
      requireSchema(about?.version ?? 0);
      client.on('notification', ({ processId, payload }) => {
        if (processId !== about?.own) onNews(payload ?? '');
      });
      client.on('end', () => onNews(''));
      await session.ask('listen teams', []);
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  private constructor(queries: EngineQueries) {
    this.#queries = queries;
  }

  get server(): EngineServer {
    return this.#queries.server;
  }

  /** The teams that are not archived. */
  async teams(): Promise<EngineTeam[]> {
    const rows = await this.ask<{ id: string; name: string }>(
      'select id, name from teams.list_teams() where archived is null order by name',
      [],
    );
    return rows.flatMap(({ id, name }) => (isName(name) ? [{ id, name }] : []));
  }

  /** Nobody writes to it any more; another team may have its name. */
  async archive(team: string): Promise<void> {
    await this.ask('select teams.archive_team($1)', [team]);
  }

  /** The ids of teams that were archived, or moved to files. */
  async goneTeams(): Promise<Set<string>> {
    const rows = await this.ask<{ id: string }>('select id from teams.list_teams() where archived is not null', []);
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
    const asked = 'select news from teams.append($1, $2, $3)';
    const [row] = await this.ask<{ news: string | null }>(asked, [team, lines, after]);
    return row?.news?.split('\n');
  }

  /** The records of the log, or of the ledger, after a number, in their order; at most a page of them. */
  async after(team: string, number: number, of: EngineOrder = 'log'): Promise<string[]> {
    const rows = await this.ask<{ number: string; line: string }>(
      `select number, line from teams.${of}_after($1, $2, $3)`,
      [team, number, PAGE],
    );
    if (rows.some((row, index) => Number(row.number) !== number + 1 + index))
      throw new StoreError(
        'ENGINE_DIVERGED',
        `The store has a gap after record ${String(number)} of the ${of} of team ${team}.`,
      );
    return rows.map(({ line }) => line);
  }

  /** @returns undefined if there is no such record */
  async line(team: string, number: number, of: EngineOrder = 'log'): Promise<string | undefined> {
    const rows = await this.ask<{ line: string }>(`select line from teams.${of}_after($1, $2, 1) where number = $3`, [
      team,
      number - 1,
      number,
    ]);
    return rows[0]?.line;
  }

  /**
   * Appends records to the ledger that were decided with its first `after` records.
   *
   * @returns false if it has others meanwhile: then none of them was written
   */
  async appendLedger(team: string, after: number, lines: readonly string[]): Promise<boolean> {
    const [row] = await this.ask<{ last: string | null }>('select teams.append_ledger($1, $2, $3) as last', [
      team,
      after,
      lines,
    ]);
    return typeof row?.last === 'string';
  }

  /** What goes with the team: its configuration, and what it had when it came from files. */
  async documents(team: string): Promise<Documents> {
    const rows = await this.ask<{ name: string; body: string }>('select name, body from teams.documents($1)', [team]);
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
  ask<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return this.#queries.ask<Row>(text, values);
  }

  /**
   * Stores mail for a member, in this order; a message that is there already keeps its place.
   *
   * @returns the number of each
   */
  async send(team: string, recipient: Name, lines: readonly string[]): Promise<number[]> {
    const asked = 'select teams.send($1, $2, $3) as numbers';
    const [row] = await this.ask<{ numbers: string[] }>(asked, [team, recipient, lines]);
    return (row?.numbers ?? []).map(Number);
  }

  async mailboxes(team: string): Promise<EngineMailbox[]> {
    const rows = await this.ask<{ member: string; last: string; used: string }>(
      'select member, last, used from teams.mailboxes($1)',
      [team],
    );
    return rows.flatMap(({ member, last, used }) =>
      isMemberName(member) ? [{ member, last: Number(last), used: Number(used) }] : [],
    );
  }

  /** The mail of a member after a number that is not acknowledged, in its order; at most a page of it. */
  async mailAfter(team: string, member: Name, number: number): Promise<EngineMailPage> {
    const rows = await this.ask<{ number: string; line: string; log: string }>(
      'select number, line, log from teams.mail_after($1, $2, $3, $4)',
      [team, member, number, PAGE],
    );
    return { mail: inOrder(rows, number), log: Number(rows[0]?.log ?? 0) };
  }

  /** The ids of the mail of a member that is not acknowledged. */
  async waitingMail(team: string, member: Name): Promise<Set<string>> {
    const [row] = await this.ask<{ ids: string[] }>('select teams.waiting_mail($1, $2) as ids', [team, member]);
    return new Set(row?.ids);
  }

  /** @returns how many of them were not acknowledged before */
  async acknowledge(team: string, member: Name, by: string, ids: readonly string[]): Promise<number> {
    const [row] = await this.ask<{ done: number }>('select teams.acknowledge($1, $2, $3, $4) as done', [
      team,
      member,
      by,
      ids,
    ]);
    return row?.done ?? 0;
  }

  /** @returns who has the lease now, and whose lease had lapsed if another one's had */
  async takeLease(team: string, name: Name, owner: string, seconds: number): Promise<LeaseTaking> {
    const [row] = await this.ask<{ owner: string; lapsed: string | null }>(
      'select owner, lapsed from teams.take_lease($1, $2, $3, $4)',
      [team, name, owner, seconds],
    );
    return { owner: row?.owner, lapsed: row?.lapsed ?? undefined };
  }

  async leaveLease(team: string, name: Name, owner: string): Promise<void> {
    await this.ask('select teams.leave_lease($1, $2, $3)', [team, name, owner]);
  }

  async leases(team: string): Promise<EngineLease[]> {
    const rows = await this.ask<{ name: string; owner: string; seconds: number }>(
      'select name, owner, seconds from teams.leases($1)',
      [team],
    );
    return rows.flatMap(({ name, ...lease }) => (isMemberName(name) ? [{ name, ...lease }] : []));
  }

  /**
   * @param place where the event log of a source that is new to the store begins
   * @returns how far the log of the source is in the store
   */
  async eventSource(team: string, source: string, place: number): Promise<number> {
    const [row] = await this.ask<{ place: string }>('select teams.event_source($1, $2, $3) as place', [
      team,
      source,
      place,
    ]);
    return Number(row?.place ?? place);
  }

  /** Stores events of a source, which go up to a place of its log. */
  async tellEvents(team: string, source: string, upTo: number, lines: readonly string[]): Promise<void> {
    await this.ask('select teams.tell_events($1, $2, $3, $4)', [team, source, upTo, lines]);
  }

  /** The events of other sources after a number, in their order; at most a page of them. */
  async eventsAfter(team: string, source: string, number: number): Promise<EngineEvent[]> {
    const rows = await this.ask<{ number: string; source: string; line: string }>(
      'select number, source, line from teams.events_after($1, $2, $3, $4)',
      [team, source, number, PAGE],
    );
    return inOrder(rows, number);
  }

  async configuration(team: string): Promise<{ readonly revision: string; readonly body: string } | undefined> {
    return (await this.ask<{ revision: string; body: string }>(READ_DOCUMENT, [team, CONFIG]))[0];
  }

  /** @returns the new revision; undefined if it was changed meanwhile */
  async configure(team: string, revision: string, body: string): Promise<string | undefined> {
    const asked = 'select teams.write_document($1, $2, $3, $4) as revision';
    const [row] = await this.ask<{ revision: string | null }>(asked, [team, CONFIG, revision, body]);
    return row?.revision ?? undefined;
  }

  /** Keeps a text under its hash. */
  async keep(team: string, text: string): Promise<void> {
    await this.ask('select teams.put_artifact($1, $2)', [team, Buffer.from(text)]);
  }

  /** The text that {@link keep} was given; undefined if it has none of this hash. */
  async kept(team: string, hash: string): Promise<string | undefined> {
    const [row] = await this.ask<{ body: Buffer | null }>('select teams.artifact($1, $2) as body', [team, hash]);
    return row?.body?.toString('utf8');
  }
}

/**
 * Rows with their numbers, which follow a number and each other: else the same ones would be read for ever.
 *
 * @throws StoreError `ENGINE_UNFIT`
 */
function inOrder<Row extends { readonly number: string }>(
  rows: readonly Row[],
  after: number,
): (Omit<Row, 'number'> & { readonly number: number })[] {
  let last = after;
  return rows.map((row) => {
    const number = Number(row.number);
    if (!Number.isSafeInteger(number) || number <= last)
      throw new StoreError(
        'ENGINE_UNFIT',
        `The store gave a record the number ${row.number.slice(0, 40)} after ${String(last)}: its tables were changed by another program.`,
      );
    last = number;
    return { ...row, number };
  });
}
