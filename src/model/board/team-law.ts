/**
 * The rules of the team, its lead, its members and their requests: each function judges one kind of change and returns
 * its effect.
 */
import { PERSON } from './authority.ts';
import { refused, type Board } from './board.ts';
import type { Ruling } from './board-effect.ts';
import type { Author, Change } from './event.ts';
import { LEAD, type Name } from '../text/names.ts';
import { ruleRequestAnswered, ruleRequestGivenUp, ruleRequestMade } from './request-law.ts';
import type { Task } from './task.ts';
import { toPending } from './task-value.ts';

type TeamChange = Exclude<Change, { task: string }>;

export function ruleTeam(board: Board, change: TeamChange, author: Author, at: string): Ruling {
  switch (change.type) {
    case 'log.opened':
      if (board.team) return refused('DUPLICATE', 'the log is already open');
      return { header: { team: { id: change.team, name: change.name } } };
    case 'team.opened':
      // If repeated, it reverts a closing that a member refused.
      return { header: { profile: change.profile, claimMode: change.claim, phase: 'open' } };
    case 'team.closing':
      return { header: { phase: 'closing' } };
    case 'team.closed':
      return { header: { phase: 'closed' } };
    case 'team.paused':
      return paused(board);
    case 'team.unpaused':
      return board.phase === 'paused' ? { header: { phase: 'open' } } : refused('DUPLICATE', 'the team is not paused');
    case 'lead.took':
      return lead(board, change.epoch, author, at);
    case 'common.shared':
      return { header: { common: { commit: change.commit, bundle: change.bundle } } };
    case 'member.joined':
      return joined(board, change);
    case 'member.left':
      return left(board, change.name, at);
    case 'member.started':
      return started(board, change, at);
    case 'request.made':
      return ruleRequestMade(board, change, author, at);
    case 'request.withdrawn':
      return ruleRequestGivenUp(board, change, author);
    case 'request.answered':
      return ruleRequestAnswered(board, change, at);
    default:
      return change satisfies never;
  }
}

/** Part of the law since version 2 of the log. */
function paused({ phase, version }: Board): Ruling {
  if (version === 1) return refused('POLICY_DENIED', 'only a team that a newer program made or led can be paused');
  if (phase === 'paused') return refused('DUPLICATE', 'the team is already paused');
  return phase === 'open' ? { header: { phase: 'paused' } } : refused('TEAM_CLOSED', `the team is ${phase}`);
}

/**
 * The election: the first to draw the next epoch is the lead, and a closing team is open again. A paused one stays
 * paused: only a person ends that.
 */
function lead(board: Board, epoch: number, author: Author, at: string): Ruling {
  if (epoch !== board.lead.epoch + 1) return refused('STALE_LEAD', `epoch ${epoch} was taken by another lead`);
  const incarnation = 'lead' in author ? author.lead : null;
  // The former lead's claims are released. A person who works as the lead has no process and keeps its claim.
  const tasks = freed(board, LEAD, at, (life) => life !== PERSON && life !== incarnation);
  const phase = board.phase === 'paused' ? board.phase : 'open';
  return { header: { lead: { epoch, incarnation, since: at }, phase }, tasks };
}

/** A joining member has no incarnation yet, even if it was a member before: its old process may not write. */
function joined(board: Board, { name, role, prefixes }: Change & { type: 'member.joined' }): Ruling {
  if (board.members.get(name)?.state === 'joined') return refused('DUPLICATE', `${name} is already a member`);
  return { member: { name, role, prefixes, state: 'joined', incarnation: null } };
}

function left(board: Board, name: Name, at: string): Ruling {
  const member = board.members.get(name);
  if (member?.state !== 'joined') return refused('UNKNOWN_MEMBER', `${name} is no member`);
  return { member: { ...member, state: 'left', incarnation: null }, tasks: freed(board, name, at) };
}

/** Replaces the incarnation `after`; if two replace the same one, the first in the log wins. */
function started(board: Board, { name, inc, after }: Change & { type: 'member.started' }, at: string): Ruling {
  const member = board.members.get(name);
  if (member?.state !== 'joined') return refused('UNKNOWN_MEMBER', `${name} is no member`);
  if (member.incarnation !== after) return refused('STALE_MEMBER', `another process of ${name} started first`);
  if (inc === after) return refused('DUPLICATE', `this process of ${name} has already started`);
  return { member: { ...member, incarnation: inc }, tasks: freed(board, name, at) };
}

/** The task in progress of a member, as pending again. */
function freed(board: Board, name: Name, at: string, ends: (life: string) => boolean = () => true): Task[] {
  const id = board.busy.get(name);
  const task = id === undefined ? undefined : board.tasks.get(id);
  return task?.status === 'in_progress' && ends(task.claim.incarnation) ? [toPending(task, at)] : [];
}
