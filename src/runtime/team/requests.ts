/**
 * Requests to the lead and their answers (docs/specification.md R2.17). The board's record comes first: it says who
 * waits for what, and lets one answer count. Then the mail carries it. A crash between the two loses no answer: the
 * member that works on the task finds it on the board, and a second answer sends the first again, under its own id.
 */
import { randomBytes } from 'node:crypto';
import { newId } from '../../store/files/new-ids.ts';
import { isReady, type Refused } from '../../model/board/board.ts';
import { codeOf, UsageError } from '../../model/text/errors.ts';
import { BLOB_BYTES, sideOf, type Message, type SendOptions } from '../../model/team/message.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import {
  ANSWER_LIMIT,
  answerId,
  wholePlace,
  type AnsweredRequest,
  type Request,
  type RequestKind,
} from '../../model/board/request.ts';
import type { AllowedAlways } from '../../model/team/team-config.ts';
import { timestamp } from '../../model/text/clock.ts';
import { defined } from '../../model/text/defined.ts';
import { askedText } from '../../policy/asked-text.ts';
import { allowedFor, parsePermissionAnswer, PERMISSION_WORDS } from '../../policy/permission-answer.ts';
import { keptText } from '../../store/board/results.ts';
import { storeBlob } from '../../store/mail/outgoing.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { authorOf, type Speaker } from './authentication.ts';
import { refusalError, wakeFor } from './task-service.ts';

/** Kinds of mail to the lead that are requests. */
const KINDS: ReadonlyMap<string, RequestKind> = new Map([
  ['question', 'question'],
  ['plan_approval_request', 'plan'],
]);

/** A message and its sender. */
interface Said {
  readonly speaker: Speaker;
  readonly to: Name;
  readonly text: string;
  readonly options: SendOptions;
}

/** The message to send; `refusal` is thrown to its sender after it is sent. */
type Registered = Pick<Said, 'text' | 'options'> & { readonly refusal?: Error };

/**
 * Puts a request on the board.
 *
 * @param about a task; a task that the asker has not claimed is left out, and nothing waits for the answer
 * @returns its id, or why it was refused
 */
export async function makeRequest(
  store: TeamStore,
  speaker: Speaker,
  asked: { readonly kind: RequestKind; readonly text: string; readonly about?: string | undefined },
): Promise<{ readonly ok: true; readonly id: string } | Refused> {
  const id = newId(store.clock.now());
  const text = await askedOf(store, asked.text);
  const { outcome } = await store.board.append(authorOf(speaker), (board) => {
    const own = board.busy.get(speaker.name);
    const about = own !== undefined && (asked.about ?? own) === own ? { about: own } : {};
    return { type: 'request.made', request: id, kind: asked.kind, text, ...about };
  });
  return outcome.ok ? { ok: true, id } : outcome;
}

/**
 * A request's text as the board keeps it. One that is longer is kept whole as people may print it.
 *
 * @throws StoreError `ENGINE_UNREACHABLE`
 */
export const askedOf = (store: TeamStore, text: string): Promise<string> =>
  keepingWhole(store, (keep) => askedText(text, keep));

/**
 * Keeps the whole of what a person is asked: on this machine and in the team's store, which gives it to the others.
 *
 * @param shorten makes the text that the board keeps; it gets what keeps the whole one and says where it is
 * @throws StoreError `ENGINE_UNREACHABLE` where the store cannot be asked
 */
export async function keepingWhole(
  store: TeamStore,
  shorten: (keep: (whole: string) => string | undefined) => string,
): Promise<string> {
  const { disk, paths, isShared } = store;
  const wholes: string[] = [];
  const text = shorten((whole) => {
    const kept = keptText(whole);
    if (Buffer.byteLength(kept) > BLOB_BYTES) return undefined;
    wholes.push(kept);
    return wholePlace(paths.name, storeBlob(disk, paths, kept, randomBytes(4).toString('hex')));
  });
  if (isShared) for (const whole of wholes) await store.relay.keep(whole);
  return text;
}

/** Asks for a permission: about the task in progress, if there is one. Whoever asks waits for the answer on the board. */
export async function makePermission(
  store: TeamStore,
  speaker: Speaker,
  asked: { readonly tool: string; readonly hash: string; readonly text: string },
): Promise<{ readonly ok: true; readonly id: string } | Refused> {
  const id = newId(store.clock.now());
  const { outcome } = await store.board.append(authorOf(speaker), (board) => {
    const about = board.busy.get(speaker.name);
    return { type: 'request.made', request: id, kind: 'permission', ...asked, ...defined({ about }) };
  });
  return outcome.ok ? { ok: true, id } : outcome;
}

