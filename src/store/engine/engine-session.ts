/** What a relay asks the engine: one session, which also hears of news. */
import type { Client } from 'pg';
import type { EngineAddress } from '../../model/config/engine-address.ts';
import type { Clock } from '../../model/text/clock.ts';
import { codeOf, ConflictError, StoreError, type TeamError } from '../../model/text/errors.ts';
import { isName, LEAD, type Name } from '../../model/text/names.ts';
import type { SharedTeam } from '../replica/relay-client.ts';
import type { Documents } from '../replica/team-documents.ts';
import { connectEngine, type EngineServer } from './engine-connection.ts';
import { ID_TAKEN_STATE, TEAM_GONE_STATE } from './engine-functions.ts';
import { requireSchema } from './engine-schema.ts';

/** Records that one question reads: fewer are all. */
export const PAGE = 2_000;
/** The document with the team's configuration. */
const CONFIG = 'config';
const READ_DOCUMENT = 'select revision, body from teams.read_document($1, $2)';

/** What has one order for all machines. */
type EngineOrder = 'log' | 'ledger';

export interface EngineTeam {
  readonly id: string;
  readonly name: Name;
}

export interface EngineMailbox {
  readonly member: Name;
  /** How much it ever had, and how much of that is acknowledged. */
  readonly last: number;
  readonly used: number;
}

export interface EngineMail {
  readonly number: number;
  readonly line: string;
}

export interface EngineLease {
  readonly name: Name;
  readonly owner: string;
  /** Until it lapses, by the engine's clock; negative afterwards. */
  readonly seconds: number;
}

/** An event that another machine told. */
export interface EngineEvent {
  readonly number: number;
  readonly source: string;
  readonly line: string;
}

interface LeaseTaking {
  readonly owner: string | undefined;
  readonly lapsed: string | undefined;
}

/** The session is over; what was asked last may have been done. */
export class SessionLost extends Error {}

export class EngineSession {
  readonly server: EngineServer;
  readonly #client: Client;
  readonly #close: () => Promise<void>;
  #isLost = false;

  /**
   * @param onNews called with what others made new, `log` with the id of its team or `news`, and when the session is lost
   * @throws StoreError `ENGINE_UNREACHABLE`, `ENGINE_UNFIT`
   */
  static async open(address: EngineAddress, clock: Clock, onNews: (what: string) => void): Promise<EngineSession> {
    const { client, server, close } = await connectEngine(address, clock);
    const session = new EngineSession(client, server, close);
    try {
      const [about] = await session.#rows<{ version: number; own: number }>(
        'select teams.schema_version() as version, pg_backend_pid() as own',
        [],
      );
      requireSchema(about?.version ?? 0);
      client.on('notification', ({ processId, payload }) => {
        if (processId !== about?.own) onNews(payload ?? '');
      });
      client.on('end', () => onNews(''));
      await session.#rows('listen teams', []);
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  private constructor(client: Client, server: EngineServer, close: () => Promise<void>) {
    this.#client = client;
    this.server = server;
    this.#close = close;
  }

  /** The teams that are not archived. */
  async teams(): Promise<EngineTeam[]> {
    const rows = await this.#rows<{ id: string; name: string }>(
      'select id, name from teams.list_teams() where archived is null order by name',
      [],
    );
    return rows.flatMap(({ id, name }) => (isName(name) ? [{ id, name }] : []));
  }

  /** Nobody writes to it any more; another team may have its name. */
  async archive(team: string): Promise<void> {
    await this.#rows('select teams.archive_team($1)', [team]);
  }

