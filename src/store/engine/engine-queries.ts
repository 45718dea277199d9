/** One connection to the engine that is asked one query after the other, and what its refusals mean. */
import type { Client } from 'pg';
import type * as z from 'zod';
import type { EngineAddress } from '../../model/config/engine-address.ts';
import type { Clock } from '../../model/text/clock.ts';
import { codeOf, ConflictError, isTeamError, StoreError, type TeamError } from '../../model/text/errors.ts';
import type { AnswerLimit } from './answer-limit.ts';
import { isReplaced, type EngineConnection, type EngineServer } from './engine-connection.ts';
import { ID_TAKEN_STATE, TEAM_GONE_STATE } from './engine-functions.ts';

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
    values: readonly unknown[],
    row?: z.ZodType<Row>,
    mostBytes = MOST_ANSWER_BYTES,
  ): Promise<Row[]> {
    const over = { isOver: false };
    let late: NodeJS.Timeout | undefined;
    try {
      this.#limit.ask(mostBytes);
      const answer = this.#client.query({ text, values: [...values], ...named(text) });
      const replaced = new Promise<never>((_, reject) => {
        late = setTimeout(() => void this.#untilReplaced(over).then(reject, reject), SILENT_MS);
      });
      const { rows } = await Promise.race([answer, replaced]);
      return row === undefined ? [] : rows.map((one: unknown) => shaped(row, one));
    } catch (error) {
      const refusal = refusalOf(this.#limit.why() ?? error);
      if (refusal !== undefined) throw refusal;
      this.#isLost = true;
      throw new SessionLost('The session with the engine is over.', { cause: error });
    } finally {
      clearTimeout(late);
      over.isOver = true;
    }
  }

  /** @returns when the server was replaced and has not answered a question; never if that question is over */
  async #untilReplaced(question: { readonly isOver: boolean }): Promise<Error> {
    const { address, clock } = this.#by;
    while (!question.isOver) {
      if (await isReplaced(address, clock, this.server)) return new Error('Another server has taken its place.');
      await clock.sleep(SILENT_MS);
    }
    return new Promise(() => {});
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

function shaped<Row>(row: z.ZodType<Row>, value: unknown): Row {
  const parsed = row.safeParse(value);
  if (parsed.success) return parsed.data;
  const place = parsed.error.issues[0]?.path.join('.') ?? '';
  throw new StoreError(
    'ENGINE_UNFIT',
    `The store answered in a shape that teams does not know, at ${place === '' ? 'its top' : place}: its functions were changed, or it is no store of teams.`,
  );
}

/** Of a question that is asked again the server keeps how to answer it. */
function named(text: string): { name?: string } {
  if (!text.startsWith('select ')) return {};
  const name = NAMES.get(text) ?? `teams_${String(NAMES.size)}`;
  NAMES.set(text, name);
  return { name };
}
const NAMES = new Map<string, string>();

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
