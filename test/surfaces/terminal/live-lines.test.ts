/** The live view as values: events and member states in, lines out. */
import fc from 'fast-check';
import stringWidth from 'fast-string-width';
import { describe, expect, it } from 'vitest';
import type { ShownEvent } from '../../../src/app.ts';
import { NO_TASKS } from '../../../src/model/board/board.ts';
import { parseName } from '../../../src/model/text/names.ts';
import { clipped, rowsOf } from '../../../src/surfaces/terminal/text-width.ts';
import { withEvent, NOTHING, type TeamActivity } from '../../../src/surfaces/terminal/team-activity.ts';
import { liveLines, type LiveViewInput } from '../../../src/surfaces/terminal/live-lines.ts';

type Member = LiveViewInput['status']['members'][number];

const START = Date.parse('2026-03-01T12:00:00.000Z');
const at = (seconds: number): string => new Date(START + seconds * 1_000).toISOString();
const member = (name: string, more: Partial<Member> = {}): Member => ({
  name: parseName('member', name),
  role: 'executor',
  state: 'idle',
  reason: 'nothing to do',
  pid: 1,
  task: null,
  unread: 0,
  ...more,
});
const seen = (
  members: readonly Member[],
  more: Partial<Omit<LiveViewInput, 'status'>> & { tasks?: Partial<typeof NO_TASKS> | undefined } = {},
): LiveViewInput => {
  const { tasks, ...rest } = more;
  const status = { members, tasks: { ...NO_TASKS, ...tasks } };
  return { status, heard: NOTHING, colors: new Map(), now: START + 65_000, startedAt: START, ...rest };
};
const WIDE = { columns: 100, rows: 24 };

const head = (seconds: number, name = 'ada') => ({ number: 1, at: at(seconds), member: name });
const printed = (text: string, name = 'ada'): ShownEvent => ({ ...head(1, name), type: 'agent.printed', text });
const taskEvent = (
  type: 'task.claimed' | 'task.completed' | 'task.released',
  status: 'in_progress' | 'pending',
  seconds = 0,
): ShownEvent => ({
  ...head(seconds),
  type,
  task: {
    id: '3',
    team: parseName('team', 'login'),
    subject: 'Write tests',
    description: '',
    blockedBy: [],
    attempts: 0,
    work: { verify: [], env: {}, files: [] },
    retries: 0,
    lost: 0,
    claims: 1,
    required: true,
    metadata: {},
    created_at: at(0),
    updated_at: at(0),
    ...(status === 'pending'
      ? { status }
      : { status, claim: { member: parseName('member', 'ada'), incarnation: 'x', epoch: 1 }, claimed_at: at(seconds) }),
  },
});
const heardOf = (...events: ShownEvent[]): TeamActivity => events.reduce(withEvent, NOTHING);

describe('the events of the live view', () => {
  it('the live view keeps the last words of each member', () => {
    const { words } = heardOf(printed('one'), printed('other', 'bob'), printed('two'), printed('  '));
    expect([...words]).toEqual([
      ['ada', 'two'],
      ['bob', 'other'],
    ]);
  });

  it('the live view keeps what each member works on, from its claim to the end of it', () => {
    const claimed = heardOf(taskEvent('task.claimed', 'in_progress', 7));
    expect([...claimed.work]).toEqual([['ada', { id: '3', subject: 'Write tests', since: START + 7_000 }]]);
    expect(withEvent(claimed, taskEvent('task.released', 'pending')).work.size).toBe(0);
  });

  it('a new event does not change the earlier state value', () => {
    heardOf(printed('one'), taskEvent('task.claimed', 'in_progress'));
    expect(NOTHING).toEqual({ words: new Map(), work: new Map() });
  });
});

describe('the live view', () => {
  const working = member('ada', { state: 'working', task: '3' });
  const heard = heardOf(taskEvent('task.claimed', 'in_progress'), printed('12 of 30 pass'));

  it.each<[string, LiveViewInput, string[]]>([
    [
      'a team before its first event',
      seen([member('ada', { state: 'joined' })]),
      ['ada  joined', '[....................] 0/0 done  1m05s'],
    ],
    [
      'what each member works on, since when, and its last words',
      seen([working, member('bo')], { heard, tasks: { total: 12, completed: 5, failed: 1 } }),
      [
        'ada  working  #3 Write tests  1m05s  | 12 of 30 pass',
        'bo   idle',
        '[########............] 5/12 done, 1 failed  1m05s',
      ],
    ],
    [
      'the reason of an unusual state',
      seen([member('ada', { state: 'dead', reason: 'signal SIGKILL; it is started again in 5s' })], {
        tasks: { total: 1, blocked: 1 },
      }),
      ['ada  dead  signal SIGKILL; it is started again in 5s', '[....................] 0/1 done, 1 blocked  1m05s'],
    ],
    [
      'tasks that ended without completion',
      seen([], { tasks: { total: 4, completed: 2, skipped: 1, cancelled: 1 } }),
      ['[####################] 2/4 done, 1 skipped, 1 cancelled  1m05s'],
    ],
  ])('the live view shows %s', (_, view, lines) => {
    expect(liveLines(view, WIDE)).toEqual(lines);
  });

  it('the live view paints each name in its colour', () => {
    const [line] = liveLines(seen([member('ada')], { colors: new Map([['ada', 35]]) }), WIDE);
    expect(line).toBe('\u001b[35mada\u001b[39m  idle');
  });

  it('the live view is safe to show, whatever its texts are', () => {
    const said = heardOf(printed('\u001b]0;title\u0007\u001b[2J\u202ehi\nthere'));
    expect(liveLines(seen([member('ada')], { heard: said }), WIDE)[0]).toBe('ada  idle  | hi there');
  });

  it('the live view counts the members that it has no room for', () => {
    const many = Array.from({ length: 30 }, (_, index) => member(`w-${index}`));
    const lines = liveLines(seen(many), { columns: 80, rows: 10 });
    expect(lines).toHaveLength(9);
    expect(lines.at(-2)).toBe('… and 23 more');
  });

  it('the live view fits into any terminal', () => {
    const word = fc.string({ unit: 'grapheme', maxLength: 60 });
    fc.assert(
      fc.property(
        word,
        fc.integer({ min: 1, max: 120 }),
        fc.integer({ min: 1, max: 40 }),
        fc.nat(12),
        (text, columns, rows, count) => {
          const said = heardOf(taskEvent('task.claimed', 'in_progress'), printed(text));
          const members = Array.from({ length: count }, (_, index) =>
            member(index === 0 ? 'ada' : `w-${index}`, { reason: text }),
          );
          const lines = liveLines(seen(members, { heard: said }), { columns, rows });
          for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
          expect(lines.length).toBeLessThanOrEqual(Math.max(2, rows - 1));
        },
      ),
    );
  });
});

describe('columns', () => {
  it.each([
    ['plain', 5, 'plain'],
    ['plain', 4, 'pla…'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
    ['ab', 1, '…'],
    ['ab', 0, ''],
  ])('columns clip %j to %i', (text, columns, shown) => {
    expect(clipped(text, columns)).toBe(shown);
  });

  it('columns count the lines that wrap', () => {
    expect(rowsOf(['', 'ab', 'abc', '日本', '\u001b[31mab\u001b[39m'], 2)).toBe(1 + 1 + 2 + 2 + 1);
  });
});
