/**
 * Reads changes without their schemas of which a log has few. One that is left to the schemas is enough for all of them to
 * be made, which takes a verb longer than the rest of its fold; see `plain-record.ts`.
 */
import { isMemberName, isName, type Name } from '../text/names.ts';
import {
  nullable,
  optional,
  plainCount,
  plainFlag,
  plainList,
  plainObject,
  plainPart,
  plainTextOf,
  plainTextThat,
  plainWord,
  type Fields,
  type PlainReader,
} from '../text/plain-fields.ts';
import { ULID, type Change } from './event.ts';
import { ANSWER_LIMIT, ASKED_LIMIT, REQUEST_KINDS } from './request.ts';
import { COMMIT } from './shared-commit.ts';
import { BOUNCE_CAUSES, TASK_ID, type Attempt, type TaskResult } from './task.ts';

type PlainChange = (fields: Fields, own: number) => Change | undefined;
type OfType<Type extends Change['type']> = Extract<Change, { type: Type }>;

const plainTaskId = plainTextThat((text) => TASK_ID.test(text));
const plainUlid = plainTextThat((text) => ULID.test(text));
const plainMember: PlainReader<Name> = (value) =>
  typeof value === 'string' && isMemberName(value) ? value : undefined;
const plainCommit = plainTextThat((text) => COMMIT.test(text));
const plainHash = plainTextThat((text) => /^[0-9a-f]{64}$/.test(text));
const plainWhy = plainTextOf(4_096);

/**
 * @param result reads the result of a task
 * @returns by type, what reads a change of it that has so many fields
 */
export function rareChanges(result: PlainReader<TaskResult>): ReadonlyMap<string, PlainChange> {
  const claim = { task: plainTaskId, epoch: plainCount };
  return new Map<string, PlainChange>([
    [
      'task.failed',
      plainPart<OfType<'task.failed'>>({
        type: plainWord('task.failed'),
        ...claim,
        why: plainWhy,
        result: optional(result),
      }),
    ],
    [
      'task.submitted',
      plainPart<OfType<'task.submitted'>>({
        type: plainWord('task.submitted'),
        ...claim,
        result,
        attempt: plainObject<Attempt>({ commit: plainCommit, base: plainCommit, bundle: optional(plainHash) }),
      }),
    ],
    [
      'task.landed',
      plainPart<OfType<'task.landed'>>({ type: plainWord('task.landed'), ...claim, commit: plainCommit }),
    ],
    [
      'task.bounced',
      plainPart<OfType<'task.bounced'>>({
        type: plainWord('task.bounced'),
        ...claim,
        cause: plainWord(...BOUNCE_CAUSES),
        why: plainWhy,
        files: plainList(plainTextOf(4_096), 0, 1_000),
      }),
    ],
    [
      'task.retried',
      plainPart<OfType<'task.retried'>>({
        type: plainWord('task.retried'),
        task: plainTaskId,
        note: optional(plainWhy),
      }),
    ],
    [
      'task.skipped',
      plainPart<OfType<'task.skipped'>>({
        type: plainWord('task.skipped'),
        task: plainTaskId,
        cascade: plainFlag,
        why: plainWhy,
        because: optional(plainTaskId),
      }),
    ],
    [
      'task.cancelled',
      plainPart<OfType<'task.cancelled'>>({
        type: plainWord('task.cancelled'),
        task: plainTaskId,
        why: plainWhy,
        waived: optional(plainWord(true)),
      }),
    ],
    [
      'task.assigned',
      plainPart<OfType<'task.assigned'>>({
        type: plainWord('task.assigned'),
        task: plainTaskId,
        owner: nullable(plainMember),
      }),
    ],
    [
      'task.blocked',
      plainPart<OfType<'task.blocked'>>({ type: plainWord('task.blocked'), task: plainTaskId, by: plainTaskId }),
    ],
    [
      'task.unblocked',
      plainPart<OfType<'task.unblocked'>>({
        type: plainWord('task.unblocked'),
        task: plainTaskId,
        blocker: plainTaskId,
      }),
    ],
    [
      'member.left',
      plainPart<OfType<'member.left'>>({
        type: plainWord('member.left'),
        name: (value) => (typeof value === 'string' && isName(value) ? value : undefined),
        why: plainWhy,
      }),
    ],
    ['team.paused', plainPart<OfType<'team.paused'>>({ type: plainWord('team.paused') })],
    ['team.unpaused', plainPart<OfType<'team.unpaused'>>({ type: plainWord('team.unpaused') })],
    [
      'request.made',
      plainPart<OfType<'request.made'>>({
        type: plainWord('request.made'),
        request: plainUlid,
        kind: plainWord(...REQUEST_KINDS),
        about: optional(plainTaskId),
        text: plainTextOf(ASKED_LIMIT),
        hash: optional(plainHash),
        tool: optional(plainTextOf(200, 1)),
      }),
    ],
    [
      'request.withdrawn',
      plainPart<OfType<'request.withdrawn'>>({
        type: plainWord('request.withdrawn'),
        request: plainUlid,
        why: plainWhy,
      }),
    ],
    [
      'request.answered',
      plainPart<OfType<'request.answered'>>({
        type: plainWord('request.answered'),
        request: plainUlid,
        approve: plainFlag,
        text: plainTextOf(ANSWER_LIMIT),
      }),
    ],
  ]);
}
