/** What an explanation is drawn from: the board, its members as they are seen now, and what the lead was asked. */
import type { Board } from '../model/board.ts';
import { timestamp } from '../model/clock.ts';
import type { Message } from '../model/message.ts';
import { LEAD } from '../model/names.ts';
import { isFinal } from '../model/task.ts';
import type { Facts, MemberFacts, Question } from '../policy/explanation.ts';
import { RESTART_AFTER_MS } from '../policy/restart.ts';
import { pastMail, waitingMail } from '../store/inbox-view.ts';
import type { TeamReader } from '../store/team-reader.ts';
import type { MemberLook, TeamLook } from './status.ts';

export function whyFacts(store: TeamReader, { board, members, lead }: TeamLook, reassignAfterMs: number): Facts {
  const now = store.clock.now();
  return {
    ...{ team: store.paths.name, board, hasLead: lead.alive, reassignAfterMs },
    members: new Map(members.map((member) => [member.status.name, memberFacts(member, board, now)])),
    questions: questionsIn(store, board),
  };
}

function memberFacts({ status, seen, deeds }: MemberLook, board: Board, now: number): MemberFacts {
  const task = board.tasks.get(status.task ?? '');
  const working = task?.status === 'in_progress' ? task.claimed_at : null;
  const silentFor = seen?.progressAge ?? 0;
  const since: Partial<Record<typeof status.state, string | null>> = {
    dead: deeds.death?.at ?? null,
    stopped: deeds.death?.at ?? null,
    quarantined: deeds.quarantinedAt ?? null,
    stalled: timestamp(now - silentFor),
    working,
  };
  const restart = restartIn({ seen, deeds }, now);
  return {
    status,
    since: since[status.state] ?? null,
    unread: status.unread,
    silentFor,
    ...(restart === undefined ? {} : { restartIn: restart }),
  };
}

function restartIn({ seen, deeds }: Pick<MemberLook, 'seen' | 'deeds'>, now: number): number | undefined {
  if (seen?.process !== 'dead' || seen.givenUp || seen.byHand) return undefined;
  const wait = RESTART_AFTER_MS[seen.restarts];
  return wait === undefined ? undefined : wait - (deeds.death ? now - Date.parse(deeds.death.at) : 0);
}

/** What waits in the lead's inbox for an answer, and got none: an answer is mail to the asker that replies to it. */
function questionsIn({ disk, paths }: TeamReader, board: Board): Question[] {
  const asked: Question[] = [];
  for (const mail of waitingMail(disk, paths.inbox(LEAD))) {
    const question = questionOf(mail, board);
    if (question) asked.push(question);
  }
  const answered = new Set<string>();
  for (const name of new Set(asked.map(({ from }) => from)))
    for (const look of [waitingMail, pastMail])
      for (const { reply_to } of look(disk, paths.inbox(name))) if (reply_to !== undefined) answered.add(reply_to);
  return asked.filter(({ id }) => !answered.has(id));
}

function questionOf({ kind, sender, id, timestamp: seconds, task_id }: Message, board: Board): Question | undefined {
  const from = [...board.members.keys()].find((name) => name === sender);
  if (from === undefined || (kind !== 'question' && kind !== 'plan_approval_request')) return undefined;
  const task = board.tasks.get(task_id ?? '');
  if (task && isFinal(task)) return undefined;
  return { kind, from, id, at: timestamp(seconds * 1_000), ...(task ? { task: task.id } : {}) };
}
