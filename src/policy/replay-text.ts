/** The result of a replay in words. */
import type { PlainVerdict } from '../model/team/look-record.ts';
import { decisionText } from './decision.ts';

interface Differing {
  readonly kind: 'look' | 'turn';
  readonly number: number;
  readonly at: string;
  readonly then: readonly PlainVerdict[];
  readonly now: readonly PlainVerdict[];
}

interface Result {
  readonly looks: number;
  readonly turns: number;
  readonly decisions: number;
  readonly differences: number;
  readonly first: Differing | null;
  readonly notRecorded: number;
  readonly notReplayed: number;
  readonly isCut: boolean;
}

export function replayText({ looks, turns, decisions, differences, first, ...left }: Result): string {
  const judged = `${counted(looks, 'look')} and ${counted(turns, 'turn')} with ${counted(decisions, 'decision')} were judged again`;
  return [
    differences === 0 ? `${judged}: all as before.` : `${judged}: ${counted(differences, 'difference')}.`,
    ...(first === null ? [] : firstLines(first)),
    ...(left.notRecorded === 0
      ? []
      : [`Not recorded: ${counted(left.notRecorded, 'look')} at which nothing but time had passed.`]),
    ...(left.notReplayed === 0
      ? []
      : [
          `Not replayed: ${counted(left.notReplayed, 'record')}, damaged, without a beginning, or of a lead that was replaced.`,
        ]),
    ...(left.isCut ? ['The recording ends before the run: it had grown too large.'] : []),
  ].join('\n');
}

/** Only what differs: both may have decided more, in the same way. */
function firstLines({ kind, number, at, then, now }: Differing): string[] {
  const [before, after] = [then.map(keyOf), now.map(keyOf)];
  const gone = then.filter((_, index) => !after.includes(before[index] ?? ''));
  const come = now.filter((_, index) => !before.includes(after[index] ?? ''));
  const isOrder = gone.length === 0 && come.length === 0;
  const texts = (some: readonly PlainVerdict[]): string =>
    some.length === 0 ? 'nothing' : some.map((one) => verdictText(kind, one)).join('; ');
  return [
    `The first: ${kind} ${number}, at ${at}`,
    `  then: ${texts(isOrder ? then : gone)}`,
    `  now:  ${texts(isOrder ? now : come)}`,
  ];
}

const keyOf = (verdict: PlainVerdict): string => JSON.stringify(Object.entries(verdict).sort());

function verdictText(kind: Differing['kind'], verdict: PlainVerdict): string {
  const { do: act, member, task, owner, heir, why } = verdict;
  const text = typeof why === 'string' ? why : undefined;
  if (kind === 'turn')
    return [typeof act === 'string' ? act : 'something', ...(text === undefined ? [] : [text])].join(': ');
  const named = typeof member === 'string' ? member : undefined;
  return `the lead ${decisionText({ act, member: named, task, to: owner ?? heir, text })}`;
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
