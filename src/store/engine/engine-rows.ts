/** What the engine answers: teams, mail, leases, events; and the shapes of its rows. */
import * as z from 'zod';
import type { Name } from '../../model/text/names.ts';
import { isFields, isList, type DocumentForm } from '../../model/text/plain-fields.ts';
import { isDigits, pageRow } from './engine-pages.ts';

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

/** A message that was notified whole, in the mailbox that a session listens to. */
export interface NotifiedMail extends EngineMail {
  readonly team: string;
  readonly member: Name;
  /** The number of the last record of the log at that moment. */
  readonly log: number;
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

export interface LeaseTaking {
  readonly owner: string | undefined;
  readonly lapsed: string | undefined;
}

/** How far the ledger of the day of a role is. */
export interface SpendingNews {
  /** The date by the store. */
  readonly today: string;
  /** That of its last record, and how many there are on it. */
  readonly day: string;
  readonly last: number;
}

// Made once: to make one takes longer than to read a row by it.
export const aboutRow = z.object({ version: z.number(), own: z.number() });
export const teamRow = z.object({ id: z.string(), name: z.string() });
export const idRow = z.object({ id: z.string() });
export const idsRow = z.object({ ids: z.array(z.string()) });
export const lineRow = z.object({ line: z.string() });
const appendRow = z.object({ news: z.string().nullable() });
/** As the next one: there is one for each record, or message, so they are read without a schema. */
export const appendForm: DocumentForm<z.infer<typeof appendRow>> = {
  schema: () => appendRow,
  plain: (row) => {
    const news = isFields(row) ? row['news'] : undefined;
    return news === null || typeof news === 'string' ? { news } : undefined;
  },
};
/** A name of PostgreSQL that needs no quotes. */
export const channelRow = z.object({
  channel: z
    .string()
    .regex(/^teams_[0-9a-f]{32}$/)
    .nullable(),
});
export const lastRow = z.object({ last: z.coerce.string().nullable() });
const numbersRow = z.object({ numbers: z.array(z.coerce.number()) });
export const numbersForm: DocumentForm<z.infer<typeof numbersRow>> = {
  schema: () => numbersRow,
  plain: (row) => {
    const numbers = isFields(row) ? row['numbers'] : undefined;
    return isList(numbers) && numbers.every(isDigits) ? { numbers: numbers.map(Number) } : undefined;
  },
};
export const doneRow = z.object({ done: z.coerce.number() });
export const takingRow = z.object({ owner: z.string(), lapsed: z.string().nullable() });
export const placeRow = z.object({ place: z.coerce.number() });
export const revisionRow = z.object({ revision: z.coerce.string().nullable() });
export const textRow = z.object({ body: z.instanceof(Buffer) });
/** With the number of the last record of the log at the same moment. */
export const mailRow = pageRow.extend({ log: z.coerce.number() });
export const eventRow = pageRow.extend({ source: z.string() });
export const spendingRow = z.object({
  today: z.iso.date(),
  head_day: z.iso.date(),
  head_last: z.coerce.number(),
  written: z.boolean(),
});
export const documentRow = z.object({ name: z.string(), body: z.string() });
export const configurationRow = z.object({ revision: z.coerce.string(), body: z.string() });
export const leaseRow = z.object({ name: z.string(), owner: z.string(), seconds: z.number() });
export const mailboxRow = z.object({ member: z.string(), last: z.coerce.number(), used: z.coerce.number() });

const NOTIFIED = /^(?<number>[0-9]{1,15}) (?<log>[0-9]{1,15}) (?<line>[^\n\r]+)$/;

/**
 * What `teams.send` notified on the channel of a mailbox.
 *
 * @param said `NUMBER LOG LINE`
 * @returns undefined if it is not that: it is asked for then
 */
export function notifiedMail(said: string): Pick<NotifiedMail, 'number' | 'log' | 'line'> | undefined {
  const { number, log, line } = NOTIFIED.exec(said)?.groups ?? {};
  return line === undefined ? undefined : { number: Number(number), log: Number(log), line };
}