  /** The ids of teams that were archived, or moved to files. */
  async goneTeams(): Promise<Set<string>> {
    const rows = await this.#rows<{ id: string }>('select id from teams.list_teams() where archived is not null', []);
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * Appends records in one transaction.
   *
   * @throws StoreError `TEAM_GONE`, `ENGINE_UNFIT`: none of them was written; {@link SessionLost}
   */
  async append(team: string, lines: readonly string[]): Promise<void> {
    await this.#rows('select teams.append($1, $2)', [team, lines]);
  }

  /** The records of the log, or of the ledger, after a number, in their order; at most a page of them. */
  async after(team: string, number: number, of: EngineOrder = 'log'): Promise<string[]> {
    const rows = await this.#rows<{ number: string; line: string }>(
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
    const rows = await this.#rows<{ line: string }>(`select line from teams.${of}_after($1, $2, 1) where number = $3`, [
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
    const [row] = await this.#rows<{ last: string | null }>('select teams.append_ledger($1, $2, $3) as last', [
      team,
      after,
      lines,
    ]);
    return typeof row?.last === 'string';
  }

  /** What goes with the team: its configuration, and what it had when it came from files. */
  async documents(team: string): Promise<Documents> {
    const rows = await this.#rows<{ name: string; body: string }>('select name, body from teams.documents($1)', [team]);
    return new Map(rows.map(({ name, body }) => [name, body]));
  }

  /**
   * Makes a team with its first records, or nothing.
   *
   * @throws ConflictError `TEAM_EXISTS`; StoreError as {@link append}
   */
  create(name: Name, { id, lines, config }: SharedTeam): Promise<void> {
    return this.transaction(async () => {
      await this.#rows('select teams.create_team($1, $2)', [id, name]);
      await this.append(id, lines);
      await this.#rows('select teams.write_document($1, $2, 0, $3)', [id, CONFIG, config]);
    });
  }

  /**
   * All that `work` asks, or nothing of it.
   *
   * @throws what `work` throws; {@link SessionLost} at the end: then it is unknown which
   */
  async transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#rows('begin', []);
    try {
      const result = await work();
      await this.#rows('commit', []);
      return result;
    } catch (error) {
      if (!(error instanceof SessionLost)) await this.#rows('rollback', []);
      throw error;
    }
  }

  /** Calls a function of the engine for which there is no method here (`engine-moves.ts`). */
  ask<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return this.#rows<Row>(text, values);
  }

  /** Stores mail for a member, in this order; a message that is there already keeps its place. */
  async send(team: string, recipient: Name, lines: readonly string[]): Promise<void> {
    await this.#rows('select teams.send($1, $2, $3)', [team, recipient, lines]);
  }

  async mailboxes(team: string): Promise<EngineMailbox[]> {
    const rows = await this.#rows<{ member: string; last: string; used: string }>(
      'select member, last, used from teams.mailboxes($1)',
      [team],
    );
    return rows.flatMap(({ member, last, used }) =>
      isMemberName(member) ? [{ member, last: Number(last), used: Number(used) }] : [],
    );
  }

  /** The mail of a member after a number that is not acknowledged, in its order; at most a page of it. */
  async mailAfter(team: string, member: Name, number: number): Promise<EngineMail[]> {
    const rows = await this.#rows<{ number: string; line: string }>(
      'select number, line from teams.mail_after($1, $2, $3, $4)',
      [team, member, number, PAGE],
    );
    return rows.map((row) => ({ number: Number(row.number), line: row.line }));
  }

  /** The ids of the mail of a member that is not acknowledged. */
  async waitingMail(team: string, member: Name): Promise<Set<string>> {
    const [row] = await this.#rows<{ ids: string[] }>('select teams.waiting_mail($1, $2) as ids', [team, member]);
    return new Set(row?.ids);
  }

  /** @returns how many of them were not acknowledged before */
  async acknowledge(team: string, member: Name, by: string, ids: readonly string[]): Promise<number> {
    const [row] = await this.#rows<{ done: number }>('select teams.acknowledge($1, $2, $3, $4) as done', [
      team,
      member,
      by,
      ids,
    ]);
    return row?.done ?? 0;
  }

  /** @returns who has the lease now, and whose lease had lapsed if another one's had */
  async takeLease(team: string, name: Name, owner: string, seconds: number): Promise<LeaseTaking> {
    const [row] = await this.#rows<{ owner: string; lapsed: string | null }>(
      'select owner, lapsed from teams.take_lease($1, $2, $3, $4)',
      [team, name, owner, seconds],
    );
    return { owner: row?.owner, lapsed: row?.lapsed ?? undefined };
  }

  async leaveLease(team: string, name: Name, owner: string): Promise<void> {
    await this.#rows('select teams.leave_lease($1, $2, $3)', [team, name, owner]);
  }

  async leases(team: string): Promise<EngineLease[]> {
    const rows = await this.#rows<{ name: string; owner: string; seconds: number }>(
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
    const [row] = await this.#rows<{ place: string }>('select teams.event_source($1, $2, $3) as place', [
      team,
      source,
      place,
    ]);
    return Number(row?.place ?? place);
  }

  /** Stores events of a source, which go up to a place of its log. */
  async tellEvents(team: string, source: string, upTo: number, lines: readonly string[]): Promise<void> {
    await this.#rows('select teams.tell_events($1, $2, $3, $4)', [team, source, upTo, lines]);
  }

  /** The events of other sources after a number, in their order; at most a page of them. */
  async eventsAfter(team: string, source: string, number: number): Promise<EngineEvent[]> {
    const rows = await this.#rows<{ number: string; source: string; line: string }>(
      'select number, source, line from teams.events_after($1, $2, $3, $4)',
      [team, source, number, PAGE],
    );
    return rows.map((row) => ({ ...row, number: Number(row.number) }));
  }

  async configuration(team: string): Promise<{ readonly revision: string; readonly body: string } | undefined> {
    return (await this.#rows<{ revision: string; body: string }>(READ_DOCUMENT, [team, CONFIG]))[0];
  }

  /** @returns the new revision; undefined if it was changed meanwhile */
  async configure(team: string, revision: string, body: string): Promise<string | undefined> {
    const asked = 'select teams.write_document($1, $2, $3, $4) as revision';
    const [row] = await this.#rows<{ revision: string | null }>(asked, [team, CONFIG, revision, body]);
    return row?.revision ?? undefined;
  }

  /** Keeps a text under its hash. */
  async keep(team: string, text: string): Promise<void> {
    await this.#rows('select teams.put_artifact($1, $2)', [team, Buffer.from(text)]);
  }

  /** The text that {@link keep} was given; undefined if it has none of this hash. */
  async kept(team: string, hash: string): Promise<string | undefined> {
    const [row] = await this.#rows<{ body: Buffer | null }>('select teams.artifact($1, $2) as body', [team, hash]);
    return row?.body?.toString('utf8');
  }

  /** Of a session that is lost nothing is waited for: a server that stands still would never say goodbye. */
  async close(): Promise<void> {
    const closed = this.#close().catch(() => {});
    if (!this.#isLost) await closed;
  }

  async #rows<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    try {
      return (await this.#client.query<Row>({ text, values: [...values], ...named(text) })).rows;
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal !== undefined) throw refusal;
      this.#isLost = true;
      throw new SessionLost('The session with the engine is over.', { cause: error });
    }
  }
}

