/**
 * The content of a checkpoint: a header with what every reader needs, and pages with what few need. Tasks lie in the
 * order of their ids; marks, subjects and ids of judged records lie in buckets by their hash.
 */
import * as z from 'zod';
import type { BoardPast } from '../../../model/past/board-past.ts';
import type { NoiseRun } from '../noise.ts';
import { claimModeSchema, profileSchema } from '../../../model/board/event.ts';
import type { OpenRequest, Request } from '../../../model/board/request.ts';
import { sharedCommitSchema } from '../../../model/board/shared-commit.ts';
import { TASK_STATUSES, type Task } from '../../../model/board/task.ts';
import type { TaskCommand, Voucher } from '../../../model/board/vouched-commands.ts';
import { memberSchema, nameSchema } from '../../../model/text/names.ts';

/** Another number for another meaning of pages or of a task's fields; a checkpoint of another number is ignored. */
export const CHECKPOINT_FORMAT = 9;

/** Tasks of a page; a page is the least that is read. */
export const TASKS_A_PAGE = 16;
/** Entries of a bucket, about. */
const ENTRIES_A_BUCKET = 64;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

export const isTask = (value: unknown): value is Task =>
  isObject(value) &&
  'id' in value &&
  typeof value.id === 'string' &&
  'status' in value &&
  TASK_STATUSES.some((status) => status === value.status);

export const isRequest = (value: unknown): value is Request => isObject(value) && 'id' in value && 'state' in value;
export const isOpen = (value: unknown): value is OpenRequest => isRequest(value) && value.state === 'open';

export const isCommand = (value: unknown): value is TaskCommand => isObject(value) && 'task' in value;

export const PHASES = ['open', 'paused', 'closing', 'closed'] as const;

