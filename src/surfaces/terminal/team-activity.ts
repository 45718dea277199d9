/** What the events of a team show: the last words of each member, and its current task with the start time. */
import { isSpeech, type ShownEvent } from '../../app.ts';

export interface CurrentTask {
  readonly id: string;
  readonly subject: string;
  /** Milliseconds of wall time. */
  readonly since: number;
}

export interface TeamActivity {
  readonly words: ReadonlyMap<string, string>;
  readonly work: ReadonlyMap<string, CurrentTask>;
}

export const NOTHING: TeamActivity = { words: new Map(), work: new Map() };

/** The activity after one more event. */
export function withEvent({ words, work }: TeamActivity, event: ShownEvent): TeamActivity {
  const { member, text = '' } = event;
  const said = member !== undefined && isSpeech(event) && text.trim() !== '' ? new Map(words).set(member, text) : words;
  return { words: said, work: workAfter(work, event) };
}

function workAfter(work: TeamActivity['work'], event: ShownEvent): TeamActivity['work'] {
  const task = 'task' in event ? event.task : undefined;
  if (typeof task !== 'object') return work;
  const before = [...work].find(([, { id }]) => id === task.id)?.[0];
  const after = new Map(work);
  if (before !== undefined) after.delete(before);
  if (task.status !== 'in_progress') return after;
  const { id, subject, claim, claimed_at } = task;
  return after.set(claim.member, { id, subject, since: Date.parse(claimed_at) });
}
