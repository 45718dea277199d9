/**
 * Reads the header and the pages of a checkpoint without their schemas, which stay the law (docs/decisions/158): a verb
 * reads a few pages of it once, and to make the schemas took it longer than all of that.
 */
import { CLAIM_MODES, LOG_VERSIONS, PROFILES } from '../../../model/board/event.ts';
import type { Task } from '../../../model/board/task.ts';
import type { TaskCommand, Voucher } from '../../../model/board/vouched-commands.ts';
import { isMemberName, isName, type Name } from '../../../model/text/names.ts';
import {
  bySchema,
  nullable,
  optional,
  plainAmount,
  plainCount,
  plainList,
  plainNumber,
  plainObject,
  plainText,
  plainTuple,
  plainWord,
  type DocumentForm,
  type PlainReader,
} from '../../../model/text/plain-fields.ts';
import {
  CHECKPOINT_FORMAT,
  checkpointSchemas,
  isCommand,
  isOpen,
  isRequest,
  isTask,
  PHASES,
  type CheckpointHeader,
  type CheckpointSchemas,
  type StoredPast,
} from './checkpoint-format.ts';

const plainIf =
  <T>(isIt: (value: unknown) => value is T): PlainReader<T> =>
  (value) =>
    isIt(value) ? value : undefined;

const plainName: PlainReader<Name> = (value) => (typeof value === 'string' && isName(value) ? value : undefined);
const plainMember: PlainReader<Name> = (value) =>
  typeof value === 'string' && isMemberName(value) ? value : undefined;
const plainTexts = plainList(plainText);
const plainCounts = plainList(plainCount);
const textOrNull = nullable(plainText);

const plainHeader = plainObject<CheckpointHeader>({
  format: plainWord(CHECKPOINT_FORMAT),
  log: plainObject<CheckpointHeader['log']>({
    offset: plainCount,
    ino: plainNumber,
    first: plainText,
    last: plainText,
  }),
  team: plainObject<CheckpointHeader['team']>({ id: plainText, name: plainName }),
  version: plainWord(...LOG_VERSIONS),
  profile: plainWord(...PROFILES),
  claimMode: plainWord(...CLAIM_MODES),
  phase: plainWord(...PHASES),
  lead: plainObject<CheckpointHeader['lead']>({ epoch: plainCount, incarnation: textOrNull, since: textOrNull }),
  common: bySchema,
  members: plainList(
    plainObject<CheckpointHeader['members'][number]>({
      name: plainName,
      role: plainName,
      prefixes: plainTexts,
      state: plainWord('joined', 'left'),
      incarnation: textOrNull,
    }),
  ),
  busy: plainList(plainTuple<[Name, string]>(plainMember, plainText)),
  tally: plainObject<CheckpointHeader['tally']>({
    total: plainCount,
    blocked: plainCount,
    pending: plainCount,
    in_progress: plainCount,
    landing: plainCount,
    completed: plainCount,
    failed: plainCount,
    skipped: plainCount,
    cancelled: plainCount,
  }),
  lastTaskId: plainCount,
  lastEvent: plainText,
  lists: plainList(plainTuple<[string, number]>(plainText, plainCount)),
  open: plainList(plainIf(isOpen)),
  sizes: plainObject<CheckpointHeader['sizes']>({
    waiting: plainCount,
    unresolved: plainCount,
    unique: plainCount,
    seen: plainCount,
    requests: plainCount,
    vouchers: plainCount,
  }),
  pages: plainObject<CheckpointHeader['pages']>({
    tasks: plainCount,
    marks: plainCount,
    subjects: plainCount,
    seen: plainCount,
    lists: plainCount,
  }),
});

const plainRow = plainTuple<[Task, string[], number, Name[], number[], number[], number | null]>(
  plainIf(isTask),
  plainTexts,
  plainCount,
  plainList(plainMember),
  plainCounts,
  plainCounts,
  nullable(plainCount),
);

interface StoredVoucher {
  event: string;
  mac?: string | undefined;
  signature?: string | undefined;
  commands: TaskCommand[];
}
const storedVoucher = plainObject<StoredVoucher>({
  event: plainText,
  mac: optional(plainText),
  signature: optional(plainText),
  commands: plainList(plainIf(isCommand)),
});
const plainVoucher: PlainReader<Voucher> = (value) => {
  const stored = storedVoucher(value);
  return stored && { event: stored.event, mac: stored.mac, signature: stored.signature, commands: stored.commands };
};

type Past<Key extends keyof StoredPast> = StoredPast[Key] extends (infer Entry)[] ? Entry : never;
type Trace = StoredPast['trace'];
const time = optional(plainText);

const plainPast = plainObject<StoredPast>({
  members: plainList(
    plainTuple<Past<'members'>>(
      plainMember,
      plainObject<Past<'members'>[1]>({
        spawnedAt: time,
        given: plainCount,
        completed: plainCount,
        failures: plainCount,
        workedMs: plainAmount,
      }),
    ),
  ),
  held: plainList(
    plainTuple<Past<'held'>>(
      plainText,
      plainObject<Past<'held'>[1]>({ member: plainMember, epoch: plainCount, at: plainText }),
    ),
  ),
  unblocked: plainList(
    plainTuple<Past<'unblocked'>>(
      plainText,
      plainObject<Past<'unblocked'>[1]>({ task: plainText, owner: plainMember, blocker: plainText, event: plainText }),
    ),
  ),
  depth: plainAmount,
  trace: plainObject<Trace>({
    members: plainList(
      plainTuple<Trace['members'][number]>(
        plainMember,
        plainObject<Trace['members'][number][1]>({
          joined: time,
          started: time,
          freed: time,
          left: time,
          acted: time,
          records: plainCounts,
          ofProcess: plainCounts,
        }),
      ),
    ),
    opened: time,
    closing: time,
    closed: time,
    paused: time,
    changed: time,
    records: plainCounts,
  }),
  noise: plainList(plainObject<Past<'noise'>>({ at: plainCount, end: plainCount, lines: plainCount, why: plainText })),
});

type Forms = { readonly [Part in keyof CheckpointSchemas]: DocumentForm<CheckpointPart<Part>> };
type CheckpointPart<Part extends keyof CheckpointSchemas> = CheckpointSchemas[Part]['_output'];

/** How each part of a checkpoint is read. */
export const checkpointForms: Forms = {
  header: { schema: () => checkpointSchemas().header, plain: plainHeader },
  rows: { schema: () => checkpointSchemas().rows, plain: plainList(plainRow) },
  marks: {
    schema: () => checkpointSchemas().marks,
    plain: plainList(plainTuple<[string, string]>(plainText, plainText)),
  },
  subjects: {
    schema: () => checkpointSchemas().subjects,
    plain: plainList(plainTuple<[number, string]>(plainCount, plainText)),
  },
  vouchers: {
    schema: () => checkpointSchemas().vouchers,
    plain: plainList(plainTuple<[Voucher, string[]]>(plainVoucher, plainTexts)),
  },
  requests: { schema: () => checkpointSchemas().requests, plain: plainList(plainIf(isRequest)) },
  past: { schema: () => checkpointSchemas().past, plain: plainPast },
};
