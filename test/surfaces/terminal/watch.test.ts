/** The watch as values: the effect of a key, the room of each part, and the content of a drawing. */
import { describe, expect, it } from 'vitest';
import { columnsOf, type TeamSnapshot } from '../../../src/app.ts';
import { NOTHING_SPENT } from '../../../src/model/team/spending-sum.ts';
import { problemsOf } from '../../../src/policy/view/team-problems.ts';
import { TeamProjection } from '../../../src/policy/view/team-projection.ts';
import type { MemberState } from '../../../src/model/team/team-config.ts';
import { draw } from '../../../src/surfaces/terminal/watch/draw.ts';
import { Typing } from '../../../src/surfaces/terminal/watch/keys.ts';
import type { StyledLine } from '../../../src/surfaces/terminal/watch/styled-line.ts';
import { pauseAfter } from '../../../src/surfaces/terminal/watch/redraw-pace.ts';
import { allocateLines } from '../../../src/surfaces/terminal/watch/screen-space.ts';
import { rowsOf, dashboardRowsOf } from '../../../src/surfaces/terminal/watch/dashboard-rows.ts';
import {
  FIRST,
  press,
  type Order,
  type Row,
  type State,
} from '../../../src/surfaces/terminal/watch/dashboard-state.ts';
import { PlainStream } from '../../../src/surfaces/terminal/watch/plain-stream.ts';
import stringWidth from 'fast-string-width';
import { name, world, type World } from '../../policy/world.ts';

const HOSTILE = 'Fix\u001b[2J it \u202e\u0007now';

function told(): World {
  const team = world({
    members: ['ada', 'bob'],
    tasks: [{ owner: 'ada', subject: HOSTILE }, { blockedBy: ['1'], subject: 'Test it' }, { owner: 'bob' }],
  });
  team.claim('ada', '1');
  team.note('agent.said', { member: 'ada', text: `thinking ${HOSTILE}` });
  team.claim('bob', '3');
  team.member('bob', { type: 'request.made', request: '1'.repeat(26), kind: 'question', text: 'Which one?' });
  return team;
}

function sightOf({ board, now }: World): TeamSnapshot {
  const of = (member: string, state: MemberState, task: string) => ({
    name: name(member),
    role: 'executor',
    state,
    reason: 'so it is',
    pid: 1,
    task,
    unread: 0,
  });
  const members = [of('ada', 'working', '1'), of('bob', 'waiting', '3')];
  return {
    board,
    members,
    unread: 1,
    outcome: 'running' as const,
    at: now + 61_000,
    lead: { pid: 7, since: null, epoch: 1, alive: true },
    problems: problemsOf({ board, members, hasLead: true }),
    colors: new Map([['ada', 36]]),
  };
}

function screen(team: World, size: { columns: number; rows: number }, state: State = FIRST, lines: string[] = []) {
  const projection = new TeamProjection();
  for (const event of team.shown) projection.add(event);
  const snapshot = sightOf(team);
  const shown = dashboardRowsOf(
    snapshot,
    { columns: columnsOf(team.board), messages: projection.flow.recent },
    state.filter,
  );
  const look = {
    team: 'login',
    snapshot,
    shown,
    words: projection.words,
    spending: NOTHING_SPENT,
    startedAt: team.now,
  };
  const { above, left, right, below } = draw({ ...look, state, lines }, size);
  const texts = (all: readonly StyledLine[]): string[] => all.map((line) => line.map(({ text }) => text).join(''));
  return { all: texts([...above, ...left, ...below]), right: texts(right), rows: rowsOf(shown) };
}