/** Of a question that is asked again the server keeps how to answer it. */
function named(text: string): { name?: string } {
  if (!text.startsWith('select ')) return {};
  const name = NAMES.get(text) ?? `teams_${String(NAMES.size)}`;
  NAMES.set(text, name);
  return { name };
}
const NAMES = new Map<string, string>();

const isMemberName = (text: string): text is Name => text === LEAD || isName(text);

/** A refusal of the engine's; undefined if the session is over. Classes 08, 57 and 58 are about the server itself. */
function refusalOf(error: unknown): TeamError | undefined {
  const code = codeOf(error) ?? '';
  const said = error instanceof Error ? error.message : String(error);
  if (code === TEAM_GONE_STATE) return new StoreError('TEAM_GONE', 'The team was archived in the store.');
  if (code === ID_TAKEN_STATE) return new StoreError('ENGINE_UNFIT', `The store refused a record: ${said}.`);
  if (code === '23505') return new ConflictError('TEAM_EXISTS', 'There is a team of this name in the store already.');
  if (code === '53100') return new StoreError('NO_SPACE', `The disk of the engine is full (${said}).`);
  if (code === '42501') return new StoreError('ENGINE_UNFIT', `The role of this host may not do that: ${said}.`);
  if (!/^[0-9A-Z]{5}$/.test(code) || /^(?:08|57|58|25|XX)/.test(code)) return undefined;
  return new StoreError('ENGINE_UNFIT', `The engine refused: ${said} (${code}).`);
}
