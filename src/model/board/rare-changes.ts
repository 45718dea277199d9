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
  type PlainShape,
} from '../text/plain-fields.ts';
import { ULID, type Change } from './event.ts';
import { ANSWER_LIMIT, ASKED_LIMIT, REQUEST_KINDS } from './request.ts';
import { COMMIT } from './shared-commit.ts';
import { BOUNCE_CAUSES, TASK_ID, type Attempt, type TaskResult } from './task.ts';

type PlainChange = (fields: Fields, own: number) => Change | undefined;
type OfType<Type extends Change['type']> = Extract<Change, { type: Type }>;

const plainTaskId = plainTextThat((text) => TASK_ID.test(text));
const plainUlid = plainTextThat((text) => ULID.test(text));
const plainName: PlainReader<Name> = (value) => (typeof value === 'string' && isName(value) ? value : undefined);
const plainMember: PlainReader<Name> = (value) =>
  typeof value === 'string' && isMemberName(value) ? value : undefined;
const plainCommit = plainTextThat((text) => COMMIT.test(text));
const plainHash = plainTextThat((text) => /^[0-9a-f]{64}$/.test(text));
const plainWhy = plainTextOf(4_096);

/** @param fields those that a change of this type has besides */
function ofType<Type extends Change['type']>(
  type: Type,
  fields: Omit<PlainShape<OfType<Type>>, 'type'>,
): readonly [Type, PlainChange];
function ofType(type: string, fields: object): readonly [string, (fields: Fields, own: number) => object | undefined] {
  return [type, plainPart({ type: plainWord(type), ...fields })];
}

/**
 * @param result reads the result of a task
 * @returns by type, what reads a change of it that has so many fields
 */
export function rareChanges(result: PlainReader<TaskResult>): ReadonlyMap<string, PlainChange> {
  const claim = { task: plainTaskId, epoch: plainCount };
  return new Map<string, PlainChange>([
    ofType('task.failed', { ...claim, why: plainWhy, result: optional(result) }),
    ofType('task.submitted', {
      ...claim,
      result,
      attempt: plainObject<Attempt>({ commit: plainCommit, base: plainCommit, bundle: optional(plainHash) }),
    }),
    ofType('task.landed', { ...claim, commit: plainCommit }),
    ofType('task.bounced', {
      ...claim,
      cause: plainWord(...BOUNCE_CAUSES),
      why: plainWhy,
      files: plainList(plainTextOf(4_096), 0, 1_000),
    }),
    ofType('task.retried', { task: plainTaskId, note: optional(plainWhy) }),
    ofType('task.skipped', { task: plainTaskId, cascade: plainFlag, why: plainWhy, because: optional(plainTaskId) }),
    ofType('task.cancelled', { task: plainTaskId, why: plainWhy, waived: optional(plainWord(true)) }),
    ofType('task.assigned', { task: plainTaskId, owner: nullable(plainMember) }),
    ofType('task.blocked', { task: plainTaskId, by: plainTaskId }),
    ofType('task.unblocked', { task: plainTaskId, blocker: plainTaskId }),
    ofType('member.left', { name: plainName, why: plainWhy }),
    ofType('team.paused', {}),
    ofType('team.unpaused', {}),
    ofType('request.made', {
      request: plainUlid,
      kind: plainWord(...REQUEST_KINDS),
      about: optional(plainTaskId),
      text: plainTextOf(ASKED_LIMIT),
      hash: optional(plainHash),
      tool: optional(plainTextOf(200, 1)),
    }),
    ofType('request.withdrawn', { request: plainUlid, why: plainWhy }),
    ofType('request.answered', { request: plainUlid, approve: plainFlag, text: plainTextOf(ANSWER_LIMIT) }),
  ]);
}
