/** The watch as values: the effect of a key, the room of each part, and the content of a drawing. */
import { describe, expect, it } from 'vitest';
import { columnsOf, type TeamSnapshot } from '../../../src/app.ts';
import { NOTHING_SPENT } from '../../../src/model/team/spending-sum.ts';
import { problemsOf } from '../../../src/policy/view/team-problems.ts';
import { TeamProjection } from '../../../src/policy/view/team-projection.ts';
import type { MemberState } from '../../../src/model/member/member-status.ts';
import { draw } from '../../../src/surfaces/terminal/watch/draw.ts';
import { seenInRun, type DashboardModel } from '../../../src/surfaces/terminal/watch/dashboard-model.ts';
import { Typing } from '../../../src/surfaces/terminal/watch/keys.ts';
import type { StyledLine } from '../../../src/surfaces/terminal/watch/styled-line.ts';
import { pauseAfter } from '../../../src/surfaces/terminal/watch/redraw-pace.ts';
import { allocateLines } from '../../../src/surfaces/terminal/watch/screen-space.ts';
import { rowsOf, dashboardRowsOf, type Row } from '../../../src/surfaces/terminal/watch/dashboard-rows.ts';
import { FIRST, type Key, type Order, type State } from '../../../src/surfaces/terminal/watch/dashboard-state.ts';
import { NOTHING_SHOWN, press, type Shown } from '../../../src/surfaces/terminal/watch/press.ts';
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

/** Twelve members at work, of whom the last one asks. */
function twelve(): World {
  const names = Array.from({ length: 12 }, (_, nth) => `member${nth + 1}`);
  const tasks = names.map((owner) => ({ owner, subject: `Mend the part of ${owner} in words that are many` }));
  const team = world({ members: names, tasks });
  names.forEach((member, nth) => team.claim(member, String(nth + 1)));
  team.member('member12', { type: 'request.made', request: '1'.repeat(26), kind: 'question', text: 'Which one?' });
  return team;
}

/** Of members that do not work. */
const STATES: Readonly<Record<string, MemberState>> = {
  member12: 'waiting',
  rest1: 'stopped',
  rest2: 'stopped',
  rest3: 'left',
};

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
  const members = board.members.has(name('ada'))
    ? [of('ada', 'working', '1'), of('bob', 'waiting', '3')]
    : [...board.members.keys()].map((member, nth) => of(member, STATES[member] ?? 'working', String(nth + 1)));
  return {
    board,
    members,
    unread: 1,
    outcome: 'running' as const,
    at: now + 61_000,
    lead: { pid: 7, since: null, epoch: 1, alive: true },
    problems: problemsOf({ board, members, hasLead: true }),
    colors: new Map([['ada', 36]]),
    gone: new Map(),
  };
}

function screen(
  team: World,
  size: { columns: number; rows: number },
  state: State = FIRST,
  lines: string[] = [],
  more: Partial<DashboardModel> = {},
) {
  const projection = new TeamProjection();
  for (const event of team.shown) projection.add(event);
  const snapshot = sightOf(team);
  const shown = dashboardRowsOf(
    snapshot,
    { columns: columnsOf(team.board), messages: projection.flow.recent },
    state.filter,
  );
  const rows = rowsOf(shown);
  const look = {
    team: 'login',
    snapshot,
    shown,
    rows,
    words: projection.words,
    worked: new Map(),
    spending: { total: NOTHING_SPENT, members: new Map(), tasks: new Map() },
    startedAt: team.now,
    endedAt: undefined,
    remaining: 40_000,
    isAwaited: false,
    ending: undefined,
    ...more,
  };
  const { above, left, right, below, hits, space } = draw({ ...look, state, lines }, size);
  const texts = (all: readonly StyledLine[]): string[] => all.map((line) => line.map(({ text }) => text).join(''));
  return { all: texts([...above, ...left, ...below]), right: texts(right), rows, hits, space };
}

