/** One connection to the engine that is asked one query after the other, and what its refusals mean. */
import type { BindConfig, Client, Connection, Submittable } from 'pg';
import type * as z from 'zod';
import type { EngineAddress } from '../../model/config/engine-address.ts';
import type { Clock } from '../../model/text/clock.ts';
import { codeOf, ConflictError, isTeamError, StoreError, type TeamError } from '../../model/text/errors.ts';
import type { DocumentForm } from '../../model/text/plain-fields.ts';
import type { AnswerLimit } from './answer-limit.ts';
import { isReplaced, type EngineConnection, type EngineServer } from './engine-connection.ts';
import { ID_TAKEN_STATE, TEAM_GONE_STATE } from './functions/engine-functions.ts';

/** After so long without an answer the other addresses are asked whether this server was replaced. */
const SILENT_MS = 1_000;

interface ConnectedBy {
  readonly address: EngineAddress;
  readonly clock: Clock;
}

/** The session is over; what was asked last may have been done. */
export class SessionLost extends Error {}

export class EngineQueries {
  readonly server: EngineServer;
  readonly #client: Client;
  readonly #limit: AnswerLimit;
  readonly #close: () => Promise<void>;
  readonly #by: ConnectedBy;
  /** By the text of a question. */
  readonly #prepared = new Map<string, Prepared>();
  /** What ends a question that has no answer yet. */
  readonly #open = new Set<(why: Error) => void>();
  /** One for all questions: it is set anew for one that is asked while none is open. */
  #late: NodeJS.Timeout | undefined;
  #isLooking = false;
  #isLost = false;

  constructor({ client, limit, server, close }: EngineConnection, by: ConnectedBy) {
    this.#client = client;
    this.#limit = limit;
    this.server = server;
    this.#close = close;
    this.#by = by;
  }

  /** Of a session that is lost nothing is waited for: a server that stands still would never say goodbye. */
  async close(): Promise<void> {
    clearTimeout(this.#late);
    const closed = this.#close().catch(() => {});
    if (!this.#isLost) await closed;
  }

  /**
   * One query, and its rows.
   *
   * @param row their shape; without one nobody reads them
   * @param mostBytes of the answer
   * @throws {@link SessionLost}; StoreError and ConflictError for a refusal of the engine's; StoreError `ENGINE_UNFIT`
   *   for an answer of another shape, or of more bytes
   */
  async ask<Row extends object>(
    text: string,
    values: readonly EngineValue[],
    row?: RowForm<Row>,
    mostBytes = MOST_ANSWER_BYTES,
  ): Promise<Row[]> {
    try {
      this.#limit.ask(mostBytes);
      const rows = await this.#answer(text, values);
      return row === undefined ? [] : rows.map((one) => shaped(row, one));
    } catch (error) {
      const refusal = refusalOf(this.#limit.why() ?? error);
      if (refusal !== undefined) throw refusal;
      this.#isLost = true;
      throw new SessionLost('The session with the engine is over.', { cause: error });
    }
  }

  #answer(text: string, values: readonly EngineValue[]): Promise<readonly unknown[]> {
    return new Promise((resolve, reject) => {
      const end = (why: Error): void => {
        this.#open.delete(end);
        reject(why);
      };
      // Further questions leave it as it is: they must not put off the look for the first one.
      if (this.#open.size === 0)
        this.#late = this.#late?.refresh() ?? setTimeout(() => void this.#lookElsewhere(), SILENT_MS).unref();
      this.#open.add(end);
      const answered = (error: Error | null, rows: readonly unknown[]): void => {
        if (error !== null) return end(error);
        this.#open.delete(end);
        resolve(rows);
      };
      if (text.startsWith('select '))
        this.#client.query(new Question(this.#client, this.#prepared, { text, values, answered }));
      else
        this.#client.query({ text, values: values.map(sentAs) }, (error: Error | null | undefined) =>
          answered(error ?? null, []),
        );
    });
  }

  /** While questions have no answer: whether the server was replaced. Then they are over. */
  async #lookElsewhere(): Promise<void> {
    const { address, clock } = this.#by;
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (this.#open.size > 0) {
      if (await isReplaced(address, clock, this.server))
        for (const end of this.#open) end(new Error('Another server has taken its place.'));
      await clock.sleep(SILENT_MS);
    }
    this.#isLooking = false;
  }

  /**
   * All that `work` asks, or nothing of it.
   *
   * @throws what `work` throws; {@link SessionLost} at the end: then it is unknown which
   */
  async transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.ask('begin', []);
    try {
      const result = await work();
      await this.ask('commit', []);
      return result;
    } catch (error) {
      if (!(error instanceof SessionLost)) await this.ask('rollback', []);
      throw error;
    }
  }
}

/** A page of records, or a text in hexadecimal digits: see `engine-session.ts`. */
const MOST_ANSWER_BYTES = 72 * 1024 * 1024;

/** The shape of a row. */
export type RowForm<Row> = z.ZodType<Row> | DocumentForm<Row>;

function shaped<Row>(row: RowForm<Row>, value: unknown): Row {
  const plain = 'schema' in row ? row.plain?.(value) : undefined;
  if (plain !== undefined) return plain;
  const parsed = ('schema' in row ? row.schema() : row).safeParse(value);
  if (parsed.success) return parsed.data;
  const place = parsed.error.issues[0]?.path.join('.') ?? '';
  throw new StoreError(
    'ENGINE_UNFIT',
    `The store answered in a shape that teams does not know, at ${place === '' ? 'its top' : place}: its functions were changed, or it is no store of teams.`,
  );
}

/** What a question is about. */
export type EngineValue = string | number | boolean | null | Uint8Array | readonly string[];

interface Column {
  readonly name: string;
  readonly read: (text: string) => unknown;
}

/** A question that the server knows, by its name there. */
interface Prepared {
  readonly name: string;
  readonly columns: readonly Column[];
}

/** What pg gives of a row description, and of a row. */
interface Described {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: Parameters<Client['getTypeParser']>[0] }[];
}
interface RowOfTexts {
  readonly fields: readonly (string | null)[];
}

