/**
 * Pages of records that a store gives. Any role of a store may write a record of any length, and a server may answer
 * anything: what is read is bounded, and is lines.
 */
import * as z from 'zod';
import { StoreError } from '../../model/text/errors.ts';
import { isFields, type DocumentForm } from '../../model/text/plain-fields.ts';
import { LINE_LIMIT } from '../files/lines.ts';

/** Records that one question reads, and bytes after which it reads no other one. */
export const PAGE = 2_000;
const PAGE_BYTES = 16 * 1024 * 1024;
/** Longest record of a log or ledger, and longest text, in bytes: a batch with a whole plan is far below. */
export const MOST_TEXT_BYTES = 32 * 1024 * 1024;

/** A row with its number, which is text where it is a bigint, and the bytes of the page up to it. */
export const pageRow = z.object({ number: z.coerce.string(), line: z.string(), bytes: z.coerce.number() });
type PageRow = z.infer<typeof pageRow>;
export const pageForm: DocumentForm<PageRow> = {
  schema: () => pageRow,
  plain: (row) => {
    if (!isFields(row)) return undefined;
    const { number, line, bytes } = row;
    if (typeof number !== 'string' || typeof line !== 'string' || !isDigits(bytes)) return undefined;
    return { number, line, bytes: Number(bytes) };
  },
};

/** A whole number as pg gives a bigint: as text. */
export const isDigits = (value: unknown): value is string => typeof value === 'string' && /^[0-9]{1,15}$/.test(value);

/**
 * Any role of a store may write a record of any length: one that no program reads as one line of at most `most` bytes
 * reads as a short one that means nothing, the same on every machine.
 */
export const readable = (most: number): string =>
  `case when octet_length(line) between 1 and ${String(most)} and strpos(line, E'\\n') = 0 then line
    else '{"unreadable":' || octet_length(line) || '}' end as line`;

/** @param from a function that gives rows with `number` and `line`, in their order */
export const pageOf = (columns: string, from: string, most: number): string =>
  `select ${columns}, ${readable(most)}, bytes::text from (
    select *, sum(octet_length(line)) over (order by number) as bytes from ${from}
  ) page where bytes - octet_length(line) < ${String(PAGE_BYTES)} order by number`;

/** What one question reads. */
export interface EnginePage<One> {
  readonly found: readonly One[];
  /** There were no others when it was asked. */
  readonly isAll: boolean;
}

/**
 * Rows with their numbers, which follow a number and each other: else the same ones would be read for ever.
 *
 * @throws StoreError `ENGINE_UNFIT`
 */
export function inOrder<Row extends { readonly number: string; readonly line: string }>(
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
    return { ...row, number, line: lineOf(row.line, LINE_LIMIT) };
  });
}

/** Whether no record is left: it was neither the number of records nor their bytes that ended the page. */
export const isAll = (rows: readonly PageRow[]): boolean =>
  rows.length < PAGE && (rows.at(-1)?.bytes ?? 0) < PAGE_BYTES;

/** @throws StoreError `ENGINE_UNFIT` for what an honest server does not give: see {@link readable} */
export function lineOf(text: string, most: number): string {
  if (text !== '' && text.length <= most && !text.includes('\n')) return text;
  throw new StoreError(
    'ENGINE_UNFIT',
    `The store gave a record of ${String(text.length)} characters that is no line of a team: its functions were changed, or it is no store of teams.`,
  );
}

/** @throws StoreError `ENGINE_UNFIT` */
export function requireShort(texts: readonly string[]): void {
  const long = texts.find((text) => Buffer.byteLength(text) > MOST_TEXT_BYTES);
  if (long === undefined) return;
  const size = `${Math.ceil(Buffer.byteLength(long) / 2 ** 20)} MiB`;
  throw new StoreError(
    'ENGINE_UNFIT',
    `A text of ${size} is longer than the ${MOST_TEXT_BYTES / 2 ** 20} MiB that a store takes: make it shorter.`,
  );
}
