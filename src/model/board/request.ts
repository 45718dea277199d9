/**
 * Requests of members to the lead: a question, the approval of a plan, a decision about a result without consensus, the
 * permission to use a tool, or a person's review of a change.
 * They are on the board, so that they outlive every process. Of two answers the first in the log counts.
 *
 *   open ─answered─→ answered        open ─→ withdrawn: its task ended or moved, or the asking member left
 *
 * A question blocks its task until it is answered, across restarts: meanwhile only the asking member may take the task.
 * A plan belongs to one claim and ends with it. A missing consensus belongs to the claim that completed its task. It
 * blocks the tasks that wait for that task, and nothing else; the asking member may leave. A permission is for one call of
 * one process: it is withdrawn with that call, and never answered by an agent. A review is for one change that waits to
 * land; it keeps nobody from other work, and no agent answers it.
 */
import type { Name } from '../text/names.ts';
import type { LandingTask, Task } from './task.ts';

export const REQUEST_KINDS = ['question', 'plan', 'consensus', 'permission', 'review'] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/** Characters of a request that the board keeps; the whole text is in the mail. */
export const ASKED_LIMIT = 4_096;

/** The file that has a text whole of which the board keeps a part, relative to the root. */
export const wholePlace = (team: Name, hash: string): string => `.teams/${team}/blobs/${hash}`;

const WHOLE = /whole in \.teams\/[^/\s]+\/blobs\/([0-9a-f]{64})/g;

/** The hashes of the whole texts that the text of a request names. */
export const wholesNamedIn = (text: string): string[] => [...text.matchAll(WHOLE)].map(([, hash = '']) => hash);

/** The most characters of an answer. */
export const ANSWER_LIMIT = 65_536;

interface RequestFacts {
  /** Also the id of the request's mail. */
  readonly id: string;
  readonly kind: RequestKind;
  readonly from: Name;
  /** The task of the request, and the epoch of the claim under which it was made. */
  readonly task?: string;
  readonly epoch?: number;
  readonly text: string;
  /** Of a permission: the hash of what is asked, whole, and the tool. */
  readonly hash?: string | undefined;
  readonly tool?: string | undefined;
  readonly at: string;
}

export type OpenRequest = RequestFacts & { readonly state: 'open' };
export type AnsweredRequest = RequestFacts & {
  readonly state: 'answered';
  /** The plan may begin, or the result is accepted; without meaning for a question. */
  readonly approve: boolean;
  readonly answer: string;
  readonly answeredAt: string;
};
export type Request =
  OpenRequest | AnsweredRequest | (RequestFacts & { readonly state: 'withdrawn'; readonly why: string });

export interface Requests {
  readonly requests: ReadonlyMap<string, Request>;
  /** Those of `requests` that have no answer. */
  readonly open: ReadonlyMap<string, OpenRequest>;
}

/** The oldest open question about a task. */
export function questionOn({ open }: Requests, task: string): OpenRequest | undefined {
  if (open.size === 0) return undefined;
  for (const request of open.values()) if (request.task === task && request.kind === 'question') return request;
  return undefined;
}

/** The open consensus request about a task: its dependants wait for the lead's decision. */
export function holdOn({ open }: Requests, task: string): OpenRequest | undefined {
  if (open.size === 0) return undefined;
  for (const request of open.values()) if (request.task === task && request.kind === 'consensus') return request;
  return undefined;
}

/** The request that a member waits for: about its task in progress first, then its oldest. */
export function waitOf({ open }: Requests, name: Name, task?: string): OpenRequest | undefined {
  const own = [...open.values()].filter(({ from, kind }) => from === name && kind !== 'consensus' && kind !== 'review');
  return own.find((request) => task !== undefined && request.task === task) ?? own[0];
}

/** The review of a change that waits to land; undefined if it lands without one. */
export const reviewOf = ({ requests }: Requests, { id, claims }: Pick<LandingTask, 'id' | 'claims'>) =>
  [...requests.values()].findLast(({ kind, task, epoch }) => kind === 'review' && task === id && epoch === claims);

/** The answered questions about a task, in the order in which they were asked. */
export const answersAbout = ({ requests }: Requests, task: string): AnsweredRequest[] =>
  [...requests.values()].filter(
    (request): request is AnsweredRequest =>
      request.state === 'answered' && request.kind === 'question' && request.task === task,
  );

/** The last plan of this member for a task, if it was refused. */
export function refusedPlanOf(
  { requests }: Requests,
  task: string,
  member: Name,
): { readonly text: string; readonly why: string } | undefined {
  const last = [...requests.values()].findLast(
    ({ kind, task: of, from, state }) => kind === 'plan' && of === task && from === member && state === 'answered',
  );
  return last?.state === 'answered' && !last.approve ? { text: last.text, why: last.answer } : undefined;
}

/** The id of the mail with an answer; a repeated message has the same id. */
export const answerId = ({ id, from }: Pick<Request, 'id' | 'from'>): string => `answer:${id}:${from}`;

/** Why a request is withdrawn because of its task; undefined while it stays open. */
export function withdrawal(request: OpenRequest, task: Task): string | undefined {
  const { id, status } = task;
  if (request.kind === 'consensus' && status === 'completed' && task.by.epoch === request.epoch) return undefined;
  if (request.kind === 'review')
    return status === 'landing' && task.claims === request.epoch ? undefined : `its change of task #${id} is over`;
  if (status !== 'pending' && status !== 'in_progress') return `task #${id} is ${status}`;
  if (request.kind !== 'question')
    return status === 'in_progress' && task.claim.epoch === request.epoch
      ? undefined
      : `its claim of task #${id} ended`;
  return status === 'pending' && task.owner !== undefined && task.owner !== request.from
    ? `task #${id} was given to ${task.owner}`
    : undefined;
}

/** Whether the request of a mail was answered or withdrawn. */
export const isOver = ({ requests }: Requests, mailId: string): boolean => {
  const state = requests.get(mailId)?.state;
  return state !== undefined && state !== 'open';
};