interface Asked {
  readonly text: string;
  readonly values: readonly EngineValue[];
  readonly answered: (error: Error | null, rows: readonly unknown[]) => void;
}

/**
 * One question, as pg passes it on (it calls the methods by their names). The server says once which columns it answers:
 * pg itself has it say so each time, and makes a query and a result for it.
 */
class Question implements Submittable {
  static #names = 0;
  /** pg puts its own in its place, which watches the time. */
  callback: Asked['answered'];
  readonly #client: Client;
  readonly #known: Map<string, Prepared>;
  readonly #asked: Asked;
  #name = '';
  #columns: readonly Column[] = [];
  readonly #rows: unknown[] = [];
  #failure: Error | undefined;

  constructor(client: Client, known: Map<string, Prepared>, asked: Asked) {
    this.#client = client;
    this.#known = known;
    this.#asked = asked;
    this.callback = asked.answered;
  }

  submit(connection: Connection): void {
    const { text, values } = this.#asked;
    const prepared = this.#known.get(text);
    const portal: BindConfig = { portal: '', values: values.map(sentAs), valueMapper: (value: unknown) => value };
    connection.stream.cork();
    if (prepared === undefined) {
      // One that failed before it was known may have left its name behind.
      this.#name = `teams_${String((Question.#names += 1))}`;
      connection.parse({ name: this.#name, text, types: [] }, true);
      connection.bind({ ...portal, statement: this.#name }, true);
      connection.describe({ type: 'P', name: '' }, true);
    } else {
      this.#columns = prepared.columns;
      connection.bind({ ...portal, statement: prepared.name }, true);
    }
    connection.execute({ portal: '' }, true);
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription({ fields }: Described): void {
    this.#columns = fields.map(({ name, dataTypeID }) => {
      const read: unknown = this.#client.getTypeParser(dataTypeID, 'text');
      return { name, read: isReader(read) ? read : String };
    });
    this.#known.set(this.#asked.text, { name: this.#name, columns: this.#columns });
  }

  handleDataRow({ fields }: RowOfTexts): void {
    try {
      const row = this.#columns.map(({ name, read }, at) => [name, readAs(read, fields[at])] as const);
      this.#rows.push(Object.fromEntries(row));
    } catch (error) {
      this.#failure ??= error instanceof Error ? error : new Error(String(error));
    }
  }

  handleError(error: Error): void {
    this.callback(error, []);
  }

  handleReadyForQuery(): void {
    this.callback(this.#failure ?? null, this.#rows);
  }

  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  /** No question of ours copies anything. */
  handleCopyInResponse(connection: Connection): void {
    connection.stream.destroy();
  }
  handleCopyData(): void {}
}

const isReader = (value: unknown): value is Column['read'] => typeof value === 'function';

const readAs = (read: Column['read'], text: string | null | undefined): unknown =>
  text === null || text === undefined ? null : read(text);

/** As text; bytes as they are. */
function sentAs(value: EngineValue): string | Buffer | null {
  if (value === null || typeof value === 'string') return value;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (typeof value !== 'object') return String(value);
  return `{${value.map((one) => `"${one.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`).join(',')}}`;
}

/** A refusal of the engine's; undefined if the session is over. Classes 08, 57 and 58 are about the server itself. */
function refusalOf(error: unknown): TeamError | undefined {
  if (isTeamError(error)) return error;
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
