/** The live view as lines: one for each teammate, and the bar of tasks. Pure. */
import { paint, safeLine, duration, type TeamStatus } from '../../app.ts';
import { clipped, padded, widest } from './text-width.ts';
import type { TeamActivity } from './team-activity.ts';

export interface LiveViewInput {
  readonly status: Pick<TeamStatus, 'members' | 'tasks'>;
  readonly heard: TeamActivity;
  /** ANSI colours by member name; empty for a view without colours. */
  readonly colors: ReadonlyMap<string, number>;
  /** Wall time now, and the start of watching, in milliseconds. */
  readonly now: number;
  readonly startedAt: number;
}

interface LiveViewSize {
  readonly columns: number;
  readonly rows: number;
}

type Member = LiveViewInput['status']['members'][number];

const BAR = 20;
const NAME_LIMIT = 20;

/** Never wider or higher than the terminal; members without room are counted. */
export function liveLines(seen: LiveViewInput, { columns, rows }: LiveViewSize): string[] {
  const { members } = seen.status;
  const room = Math.max(1, rows - 2);
  const shown = members.length > room ? members.slice(0, room - 1) : members;
  const names = Math.min(NAME_LIMIT, widest(shown.map(({ name }) => name)));
  const states = widest(shown.map(({ state }) => state));
  const hidden = members.length - shown.length;
  return [
    ...shown.map((member) => memberLine(member, seen, { names, states, columns })),
    ...(hidden > 0 ? [clipped(`… and ${hidden} more`, columns)] : []),
    clipped(barLine(seen), columns),
  ];
}

interface Widths {
  readonly names: number;
  readonly states: number;
  readonly columns: number;
}

function memberLine(member: Member, { heard, colors, now }: LiveViewInput, { names, states, columns }: Widths): string {
  const name = clipped(padded(clipped(safeLine(member.name), names), names), columns);
  const work = heard.work.get(member.name);
  const words = heard.words.get(member.name);
  const parts = [
    padded(member.state, states),
    work === undefined ? '' : `#${work.id} ${safeLine(work.subject)}`,
    work === undefined ? '' : elapsed(now - work.since),
    words === undefined ? reasonOf(member) : `| ${safeLine(words)}`,
  ];
  const rest = clipped(parts.filter((part) => part !== '').join('  '), Math.max(0, columns - widest([name]) - 2));
  const color = colors.get(member.name);
  const line = color === undefined ? name : paint(name, color);
  return rest === '' ? line : `${line}  ${rest}`.trimEnd();
}

/** Empty for a member that works or waits for work; every other state needs its reason. */
const reasonOf = ({ state, reason }: Member): string =>
  state === 'working' || state === 'idle' || state === 'joined' ? '' : safeLine(reason);

function barLine({ status: { tasks }, now, startedAt }: LiveViewInput): string {
  const { total, completed, failed, skipped, cancelled, blocked } = tasks;
  const done = completed + skipped + cancelled;
  const filled = total === 0 ? 0 : Math.floor((done / total) * BAR);
  const counts: readonly (readonly [number, string])[] = [
    [failed, 'failed'],
    [skipped, 'skipped'],
    [cancelled, 'cancelled'],
    [blocked, 'blocked'],
  ];
  const others = counts.flatMap(([count, what]) => (count === 0 ? [] : [`, ${count} ${what}`]));
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}]`;
  return `${bar} ${completed}/${total} done${others.join('')}  ${elapsed(now - startedAt)}`;
}

/** Whole seconds, because the time is redrawn while it runs. */
const elapsed = (ms: number): string => (ms < 1_000 ? '0s' : duration(ms));
