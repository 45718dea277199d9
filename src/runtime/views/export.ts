/**
 * A team's whole run as one value, for a file that outlives the team's folder: report, members, tasks, timeline, mail.
 */
import { timestamp } from '../../model/text/clock.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import type { Message } from '../../model/team/message.ts';
import type { Prices, Spending } from '../../model/team/spending-sum.ts';
import { isInternal, type Task } from '../../model/board/task.ts';
import { cardOf, type Card } from '../../policy/view/board-columns.ts';
import { criticalPath, type CriticalPath } from '../../policy/view/critical-path.ts';
import { workedMs, type ClaimSpan, type Start } from '../../policy/view/claim-spans.ts';
import { TeamProjection } from '../../policy/view/team-projection.ts';
import type { TeamReader } from '../../store/team/team-reader.ts';
import { mailOf } from './follow.ts';
import { reportOf } from './report.ts';
import type { Report, ReportMember } from './report-text.ts';
import { resultOf } from './task-history.ts';
import { goneIn, lookAtTeam } from './status.ts';
import { teamNews } from './team-events.ts';

export interface ExportedTask extends Card {
  readonly description: string;
  readonly workedMs: number;
  readonly spending: Spending | null;
  /** The whole text of its last attempt. */
  readonly result: string | null;
}

export interface ExportedMail {
  readonly id: string;
  readonly at: string;
  readonly from: string;
  readonly to: Name;
  readonly kind: string;
  readonly text: string;
  /** It was never acknowledged. */
  readonly isWaiting: boolean;
}

export interface TeamExport {
  readonly team: Name;
  readonly exportedAt: string;
  readonly report: Report;
  readonly members: readonly (ReportMember & { readonly spending: Spending | null })[];
  readonly tasks: readonly ExportedTask[];
  readonly timeline: {
    readonly from: number;
    readonly to: number;
    readonly spans: readonly ClaimSpan[];
    readonly starts: readonly Start[];
    readonly critical: CriticalPath;
  };
  readonly spending: Spending;
  readonly mail: readonly ExportedMail[];
}

/** @param prices by model; they override the known prices */
export async function exportOf(store: TeamReader, prices: Prices): Promise<TeamExport> {
  const projection = new TeamProjection(prices);
  for await (const events of teamNews(store)) for (const event of events) projection.add(event);
  const report = reportOf(store, { prices });
  const { spending } = projection;
  return {
    team: store.paths.name,
    exportedAt: timestamp(store.clock.now()),
    report,
    spending: spending.total,
    members: report.members.map((one) => ({ ...one, spending: spending.members.get(one.name) ?? null })),
    ...boardOf(store, projection),
    mail: allMail(store),
  };
}

function boardOf(
  store: TeamReader,
  { spans, spending, firstAt, last }: TeamProjection,
): Pick<TeamExport, 'tasks' | 'timeline'> {
  const board = store.board.fold();
  const now = store.clock.now();
  const all = spans.all(board.tasks, goneIn(store, lookAtTeam(store)));
  const worked = workedMs(all, now, spans.lost);
  const isRunning = all.some(({ to }) => to === undefined);
  return {
    tasks: [...board.tasks.values()]
      .filter((task) => !isInternal(task))
      .map((task: Task) => ({
        ...cardOf(board, task),
        description: task.description,
        workedMs: worked.get(task.id) ?? 0,
        result: resultOf(store, task) ?? null,
        spending: spending.tasks.get(task.id) ?? null,
      })),
    timeline: {
      from: firstAt === undefined ? now : Date.parse(firstAt),
      to: isRunning || last === undefined ? now : Date.parse(last.at),
      spans: all,
      starts: spans.starts,
      critical: criticalPath(board.tasks, worked),
    },
  };
}

/** The mail of every inbox, acknowledged and unread, in the order in which it was sent. */
function allMail(store: TeamReader): ExportedMail[] {
  const names = [LEAD, ...store.board.fold().members.keys()];
  const mail = names.flatMap((to) => [
    ...[...mailOf(store, to, { history: true })].map((message) => exported(message, to, false)),
    ...[...mailOf(store, to)].map((message) => exported(message, to, true)),
  ]);
  return mail.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

const exported = ({ id, timestamp: at, sender, kind, type, content }: Message, to: Name, isWaiting: boolean) => ({
  id,
  at: timestamp(at * 1_000),
  from: sender,
  to,
  kind: kind ?? type,
  text: content,
  isWaiting,
});