/** All schemas of a checkpoint. They are made for what is not read without them: making them costs a start. */
function makeSchemas() {
  const whole = z.number().int().min(0);
  const counts = { total: whole, blocked: whole, pending: whole, in_progress: whole, landing: whole, completed: whole };

  /** Which log is covered, and how far: the file itself, its first bytes, and the last ones before the offset. */
  const coveredSchema = z.strictObject({ offset: whole, ino: z.number(), first: z.string(), last: z.string() });

  const headerSchema = z.strictObject({
    format: z.literal(CHECKPOINT_FORMAT),
    log: coveredSchema,
    team: z.strictObject({ id: z.string(), name: nameSchema }),
    version: z.literal([1, 2]),
    profile: profileSchema,
    claimMode: claimModeSchema,
    phase: z.enum(PHASES),
    lead: z.strictObject({ epoch: whole, incarnation: z.string().nullable(), since: z.string().nullable() }),
    common: sharedCommitSchema.optional(),
    members: z.array(
      z.strictObject({
        name: nameSchema,
        role: nameSchema,
        prefixes: z.array(z.string()),
        state: z.enum(['joined', 'left']),
        incarnation: z.string().nullable(),
      }),
    ),
    busy: z.array(z.tuple([memberSchema, z.string()])),
    tally: z.strictObject({ ...counts, failed: whole, skipped: whole, cancelled: whole }),
    lastTaskId: whole,
    /** The greatest id of the judged records: a greater one was not judged. */
    lastEvent: z.string(),
    /** The lists of tasks, each with its size; each is a page, in this order. */
    lists: z.array(z.tuple([z.string(), whole])),
    open: z.array(z.custom<OpenRequest>(isOpen)),
    sizes: z.strictObject({
      waiting: whole,
      unresolved: whole,
      unique: whole,
      seen: whole,
      requests: whole,
      vouchers: whole,
    }),
    /**
     * Numbers of pages: of tasks, then buckets of marks, of subjects and of ids, then the lists, then one page of
     * requests, one of vouchers and one of the past.
     */
    pages: z.strictObject({ tasks: whole, marks: whole, subjects: whole, seen: whole, lists: whole }),
  });

  const rowsSchema = z.array(
    z.tuple([
      z.custom<Task>(isTask),
      z.array(z.string()),
      whole,
      z.array(memberSchema),
      z.array(whole),
      z.array(whole),
      whole.nullable(),
    ]),
  );
  const marksSchema = z.array(z.tuple([z.string(), z.string()]));
  /** A hash of a subject, and the id of a task that has it. */
  const subjectsSchema = z.array(z.tuple([whole, z.string()]));
  const voucherSchema = z.strictObject({
    event: z.string(),
    mac: z.string().optional(),
    signature: z.string().optional(),
    commands: z.array(z.custom<TaskCommand>(isCommand)),
  });
  /** A voucher, and the tasks for whose command it is the last one: a later record may have changed others. */
  const vouchersSchema = z.array(
    z.tuple([
      voucherSchema.transform(({ event, mac, signature, commands }): Voucher => ({ event, mac, signature, commands })),
      z.array(z.string()),
    ]),
  );
  const requestsSchema = z.array(z.custom<Request>(isRequest));

  const time = z.string().optional();
  const places = z.array(whole);

  const traceSchema = z.strictObject({
    members: z.array(
      z.tuple([
        memberSchema,
        z.strictObject({
          joined: time,
          started: time,
          freed: time,
          left: time,
          acted: time,
          records: places,
          ofProcess: places,
        }),
      ]),
    ),
    opened: time,
    closing: time,
    closed: time,
    paused: time,
    changed: time,
    records: places,
  });

  /** A board's past without the members of each task, which are in its row. */
  const pastSchema = z.strictObject({
    members: z.array(
      z.tuple([
        memberSchema,
        z.strictObject({
          spawnedAt: z.string().optional(),
          given: whole,
          completed: whole,
          failures: whole,
          workedMs: z.number().min(0),
        }),
      ]),
    ),
    held: z.array(z.tuple([z.string(), z.strictObject({ member: memberSchema, epoch: whole, at: z.string() })])),
    unblocked: z.array(
      z.tuple([
        z.string(),
        z.strictObject({ task: z.string(), owner: memberSchema, blocker: z.string(), event: z.string() }),
      ]),
    ),
    depth: z.number().min(0),
    trace: traceSchema,
    /** Bad lines of the covered part, for the lead that reports them. */
    noise: z.array(z.strictObject({ at: whole, end: whole, lines: whole, why: z.string() })),
  });
  return {
    header: headerSchema,
    rows: rowsSchema,
    marks: marksSchema,
    subjects: subjectsSchema,
    vouchers: vouchersSchema,
    requests: requestsSchema,
    past: pastSchema,
  };
}

export type CheckpointSchemas = ReturnType<typeof makeSchemas>;
export type CheckpointHeader = z.infer<CheckpointSchemas['header']>;
export type Covered = CheckpointHeader['log'];
/** A board's past without the members of each task, which are in its row. */
export type StoredPast = z.infer<CheckpointSchemas['past']>;

let made: CheckpointSchemas | undefined;
export const checkpointSchemas = (): CheckpointSchemas => (made ??= makeSchemas());

export const storedPast = (
  { members, held, unblocked, depth, trace }: BoardPast,
  noise: readonly NoiseRun[],
): StoredPast => ({
  members: [...members],
  held: [...held],
  unblocked: [...unblocked],
  depth,
  trace: Object.assign({}, trace, { members: [...trace.members] }),
  noise: noise.map((run) => Object.assign({}, run)),
});

/** A number of buckets for so many entries: a power of two, so that it seldom changes. */
export const bucketsFor = (entries: number): number =>
  2 ** Math.ceil(Math.log2(Math.max(1, entries / ENTRIES_A_BUCKET)));

/** FNV-1a over UTF-16 units. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

export const pageOf = (id: string): number => Math.floor((Number(id) - 1) / TASKS_A_PAGE);