describe('a drawing', () => {
  it('a drawing shows open requests first, then members, tasks, and what the chosen row is about', () => {
    const { all } = screen(told(), { columns: 98, rows: 36 });
    const text = all.join('\n');
    expect(all[0]).toContain('login  running  [............]  0/3 done  1 waits for you  1m01s, ~40s left');
    expect(all[1]).toBe('NEEDS YOU  1');
    expect(all[2]).toContain('> ? bob 1m01s asks: Which one?');
    expect(text).toMatch(/ada {2}working {2}1m01s {2}#1 Fix it now {2}\| thinking Fix it now/);
    expect(text).toMatch(/wait {2}#2 Test it {2}<- #1/);
    expect(text).toMatch(/work {2}#1 Fix it now {2}ada {2}1m01s {2}-> #2/);
    expect(text).toMatch(/QUESTION of bob {2}a: answer\nWhich one\?/);
    expect(text).not.toMatch(/[\u0000-\u0008\u001b\u202e]/);
  });

  it('says what is not read yet, and nothing in its place', () => {
    const more = { startedAt: undefined, remaining: undefined, isAwaited: true };
    const { all, right } = screen(told(), { columns: 140, rows: 36 }, FIRST, [], more);
    expect(all[0]).toContain('1 waits for you  reading the events…');
    expect(all[0]).not.toMatch(/\d+s/);
    expect(right).toContain('  reading…');
  });

  it.each([
    [FIRST, '  nothing printed yet'],
    [{ ...FIRST, pane: { kind: 'inbox', member: 'ada' } } as const, '  no mail waits'],
  ])('says what is empty', (state, text) => {
    const { all, right } = screen(told(), { columns: 140, rows: 36 }, state);
    expect([...all, ...right]).toContain(text);
  });

  it('a task is held until its member was heard last, if the process of that member is gone', () => {
    const team = told();
    const snapshot = { ...sightOf(team), gone: new Map([['ada', team.now + 5_000]]) };
    const { all, right } = screen(team, { columns: 140, rows: 36 }, FIRST, [], { snapshot });
    expect([...all, ...right].join('\n')).toMatch(/work {2}#1 Fix it now {2}ada {2}5s/);
  });

  it('a skipped task names its cause', () => {
    const team = told();
    team.member('ada', { type: 'task.failed', task: '1', epoch: 1, why: 'exit 3' });
    team.person({ type: 'task.skipped', task: '2', cascade: true, why: 'blocker #1 failed', because: '1' });
    const { all } = screen(team, { columns: 120, rows: 40 });
    expect(all.find((line) => line.includes('skip  #'))).toMatch(/skip {2}#2 Test it {2}blocker #1 failed/);
  });

  it('a narrow and low screen still says what matters', () => {
    const { all } = screen(told(), { columns: 60, rows: 12 });
    expect(all[0]).toBe('login  running  0/3 done  1 waits for you  1m01s, ~40s left');
    expect(all[2]).toContain('? bob 1m01s asks: Which one?');
    expect(all.at(-1)).toMatch(/^a answer {2}.*\? help {2}q quit$/);
  });

  it('the footer has only whole keys that do something now', () => {
    const { rows } = screen(told(), { columns: 100, rows: 30 });
    for (let columns = 20; columns < 140; columns += 1) {
      const footer = screen(told(), { columns, rows: 30 }).all.at(-1) ?? '';
      expect(footer.endsWith('? help  q quit')).toBe(true);
    }
    const task = rows.find(({ kind }) => kind === 'task');
    const chosen = { ...FIRST, selected: task?.kind === 'task' ? `task ${task.card.id}` : '' };
    expect(screen(told(), { columns: 120, rows: 30 }, chosen).all.at(-1)).toContain('x skip  d diff');
  });

  it('the cost is unknown and not 0 where no price is known', () => {
    const spent = (usd: number, unpriced: string[]) => {
      const total = { ...NOTHING_SPENT, tokens: 500, usd, unpriced };
      const spending = { total, members: new Map(), tasks: new Map() };
      return screen(told(), { columns: 200, rows: 30 }, FIRST, [], { spending }).all[0] ?? '';
    };
    expect(spent(0, ['m'])).toMatch(/cost unknown {2}500 tokens/);
    expect(spent(0.125, [])).toMatch(/\$0\.13 {2}500 tokens/);
    expect(spent(0.125, ['m'])).toMatch(/\$0\.13 \+ unknown/);
    expect(screen(told(), { columns: 200, rows: 30 }).all[0]).not.toMatch(/cost|\$/);
  });

  it('the clock of an ended run stands still', () => {
    const team = told();
    const { all } = screen(team, { columns: 100, rows: 30 }, FIRST, [], { endedAt: team.now + 5_000 });
    expect(all[0]).toContain('  5s');
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

  it('a wide screen has list and output side by side, a high one also the messages', () => {
    const chosen = { ...FIRST, selected: 'member ada' };
    const { right, hits } = screen(told(), { columns: 140, rows: 40 }, chosen, ['one', 'two']);
    expect(right[0]).toContain('OUTPUT of ada');
    expect(right[1]).toContain('#1 Fix it now');
    expect(right.slice(2, 4)).toEqual(['one', 'two']);
    expect(right.join('\n')).toMatch(/MESSAGES {2}1 unread for the lead\n.*Which one\?/);
    expect(hits.findIndex((line) => line.some(({ key }) => key === 'member ada'))).toBeGreaterThan(1);
  });

  it.for([
    [80, 24],
    [60, 12],
    [140, 24],
  ] as const)('twelve members, their tasks and the question of one are all on %i by %i', ([columns, rows]) => {
    const { all } = screen(twelve(), { columns, rows });
    const text = all.join('\n');
    expect(text).toContain('1 waits for you');
    expect(text).toContain('asks: Which one?');
    expect(text).toContain('MEMBERS  11 of 12 working');
    for (let nth = 1; nth < 12; nth += 1) expect(text).toMatch(new RegExp(`member${nth} +1m01s  #${nth} Mend`));
    expect(text).toMatch(/member12 {2}waiting/);
    for (const line of all) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
  });

  it('two members in a line are chosen each by a click, and the choice goes down first', () => {
    const { hits, rows, all } = screen(twelve(), { columns: 80, rows: 24 });
    const y = all.findIndex((line) => line.includes('member2 '));
    expect(all[y]).toMatch(/member2 .*member8 /);
    const places = hits[y] ?? [];
    expect(places.map(({ key }) => key)).toEqual(['member member2', 'member member8']);
    expect(all[y]?.indexOf('member8')).toBe((places[1]?.from ?? 0) + 2);
    const chosen = { ...FIRST, selected: 'member member1' };
    const { state } = press(chosen, { kind: 'down' }, { ...NOTHING_SHOWN, rows });
    expect(state.selected).toBe('member member2');
  });

  it('the view of a run does not say that it has no lead, while the lead begins anew after a retry', () => {
    const about = { kind: 'leaderless' as const, subject: 'team', text: 'it has no lead' };
    const snapshot = sightOf(twelve());
    const { problems } = seenInRun({ ...snapshot, problems: [...snapshot.problems, about] });
    expect(problems).toEqual(snapshot.problems);
  });

  it('on a low screen the tasks come back when one is chosen', () => {
    const size = { columns: 60, rows: 12 };
    expect(screen(twelve(), size).all.join('\n')).not.toContain('TASKS');
    const { all } = screen(twelve(), size, { ...FIRST, selected: 'task 7' });
    expect(all.find((line) => line.startsWith('> '))).toContain('#7 Mend the part of member7');
  });

  it('on a low screen members at rest take no lines from the tasks, and come when one is chosen', () => {
    const members = ['rest1', 'rest2', 'rest3'];
    const tasks = Array.from({ length: 12 }, (_, nth) => ({ subject: `Task ${nth + 1}` }));
    const team = world({ members, tasks });
    const size = { columns: 60, rows: 12 };
    const { all, rows } = screen(team, size, { ...FIRST, selected: 'task 1' });
    expect(all.filter((line) => /^> |^ {2}(?:ready|wait)/.test(line))).toHaveLength(7);
    expect(all.find((line) => line.startsWith('MEMBERS'))).toBe('MEMBERS  0 of 3 working');
    const { state } = press(FIRST, { kind: 'tab' }, { ...NOTHING_SHOWN, rows });
    expect(state.selected).toBe('task 1');
    // The failure that was chosen is retried: its task stays chosen.
    const gone = screen(team, size, { ...FIRST, selected: 'failed task #7 0' });
    expect(gone.all.find((line) => line.startsWith('> '))).toContain('#7 Task 7');
    const chosen = screen(team, size, { ...FIRST, selected: 'member rest3' });
    expect(chosen.all.find((line) => line.includes('rest3'))).toContain('> rest3');
  });

  it('a drawing shows only what the filter accepts', () => {
    const { all } = screen(told(), { columns: 98, rows: 30 }, { ...FIRST, filter: 'ADA' });
    expect(all.join('\n')).not.toContain('bob');
    expect(all.join('\n')).toContain('only with "ADA"');
  });

  it('an output is shown at its end, or further back, long lines wrapped and matches marked', () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);
    const of = { kind: 'member', member: 'ada' } as const;
    const whole: State = { ...FIRST, pane: { kind: 'output', of } };
    const at = (state: State, all = lines) => screen(told(), { columns: 80, rows: 10 }, state, all).all;
    expect(at(whole).at(-2)).toBe('line 100');
    expect(at({ ...whole, back: 50 }).at(-2)).toBe('line 50');
    expect(at({ ...whole, back: 999 }).join('\n')).toContain('line 1\n');
    expect(at(whole, ['a'.repeat(200)]).join('')).toContain('a'.repeat(80));
    expect(at(whole, ['a'.repeat(200)]).slice(3, 6)).toEqual(['a'.repeat(80), 'a'.repeat(80), 'a'.repeat(40)]);
  });
});

describe('a key', () => {
  const { rows } = screen(told(), { columns: 100, rows: 30 });
  const keyOf = (one: string): Key =>
    one === '\n'
      ? { kind: 'enter' }
      : one === '\u001b'
        ? { kind: 'escape' }
        : one === '\t'
          ? { kind: 'tab' }
          : { kind: 'text', text: one };
  const pressed = (all: readonly Key[], from: State, shown: Shown): { state: State; order?: Order | undefined } => {
    let at: { state: State; order?: Order | undefined } = { state: from };
    for (const key of all) at = press(at.state, key, shown);
    return at;
  };
  const keys = (text: string, from: State = FIRST, on: readonly Row[] = rows) =>
    pressed(Array.from(text, keyOf), from, { ...NOTHING_SHOWN, rows: on });

  it.each<[typed: string, order: Order | undefined]>([
    ['q', { do: 'quit' }],
    ['p', { do: 'plain' }],
    ['ayes\n', { do: 'answer', id: '1'.repeat(26), text: 'yes' }],
    ['jshello there\n', { do: 'send', to: 'ada', text: 'hello there' }],
    ['js\n', undefined],
    ['jsno\u001b', undefined],
    ['r', undefined],
    ['z', undefined],
    ['R', { do: 'retryAll' }],
    ['P', { do: 'pause' }],
    ['\t\tr', { do: 'retry', task: '1' }],
    ['\t\txy\n', { do: 'skip', task: '1' }],
    ['\t\txn\n', undefined],
    ['jxyes\n', { do: 'stop', member: 'ada' }],
    ['y', { do: 'copy' }],
  ])('the keys %j give the order %o', (typed, order) => {
    expect(keys(typed).order).toEqual(order);
  });

  it('a key opens the log or the inbox of the chosen member, and escape comes back', () => {
    expect(keys('jj\n').state.pane).toEqual({ kind: 'output', of: { kind: 'member', member: 'bob' } });
    expect(keys('\t\t\n').state.pane).toEqual({ kind: 'output', of: { kind: 'task', task: '1' } });
    expect(keys('\t\td').state.pane).toEqual({ kind: 'diff', task: '1' });
    expect(keys('jw').state.pane).toEqual({ kind: 'why', task: undefined });
    expect(keys('jwq').state.pane).toEqual({ kind: 'team' });
    expect(keys('ji').state.pane).toEqual({ kind: 'inbox', member: 'ada' });
    expect(keys('ji\u001b').state.pane).toEqual({ kind: 'team' });
    expect(keys('fbob\n').state.filter).toBe('bob');
    expect(keys('fbob\n\u001b').state.filter).toBe('');
  });

  it.each([0, 3, 9, 10, 11, 40])(
    'a reason or a change is read from its beginning, and each row of %s long lines can be scrolled to',
    (count) => {
      // Each line takes one to four rows.
      const lines = Array.from({ length: count }, (_, at) =>
        Array.from({ length: 1 + (at % 4) * 9 }, (__, word) => `${at}.${word}`).join(' '),
      );
      const size = { columns: 40, rows: 12 };
      let state: State = press(FIRST, keyOf('w'), NOTHING_SHOWN).state;
      const drawn = () => screen(told(), size, state, lines);
      const seen = drawn().all.join('\n');
      if (count > 0) expect(seen).toMatch(/WHY[^\n]*\n0\.0\n/);
      const words = new Set<string>();
      for (let steps = 0; steps <= count; steps += 1) {
        const { all, space } = drawn();
        for (const [word] of all
          .slice(2, -1)
          .join('\n')
          .matchAll(/\d+\.\d+/g))
          words.add(word);
        state = press(state, { kind: 'down' }, { ...NOTHING_SHOWN, lines, space }).state;
      }
      expect(state.back).toBe(0);
      expect([...words].sort()).toEqual(lines.flatMap((line) => line.split(' ')).sort());
    },
  );

  it('a search goes to the last match, then to older and newer ones', () => {
    const lines = Array.from({ length: 50 }, (_, index) => (index % 10 === 0 ? `error ${index}` : 'x'));
    const shown = { ...NOTHING_SHOWN, rows, lines, space: { height: 5, mostBack: 45 } };
    const opened = press({ ...FIRST, selected: 'member ada' }, { kind: 'enter' }, shown).state;
    const typed = Array.from('/error\n', keyOf);
    const bottom = (state: State): string | undefined => lines[lines.length - 1 - state.back];
    const first = pressed(typed, opened, shown).state;
    expect(bottom(first)).toBe('error 40');
    const older = pressed([keyOf('n')], first, shown).state;
    expect(bottom(older)).toBe('error 30');
    expect(bottom(pressed([keyOf('N')], older, shown).state)).toBe('error 40');
    expect(pressed(Array.from('/none\n', keyOf), opened, shown).state.notice).toBe('No line has "none".');
  });

  it('the mouse chooses a row, and scrolls the list or the output', () => {
    const lines = Array.from({ length: 50 }, (_, index) => `${index}`);
    const rowAt: Shown['rowAt'] = (x, y) => (x < 10 && y === 3 ? 'member bob' : undefined);
    const shown: Shown = { rows, lines, space: { height: 5, mostBack: 45 }, rowAt };
    expect(press(FIRST, { kind: 'click', x: 2, y: 3 }, shown).state.selected).toBe('member bob');
    expect(press(FIRST, { kind: 'click', x: 20, y: 3 }, shown).state.selected).toBe('');
    expect(press(FIRST, { kind: 'wheelUp', x: 20, y: 3 }, shown).state.back).toBe(3);
    expect(press(FIRST, { kind: 'wheelDown', x: 2, y: 3 }, shown).state.selected).toBe('member ada');
    expect(keys('m').state.hasMouse).toBe(false);
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
  expect(pauseAfter(15)).toBe(250);
  expect(pauseAfter(2_000)).toBe(500);
});

describe('what is typed', () => {
  const NONE = {
    upArrow: false,
    downArrow: false,
    pageUp: false,
    pageDown: false,
    home: false,
    end: false,
    tab: false,
    return: false,
    escape: false,
    backspace: false,
    delete: false,
    leftArrow: false,
    rightArrow: false,
    shift: false,
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

  it('the mouse is no text', () => {
    expect(told('[<0;3;4M', '[<0;3;4m', '[<64;1;1M\u001b[<65;1;1M')).toBe('<click><wheelUp><wheelDown>');
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
    stream.add(Array.from({ length: 5_010 }, () => team.shown[1]).flatMap((event) => event ?? []));
    stream.flush();
    expect(written.at(-1)).toMatch(/^… 10 events were skipped/);
  });
});