/**
 * Records what a message does besides being sent: a question to the lead makes a request, and a reply of the lead
 * answers it.
 *
 * @throws UsageError `UNKNOWN_REQUEST`, `POLICY_DENIED`, `USAGE`; ConflictError `FINAL` for a request that is over
 */
export async function registered(store: TeamStore, said: Said): Promise<Registered> {
  const { speaker, to, text, options } = said;
  const { type = 'message', kind, task_id } = options;
  if (sideOf(speaker.name) === 'lead') return to === LEAD ? said : answering(store, said);
  const asks = type === 'message' && to === LEAD ? KINDS.get(kind ?? '') : undefined;
  const isMade = store.board.board.requests.has(options.id ?? '');
  if (asks === undefined || isMade) return said;
  const request = await makeRequest(store, speaker, { kind: asks, text, about: task_id });
  if (!request.ok) throw refusalError(request);
  const { id } = request;
  const about = task_id ?? store.board.board.requests.get(id)?.task;
  return { text, options: { ...options, id, request_id: id, ...defined({ task_id: about }) } };
}

async function answering(store: TeamStore, said: Said): Promise<Registered> {
  const { type = 'message', request_id, reply_to } = said.options;
  const { requests } = store.board.fold();
  const id = request_id ?? (requests.has(reply_to ?? '') ? reply_to : undefined);
  if (type === 'plan_approval_response' && id === undefined)
    throw new UsageError('USAGE', `Which plan of ${said.to}? Give its request_id, or \`teams task approve TASK\`.`);
  if (id === undefined || (type !== 'message' && type !== 'plan_approval_response')) return said;
  try {
    const request = await settle(store, said, id);
    return { text: said.text, options: { ...said.options, ...answerOf(request) } };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    store.events.append({ type: 'request.refused', member: said.speaker.name, text: error.message });
    const request = requests.get(id);
    // The process of the first answer may have died before its mail went out. Send that answer again; its id makes a
    // second copy harmless.
    if (codeOf(error) === 'FINAL' && request?.state === 'answered' && request.kind === 'question')
      return { text: request.answer, options: answerOf(request), refusal: error };
    throw error;
  }
}

/** Records an answer; the first one in the log counts. */
async function settle(store: TeamStore, said: Said, id: string): Promise<AnsweredRequest> {
  requireAnswerable(store, said, id);
  const { speaker, text, options } = said;
  const approve = options.data?.['approve'] === true;
  const body = { type: 'request.answered', request: id, approve, text } as const;
  const { outcome } = await store.board.append(authorOf(speaker), () => body);
  if (!outcome.ok) throw refusalError(outcome);
  const { board } = store.board;
  const request = board.requests.get(id);
  if (request?.state !== 'answered') throw unknownRequest(store, id);
  const task = board.tasks.get(request.task ?? '');
  const ready = task && isReady(board, task) ? [task] : [];
  wakeFor(store, ready, speaker);
  return request;
}

/** @throws UsageError when the message is not an answer to this request */
function requireAnswerable(store: TeamStore, { to, text, options }: Said, id: string): void {
  const { name: team } = store.paths;
  const request = store.board.board.requests.get(id);
  if (request === undefined) throw unknownRequest(store, id);
  if (request.from !== to) throw new UsageError('POLICY_DENIED', `${request.from} asked ${id}, not ${to}.`);
  if (request.kind === 'permission')
    throw new UsageError(
      'POLICY_DENIED',
      `${id} asks a person for a permission: only \`teams answer ${team} ${id} yes\` or a view of a person answers it.`,
    );
  if (request.kind === 'review')
    throw new UsageError(
      'POLICY_DENIED',
      `${id} asks a person to review a change: only \`teams task approve ${team} ${request.task ?? ''}\`, \`refuse\` or a view of a person answers it.`,
    );
  const isPlan = options.type === 'plan_approval_response';
  if (isPlan && request.kind === 'question')
    throw new UsageError('USAGE', `${id} is a question, not a plan: \`teams answer ${team} ${id} TEXT\`.`);
  if (request.kind === 'consensus')
    throw new UsageError(
      'USAGE',
      `${id} is about finished work: \`teams task approve ${team} ${request.task ?? ''}\`, or \`revise\`.`,
    );
  if (!isPlan && request.kind === 'plan')
    throw new UsageError(
      'USAGE',
      `${id} is a plan: \`teams task approve ${team} ${request.task ?? ''}\`, or \`refuse\`.`,
    );
  if (text.length > ANSWER_LIMIT)
    throw new UsageError('USAGE', `An answer has at most ${ANSWER_LIMIT} characters; put the rest into a file.`);
}