describe('a drawing', () => {
  it('a drawing shows open requests first, then members, board and messages', () => {
    const { all } = screen(told(), { columns: 100, rows: 30 });
    const text = all.join('\n');
    expect(all[0]).toContain('teams login  running; led by pid 7  0/3 done  1m01s');
    expect(all[1]).toBe('PROBLEMS  1');
    expect(all[2]).toContain('> member bob asks: Which one?');
    expect(text).toMatch(/ada {2}working {2}#1 Fix it now {2}1m01s {2}\| thinking Fix it now/);
    expect(text).toMatch(/wait {2}#2 Test it {2}<- #1/);
    expect(text).toMatch(/work {2}#1 Fix it now {2}ada {2}-> #2/);
    expect(text).toMatch(/bob > lead question Which one\?/);
    expect(text).not.toMatch(/[\u0000-\u0008\u001b\u202e]/);
  });

  it.each([
    [20, 5],
    [40, 10],
    [80, 24],
    [119, 12],
    [120, 50],
    [300, 3],
  ])('a drawing fits into %i columns and %i rows, and leaves the last row free', (columns, rows) => {
    const { all, right } = screen(told(), { columns, rows });
    expect(all.length).toBeLessThanOrEqual(Math.max(2, rows - 1));
    for (const line of [...all, ...right]) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
  });

  it('a drawing puts the messages beside the board on a wide screen', () => {
    const { right } = screen(told(), { columns: 140, rows: 30 });
    expect(right[0]).toContain('MESSAGES');
    expect(right[1]).toContain('Which one?');
  });

  it('a drawing shows only what the filter accepts, and scrolls a log from its end', () => {
    expect(screen(told(), { columns: 100, rows: 30 }, { ...FIRST, filter: 'ADA' }).all.join('\n')).not.toContain('bob');
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);
    const log = { ...FIRST, pane: { kind: 'log', member: 'ada' } as const };
    expect(screen(told(), { columns: 80, rows: 10 }, log, lines).all.at(-2)).toContain('line 100');
    expect(screen(told(), { columns: 80, rows: 10 }, { ...log, back: 50 }, lines).all.at(-2)).toContain('line 50');
    expect(screen(told(), { columns: 80, rows: 10 }, { ...log, back: 999 }, lines).all[2]).toContain('line 1');
  });
});

describe('a key', () => {
  const { rows } = screen(told(), { columns: 100, rows: 30 });
  const keys = (text: string, from: State = FIRST, on: readonly Row[] = rows): { state: State; order?: Order } => {
    let at: { state: State; order?: Order } = { state: from };
    for (const one of text)
      at = press(
        at.state,
        one === '\n' ? { kind: 'enter' } : one === '\u001b' ? { kind: 'escape' } : { kind: 'text', text: one },
        on,
      );
    return at;
  };

  it.each<[typed: string, order: Order | undefined]>([
    ['q', { do: 'quit' }],
    ['p', { do: 'plain' }],
    ['ayes\n', { do: 'answer', id: '1'.repeat(26), text: 'yes' }],
    ['jshello there\n', { do: 'send', to: 'ada', text: 'hello there' }],
    ['js\n', undefined],
    ['jsno\u001b', undefined],
    ['r', undefined],
    ['z', undefined],
  ])('the keys %j give the order %o', (typed, order) => {
    expect(keys(typed).order).toEqual(order);
  });

  it('a key opens the log or the inbox of the chosen member, and escape comes back', () => {
    expect(keys('jj\n').state.pane).toEqual({ kind: 'log', member: 'bob' });
    expect(keys('ji').state.pane).toEqual({ kind: 'inbox', member: 'ada' });
    expect(keys('ji\u001b').state.pane).toEqual({ kind: 'team' });
    expect(keys('fbob\n').state.filter).toBe('bob');
    expect(keys('fbob\n\u001b').state.filter).toBe('');
  });

  it('the chosen member stays chosen when a problem appears above it', () => {
    const calm = rows.filter(({ kind: is }) => is === 'member');
    const { state } = keys('j', FIRST, calm);
    expect(keys('i', state, rows).state.pane).toEqual({ kind: 'inbox', member: 'bob' });
  });

  it('keys approve or reject a plan, and have a result without consensus done again', () => {
    const asked = (kind: 'plan' | 'consensus'): Row[] => [
      {
        kind: 'problem',
        problem: {
          kind: 'request',
          subject: 'x',
          text: 'x',
          task: '4',
          request: { id: 'r', kind, from: name('ada'), text: '' },
        },
      },
    ];
    expect(keys('a\n', FIRST, asked('plan')).order).toEqual({ do: 'decide', task: '4', approve: true, text: '' });
    expect(keys('rno\n', FIRST, asked('plan')).order).toEqual({ do: 'decide', task: '4', approve: false, text: 'no' });
    expect(keys('rbetter\n', FIRST, asked('consensus')).order).toEqual({ do: 'revise', task: '4', text: 'better' });
  });
});

describe('room', () => {
  it.each([
    [
      10,
      [
        [2, 3],
        [2, 20],
      ],
      [3, 7],
    ],
    [
      3,
      [
        [2, 5],
        [2, 5],
      ],
      [3, 0],
    ],
    [0, [[2, 5]], [0]],
    [
      30,
      [
        [2, 0],
        [2, 4],
      ],
      [0, 4],
    ],
  ] as const)('the room of %i lines is divided among %o as %o', (lines, wishes, given) => {
    expect(allocateLines(lines, wishes.map(([least, want]) => ({ least, want })))).toEqual(given); // prettier-ignore
  });
});

it('the watch draws at most 20 times a second, less often if drawing is slow, and never shows an old state for long', () => {
  expect(pauseAfter(0)).toBe(50);
  expect(pauseAfter(50)).toBe(250);
  expect(pauseAfter(2_000)).toBe(500);
});

describe('what is typed', () => {
  const NONE = {
    upArrow: false,
    downArrow: false,
    pageUp: false,
    pageDown: false,
    return: false,
    escape: false,
    backspace: false,
    delete: false,
    ctrl: false,
    meta: false,
  };
  const told = (...chunks: string[]): string => {
    const typing = new Typing();
    const keys = chunks.flatMap((chunk) => typing.keys(chunk, NONE));
    return keys.map((key) => (key.kind === 'text' ? key.text : `<${key.kind}>`)).join('');
  };

  it('typed text counts key by key, also when it arrives at once', () => {
    expect(told('Pos', 'tgrex\u007fs\rp')).toBe('Postgrex<erase>s<enter>p');
    expect(told('a\r\nb\n')).toBe('a<enter>b<enter>');
  });

  it('pasted text is one line', () => {
    expect(told('[200~', 'one\r\ntwo\n', '[201~', '\r')).toBe('one two <enter>');
  });
});

describe('the plain stream', () => {
  it('the plain stream prints new events once, a problem when it appears, and counts what it leaves out', () => {
    const team = told();
    const written: string[] = [];
    const stream = new PlainStream((text) => written.push(text));
    const { problems } = sightOf(team);
    stream.add(team.shown);
    stream.problems(problems);
    stream.problems(problems);
    stream.flush();
    expect(written.join('').match(/PROBLEM member bob asks: Which one\?/g)).toHaveLength(1);
    stream.add(Array.from({ length: 5_010 }, () => team.shown[0]).flatMap((event) => event ?? []));
    stream.flush();
    expect(written.at(-1)).toMatch(/^… 10 events were skipped/);
  });
});
