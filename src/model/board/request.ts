/**
 * What a member asked the lead: the answer to a question, the approval of a plan, what to do about a result that was not
 * agreed to. It lies on the board, so that it outlives every process, and so that of two answers the first in the log is
 * the only one.
 *
 * open ─answered─→ answered        open ─→ withdrawn: its task ended or went to another, or who asked has left
 *
 * A question holds its task up until it is answered, across restarts: nobody but its asker may take the task meanwhile.
 * A plan is bound to one claim: with the claim it ends.
 * A consensus that was not reached is bound to the claim that completed its task: it holds up whatever waits for the task,
 * and nobody else; its asker may leave.
 */
import type { Name } from '../text/names.ts';
import type { Task } from './task.ts';

export const REQUEST_KINDS = ['question', 'plan', 'consensus'] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/** Characters of a request that the board keeps; the whole text is mail. */
export const ASKED_LIMIT = 4_096;
/** Characters of an answer. */
export const ANSWER_LIMIT = 65_536;

interface RequestFacts {
  /** Also the id of the mail that asks. */
  readonly id: string;
  readonly kind: RequestKind;
  readonly from: Name;
  /** What it is about, with the claim under which it was asked. */
  readonly task?: string;
  readonly epoch?: number;
  readonly text: string;
  readonly at: string;
}

export type OpenRequest = RequestFacts & { readonly state: 'open' };
export type AnsweredRequest = RequestFacts & {
  readonly state: 'answered';
  /** A plan may be begun, a result stands as it is; of no meaning for a question. */
  readonly approve: boolean;
  readonly answer: string;
  readonly answeredAt: string;
};
export type Request =
  OpenRequest | AnsweredRequest | (RequestFacts & { readonly state: 'withdrawn'; readonly why: string });

export interface Requests {
  readonly requests: ReadonlyMap<string, Request>;
  /** Those of `requests` that nobody has answered. */
  readonly open: ReadonlyMap<string, OpenRequest>;
}

/** What a task waits for with a person; the question that was asked first. */
export function questionOn({ open }: Requests, task: string): OpenRequest | undefined {
  if (open.size === 0) return undefined;
  for (const request of open.values()) if (request.task === task && request.kind === 'question') return request;
  return undefined;
}

/** What the lead must say about a task before anything goes on from it. */
export function holdOn({ open }: Requests, task: string): OpenRequest | undefined {
  if (open.size === 0) return undefined;
  for (const request of open.values()) if (request.task === task && request.kind === 'consensus') return request;
  return undefined;
}

/** What a member waits for: about what it works on before all else, then what it asked first. */
export function waitOf({ open }: Requests, name: Name, task?: string): OpenRequest | undefined {
  const own = [...open.values()].filter(({ from, kind }) => from === name && kind !== 'consensus');
  return own.find((request) => task !== undefined && request.task === task) ?? own[0];
}

/** What was asked and answered about a task, in the order of the asking. */
export const answersAbout = ({ requests }: Requests, task: string): AnsweredRequest[] =>
  [...requests.values()].filter(
    (request): request is AnsweredRequest =>
      request.state === 'answered' && request.kind === 'question' && request.task === task,
  );

/** The id of the mail that carries an answer: sent again it is no second one. */
export const answerId = ({ id, from }: Pick<Request, 'id' | 'from'>): string => `answer:${id}:${from}`;

/** Why nobody waits for an answer any more; undefined as long as somebody does. */
export function withdrawal(request: OpenRequest, task: Task): string | undefined {
  const { id, status } = task;
  if (request.kind === 'consensus' && status === 'completed' && task.by.epoch === request.epoch) return undefined;
  if (status !== 'pending' && status !== 'in_progress') return `task #${id} is ${status}`;
  if (request.kind !== 'question')
    return status === 'in_progress' && task.claim.epoch === request.epoch
      ? undefined
      : `its claim of task #${id} ended`;
  return status === 'pending' && task.owner !== undefined && task.owner !== request.from
    ? `task #${id} was given to ${task.owner}`
    : undefined;
}

/** Of mail that asks: it was answered, or nobody waits for an answer any more. */
export const isOver = ({ requests }: Requests, mailId: string): boolean => {
  const state = requests.get(mailId)?.state;
  return state !== undefined && state !== 'open';
};
