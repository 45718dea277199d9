/** The rules of requests: who may ask what, who may answer, and when a request is withdrawn. */
import { incarnationOf, speaker } from './authority.ts';
import { refused, type Board } from './board.ts';
import type { BoardEffect, Ruling } from './board-effect.ts';
import type { Author, Change } from './event.ts';
import { LEAD } from '../text/names.ts';
import { withdrawal, type Request } from './request.ts';

type Made = Change & { type: 'request.made' };
type Withdrawn = Change & { type: 'request.withdrawn' };
type Answered = Change & { type: 'request.answered' };

/** A member may ask, and only about its own task in progress. */
export function ruleRequestMade(
  board: Board,
  { request: id, kind, about, text, hash, tool }: Made,
  author: Author,
  at: string,
): Ruling {
  const from = speaker(author);
  if (from === LEAD) return refused('POLICY_DENIED', 'the lead answers requests and may not make one');
  if (board.requests.has(id)) return refused('DUPLICATE', `request ${id} was already made`);
  if (kind === 'permission' && (board.version === 1 || hash === undefined || tool === undefined))
    return refused(
      'POLICY_DENIED',
      'a permission is asked with its tool and a hash, in a team that a newer program leads',
    );
  const asked = { id, kind, from, text, hash, tool, at, state: 'open' as const };
  if (kind === 'review' && board.version === 1) return refused('POLICY_DENIED', 'a log of version 1 knows no reviews');
  if (about === undefined)
    return kind === 'question' || kind === 'permission'
      ? { requests: [asked] }
      : refused('BAD_REFERENCE', `a ${kind} must name a task that ${from} has claimed`);
  const task = board.tasks.get(about);
  if (!task) return refused('UNKNOWN_TASK', `there is no task #${about}`);
  if (kind === 'review') {
    const isIts = task.status === 'landing' && task.by.member === from && task.by.incarnation === incarnationOf(author);
    return isIts
      ? { requests: [{ ...asked, task: about, epoch: task.claims }] }
      : refused('STALE_CLAIM', `no change of ${from} waits to land for task #${about}`);
  }
  const isOwn = task.status === 'in_progress' && task.claim.member === from;
  if (!isOwn || task.claim.incarnation !== incarnationOf(author))
    return refused('STALE_CLAIM', `task #${about} is not claimed by ${from}`);
  return { requests: [{ ...asked, task: about, epoch: task.claim.epoch }] };
}

/** The first answer counts. An author that is not the lead was refused before: see `authority.ts`. */
export function ruleRequestAnswered(board: Board, { request: id, approve, text }: Answered, at: string): Ruling {
  const request = board.requests.get(id);
  if (!request) return refused('UNKNOWN_REQUEST', `there is no request ${id}`);
  if (request.state === 'answered') return refused('FINAL', `the request ${id} was already answered`);
  if (request.state === 'withdrawn') return refused('FINAL', `the request ${id} was withdrawn: ${request.why}`);
  const { state: _, ...asked } = request;
  return { requests: [{ ...asked, state: 'answered', approve, answer: text, answeredAt: at }] };
}

/** Only the asker may say that it needs no answer any more, and only for a permission. */
export function ruleRequestGivenUp(board: Board, { request: id, why }: Withdrawn, author: Author): Ruling {
  const request = board.requests.get(id);
  if (!request) return refused('UNKNOWN_REQUEST', `there is no request ${id}`);
  if (request.state !== 'open') return refused('FINAL', `the request ${id} is over`);
  if (request.kind !== 'permission' || request.from !== speaker(author))
    return refused('POLICY_DENIED', `only ${request.from} may withdraw ${id}, if it is a permission`);
  const { state: _, ...asked } = request;
  return { requests: [{ ...asked, state: 'withdrawn', why }] };
}

/** The requests that an effect on tasks and members withdraws. */
export function ruleRequestWithdrawn({ open }: Pick<Board, 'open'>, { tasks = [], member }: BoardEffect): Request[] {
  if (open.size === 0 || (tasks.length === 0 && member === undefined)) return [];
  const changed = new Map(tasks.map((task) => [task.id, task]));
  return [...open.values()].flatMap((request): Request[] => {
    const task = request.task === undefined ? undefined : changed.get(request.task);
    // Whatever changes the member itself (another process of it, its leave) ends the call that asked.
    const isCut = request.kind === 'permission' && member?.name === request.from;
    const needsAsker = request.kind !== 'consensus' && request.kind !== 'review';
    const hasLeft = needsAsker && member?.name === request.from && member.state === 'left';
    const why = isCut
      ? `the process of ${request.from} that asked is gone`
      : hasLeft
        ? `${request.from} has left`
        : task && withdrawal(request, task);
    if (why === undefined) return [];
    const { state: _, ...asked } = request;
    return [{ ...asked, state: 'withdrawn', why }];
  });
}
