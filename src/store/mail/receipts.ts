/**
 * `<name>_receipts.jsonl`: when mail was acknowledged, and how far the board was then. Only views of the past read it, so
 * a receipt that cannot be written stops nothing: its mail counts as read at an unknown time.
 */
import * as z from 'zod';
import { timestamp } from '../../model/text/clock.ts';
import { isTeamError } from '../../model/text/errors.ts';
import { jsonOf } from '../../model/text/plain-fields.ts';
import { lookAt, type Disk } from '../files/disk.ts';
import { Journal } from '../files/journal.ts';
import type { InboxPaths } from '../files/paths.ts';

const receiptSchema = z.object({
  /** ISO 8601. */
  at: z.string(),
  /** The size of the board's log, in bytes. */
  log: z.number().int().min(0),
  ids: z.array(z.string()),
});

/** When one message was acknowledged. */
export type AcknowledgedAt = Pick<z.infer<typeof receiptSchema>, 'at' | 'log'>;

export class Receipts {
  readonly #disk: Disk;
  readonly #log: string;
  readonly #journal: Journal;

  /** @param log the file of the board's log */
  constructor(disk: Disk, { receipts }: InboxPaths, log: string) {
    this.#disk = disk;
    this.#log = log;
    this.#journal = new Journal(disk, receipts, { create: true });
  }

  /** @param now milliseconds since 1970 */
  append(ids: readonly string[], now: number): void {
    try {
      const log = lookAt(this.#disk, this.#log)?.size ?? 0;
      this.#journal.append({ at: timestamp(now), log, ids });
    } catch (error) {
      if (!isTeamError(error)) throw error;
    }
  }

  close(): void {
    this.#journal.close();
  }
}

/** Message id → when it was acknowledged first, as far as that is recorded and can be read. */
export function receiptsIn(disk: Disk, { receipts }: InboxPaths): Map<string, AcknowledgedAt> {
  const found = new Map<string, AcknowledgedAt>();
  const journal = new Journal(disk, receipts, { create: true });
  try {
    for (const line of journal.read()) {
      const receipt = line.kind === 'text' ? parsed(line.text) : undefined;
      for (const id of receipt?.ids ?? []) if (receipt && !found.has(id)) found.set(id, receipt);
    }
  } catch (error) {
    if (!isTeamError(error)) throw error;
  } finally {
    journal.close();
  }
  return found;
}

const parsed = (text: string): z.infer<typeof receiptSchema> | undefined => receiptSchema.safeParse(jsonOf(text)).data;