const unknownRequest = ({ paths: { name } }: TeamStore, id: string): UsageError =>
  new UsageError(
    'UNKNOWN_REQUEST',
    `There is no request ${JSON.stringify(id)}; \`teams inbox ${name} lead\` lists the requests.`,
  );

/**
 * The member that asked the lead a question.
 *
 * @throws UsageError `UNKNOWN_REQUEST`, `POLICY_DENIED` for a speaker that is not the lead
 */
export function askerOf(store: TeamStore, speaker: Speaker, id: string): Name {
  const request = store.board.fold().requests.get(id);
  if (request === undefined) throw unknownRequest(store, id);
  if (sideOf(speaker.name) === 'lead') return request.from;
  const why = `the lead was asked ${id}, and ${speaker.name} cannot answer it (rule: only the lead answers).`;
  store.events.append({ type: 'request.refused', member: speaker.name, text: why });
  throw new UsageError('POLICY_DENIED', `Not answered: ${why}`);
}

/** The kind of mail that carries the answer to a question. */
const ANSWER = 'answer';

/** The fields of an answer's mail besides its text. */
function answerOf(request: AnsweredRequest): Omit<SendOptions, 'type'> {
  const { id, task, text, approve, from } = request;
  return {
    id: answerId(request),
    request_id: id,
    reply_to: id,
    ...defined({ task_id: task }),
    ...(request.kind === 'plan' ? { data: { approve } } : { kind: ANSWER, data: { question: text, asked_by: from } }),
  };
}

/** An answer in the form of its mail, for the turn that goes on with the task. */
export const answerMail = (request: AnsweredRequest, recipient: Name): Message => ({
  type: 'message',
  sender: LEAD,
  recipient,
  content: request.answer,
  timestamp: Date.parse(request.answeredAt) / 1_000,
  ...answerOf(request),
  id: answerId(request),
});

/**
 * Records a person's answer to a permission, and a permission for always in the team's configuration.
 *
 * @throws UsageError `USAGE` for other words; ConflictError `FINAL` if it is answered or over; StoreError `UNTRUSTED`
 */
export async function answerPermission(
  store: TeamStore,
  speaker: Speaker,
  request: Request,
  text: string,
): Promise<void> {
  const answer = parsePermissionAnswer(text);
  if (answer === undefined)
    throw new UsageError('USAGE', `${request.id} asks for a permission: answer ${PERMISSION_WORDS}.`);
  const { approve, always } = answer;
  const { outcome } = await store.board.append(authorOf(speaker), () => ({
    type: 'request.answered',
    request: request.id,
    approve,
    text,
  }));
  if (!outcome.ok) throw refusalError(outcome);
  store.ring(request.from);
  if (always !== undefined) await allow(store, allowedFor(request, always, timestamp(store.clock.now())));
}

async function allow(store: TeamStore, one: AllowedAlways): Promise<void> {
  store.config.readOwn();
  await store.config.update((config) => {
    if (config === undefined) return { result: undefined };
    const others = (config.allowed ?? []).filter(({ tool, hash }) => tool !== one.tool || hash !== one.hash);
    return { next: { ...config, allowed: [...others, one] }, result: undefined };
  });
}

/**
 * Takes back what was allowed for always.
 *
 * @param number as `teams approvals` lists it, from 1
 * @throws UsageError `USAGE` if there is none
 */
export async function forbidAgain(store: TeamStore, number: number): Promise<AllowedAlways> {
  store.config.readOwn();
  return store.config.update((config) => {
    const removed = config?.allowed?.[number - 1];
    if (config === undefined || removed === undefined)
      throw new UsageError('USAGE', `No permission ${number} is given for always; \`teams approvals\` lists them.`);
    return { next: { ...config, allowed: config.allowed?.filter((one) => one !== removed) }, result: removed };
  });
}
