/** The difference of a plan, for a person who is asked about it: `+` comes, `~` changes, `-` goes, `=` stays as it is. */
import type { MemberDifference, PlanDifference, TaskDifference } from './plan-difference.ts';

export function differenceLines({ members, tasks, settings }: PlanDifference): string[] {
  return [
    ...members.map((one) => `${SIGNS[one.kind]} member ${one.name}${memberText(one)}`),
    ...tasks.map((one) => `${SIGNS[one.kind]} task ${'id' in one ? `#${one.id} ` : ''}${one.subject}${taskText(one)}`),
    ...settings.map((key) => `~ ${key}`),
  ];
}

const SIGNS = { added: '+', changed: '~', removed: '-', kept: '=' } as const;

function memberText(one: MemberDifference): string {
  switch (one.kind) {
    case 'added':
      return ` (${one.member.role}${one.member.agent === undefined ? '' : `, ${one.member.agent.kind}`})`;
    case 'changed':
      return `: ${one.what.join(', ')}; its process starts anew after its present task`;
    case 'removed':
      return one.task === undefined ? ': leaves' : `: leaves after its task #${one.task}`;
    case 'kept':
      return `: ${one.why}`;
    default:
      return one satisfies never;
  }
}

function taskText(one: TaskDifference): string {
  switch (one.kind) {
    case 'added':
      return '';
    case 'changed':
      return `: ${[...(one.what.length === 0 ? [] : [one.what.join(', ')]), ...(one.isRetried ? ['it is tried again'] : [])].join('; ')}`;
    case 'removed':
      return one.by === undefined ? '' : `: ${one.by} works on it, and the present attempt is lost`;
    case 'kept':
      return `: ${one.why}`;
    default:
      return one satisfies never;
  }
}

/** `2 to add, 1 to change, 1 to remove; 1 stays as it is.` */
export function differenceSummary({ members, tasks, settings }: PlanDifference): string {
  const all = [...members, ...tasks];
  const count = (kind: keyof typeof SIGNS): number => all.filter((one) => one.kind === kind).length;
  const kept = count('kept');
  const done = `${count('added')} to add, ${count('changed') + settings.length} to change, ${count('removed')} to remove`;
  return `${done}${kept === 0 ? '' : `; ${kept} ${kept === 1 ? 'stays' : 'stay'} as ${kept === 1 ? 'it is' : 'they are'}`}.`;
}

/** What is lost when the plan is carried out: attempts in progress of removed tasks. */
export const lostWork = ({ tasks }: PlanDifference): string[] =>
  tasks.flatMap((one) =>
    one.kind === 'removed' && one.by !== undefined ? [`${one.by}'s attempt at #${one.id} ${one.subject}`] : [],
  );
