/**
 * What `teams up` would do, as a table: a plan, what the team did with it, the changed plan, the lines that are shown.
 * Each row is carried out, too: the board then has what was shown, and the changed plan makes no difference any more.
 */
import { describe, expect, it } from 'vitest';
import { parsePlan, type Plan } from '../../../src/model/plan/plan.ts';
import { planChanges } from '../../../src/model/plan/plan-changes.ts';
import type { Change } from '../../../src/model/board/event.ts';
import type { MemberConfig } from '../../../src/model/team/team-config.ts';
import { differenceLines, differenceSummary, lostWork } from '../../../src/policy/up/difference-text.ts';
import { isSamePlan, planDifference, type PlanDifference } from '../../../src/policy/up/plan-difference.ts';
import { planUpdate } from '../../../src/policy/up/plan-update.ts';
import { name, world, type World } from '../world.ts';

interface Sketch {
  readonly members?: string;
  readonly tasks: string;
  readonly more?: string;
}

const AGENT = 'agent: {kind: exec}';
const ADA = `{name: ada, ${AGENT}}`;
const BOB = `{name: bob, ${AGENT}}`;

const plan = ({ members = `${ADA}, ${BOB}`, tasks, more = '' }: Sketch): Plan =>
  parsePlan({
    text: `name: alpha\nmembers: [${members}]\ntasks: [${tasks}]\n${more}`,
    file: 'plan.yaml',
    format: 'yaml',
  });

const configsOf = ({ members }: Plan): MemberConfig[] =>
  members.map(({ name: member, role, agent, sandbox, env, planApproval, prompt }) => ({
    name: member,
    agent_id: `${member}@alpha`,
    status: 'active',
    role,
    color: 36,
    agent: agent && { ...agent },
    sandbox,
    env: { ...env },
    plan_approval: planApproval ? true : undefined,
    prompt,
  }));

function teamOf(first: Plan, lives: (team: World) => void): World {
  const team = world({ claim: 'auto', members: first.members.map(({ name: member, role }) => `${member}:${role}`) });
  tell(team, planChanges(first));
  lives(team);
  return team;
}

/** One change after the other: the board's law judges each of a batch on what the earlier ones left. */
function tell(team: World, changes: readonly Change[]): void {
  for (const change of changes) team.lead(change);
}

const lives = {
  not: (): void => {},
  begun: (team: World): void => team.claim('ada', '1'),
  done: (team: World): void => {
    team.claim('ada', '1');
    team.complete('ada', '1');
  },
  failed: (team: World): void => {
    team.attempt('ada', '1');
    team.tell({ type: 'task.skipped', task: '2', cascade: true, why: 'blocker #1 failed', because: '1' });
  },
};

interface Row {
  readonly what: string;
  readonly first: Sketch;
  readonly lives?: (team: World) => void;
  readonly next: Sketch;
  readonly lines: readonly string[];
}

const A = `{key: a, subject: A, owner: ada, run: 'echo a'}`;
const B = `{key: b, subject: B, owner: bob, run: 'echo b', blockedBy: [a]}`;
const A_CHANGED = `{key: a, subject: A, owner: ada, run: 'echo other'}`;

const rows: readonly Row[] = [
  { what: 'the same plan', first: { tasks: A }, next: { tasks: A }, lines: [] },
  { what: 'an added task', first: { tasks: A }, next: { tasks: `${A}, ${B}` }, lines: ['+ task B'] },
  {
    what: 'an added task before a known one',
    first: { tasks: B.replace(', blockedBy: [a]', '') },
    next: { tasks: `${A}, ${B}` },
    lines: ['+ task A', '~ task #1 B: blockedBy'],
  },
  { what: 'a removed pending task', first: { tasks: `${A}, ${B}` }, next: { tasks: A }, lines: ['- task #2 B'] },
  {
    what: 'a removed task and the edge to it',
    first: { tasks: `${A}, ${B}` },
    next: { tasks: B.replace(', blockedBy: [a]', '') },
    lines: ['~ task #2 B: blockedBy', '- task #1 A'],
  },
  {
    what: 'a removed task in progress',
    first: { tasks: `${A}, {key: c, subject: C, run: 'true'}` },
    lives: lives.begun,
    next: { tasks: `{key: c, subject: C, run: 'true'}` },
    lines: ['- task #1 A: ada works on it, and the present attempt is lost'],
  },
  {
    what: 'a removed task that is completed',
    first: { tasks: `${A}, {key: c, subject: C, run: 'true'}` },
    lives: lives.done,
    next: { tasks: `{key: c, subject: C, run: 'true'}` },
    lines: ['= task #1 A: it is completed, so it stays'],
  },
  {
    what: 'a removed task that failed',
    first: { tasks: `${A}, {key: c, subject: C, run: 'true'}` },
    lives: (team) => team.attempt('ada', '1'),
    next: { tasks: `{key: c, subject: C, run: 'true'}` },
    lines: ['- task #1 A'],
  },
  { what: 'a changed pending task', first: { tasks: A }, next: { tasks: A_CHANGED }, lines: ['~ task #1 A: run'] },
  {
    what: 'every key of a task',
    first: { tasks: A },
    next: {
      tasks: `{key: a, subject: AA, description: d, owner: bob, run: [echo], verify: ['true'], timeout: 1m, env: {X: y}, files: [f], artifact: g, retries: 2, required: false, acceptance: [ok], tier: opus}`,
    },
    lines: [
      '~ task #1 A: subject, description, owner, run, verify, timeout, env, files, artifact, retries, required, acceptance, tier',
    ],
  },
  {
    what: 'a changed task in progress',
    first: { tasks: A },
    lives: lives.begun,
    next: { tasks: A_CHANGED },
    lines: ['= task #1 A: ada works on it, so its changed run does not count'],
  },
  {
    what: 'a changed task that is completed',
    first: { tasks: A },
    lives: lives.done,
    next: { tasks: A_CHANGED },
    lines: ['= task #1 A: it is completed, so its changed run does not count'],
  },
  {
    what: 'a changed task that failed, with one that was skipped because of it',
    first: { tasks: `${A}, ${B}` },
    lives: lives.failed,
    next: { tasks: `${A_CHANGED}, ${B.replace('echo b', 'echo bb')}` },
    lines: ['~ task #1 A: run; it is tried again', '~ task #2 B: run; it is tried again'],
  },
  {
    what: 'a changed task that failed, with an unchanged one that was skipped because of it',
    first: { tasks: `${A}, ${B}` },
    lives: lives.failed,
    next: { tasks: `${A_CHANGED}, ${B}` },
    lines: ['~ task #1 A: run; it is tried again', '~ task #2 B: it is tried again'],
  },
  {
    what: 'a removed task that failed, with one that was skipped because of it',
    first: { tasks: `${A}, ${B}` },
    lives: lives.failed,
    next: { tasks: B.replace(', blockedBy: [a]', '') },
    lines: ['~ task #2 B: blockedBy; it is tried again', '- task #1 A'],
  },
  {
    what: 'two removed tasks, one skipped because the other failed',
    first: { tasks: `${A}, ${B}, {key: c, subject: C, run: 'true'}` },
    lives: lives.failed,
    next: { tasks: `{key: c, subject: C, run: 'true'}` },
    lines: ['- task #1 A', '- task #2 B'],
  },
  {
    what: 'a changed task that was skipped because of another one',
    first: { tasks: `${A}, ${B}` },
    lives: lives.failed,
    next: { tasks: `${A}, ${B.replace('echo b', 'echo bb')}` },
    lines: ['= task #2 B: it was skipped because #1 failed, so its changed run does not count'],
  },
  {
    what: 'a renamed key',
    first: { tasks: `${A}, ${B}` },
    next: { tasks: `${A.replace('key: a', 'key: z')}, ${B.replace('[a]', '[z]')}` },
    lines: ['~ task #1 A: key'],
  },
  {
    what: 'a renamed subject',
    first: { tasks: A },
    next: { tasks: A.replace('subject: A', 'subject: New') },
    lines: ['~ task #1 A: subject'],
  },
  {
    what: 'edges that turn round',
    first: { tasks: `${A}, ${B}` },
    next: { tasks: `${A.replace('}', ', blockedBy: [b]}')}, ${B.replace(', blockedBy: [a]', '')}` },
    lines: ['~ task #1 A: blockedBy', '~ task #2 B: blockedBy'],
  },
  {
    what: 'two added tasks, the first of which waits for the second',
    first: { tasks: A },
    next: { tasks: `${A}, {key: c, subject: C, run: 'true', blockedBy: [d]}, {key: d, subject: D, run: 'true'}` },
    lines: ['+ task C', '+ task D'],
  },
  {
    what: 'tasks of equal subjects, by their order',
    first: { tasks: `{subject: S, run: 'echo 1'}, {subject: S, run: 'echo 2'}` },
    next: { tasks: `{subject: S, run: 'echo 1'}, {subject: S, run: 'echo two'}, {subject: S, run: 'echo 3'}` },
    lines: ['~ task #2 S: run', '+ task S'],
  },
  {
    what: 'an owner that the run changed and the plan did not',
    first: { tasks: A },
    lives: (team) => team.lead({ type: 'task.assigned', task: '1', owner: name('bob') }),
    next: { tasks: A },
    lines: [],
  },
  {
    what: 'a task by hand and a follow-up, which no plan names',
    first: { tasks: A },
    lives: (team) => {
      team.add({ subject: 'By hand' });
      team.add({ subject: 'Review A', metadata: { parent: '1', kind: 'review' } });
    },
    next: { tasks: A },
    lines: [],
  },
  {
    what: 'an added member',
    first: { members: ADA, tasks: A },
    next: { tasks: A },
    lines: ['+ member bob (executor, exec)'],
  },
  {
    what: 'a removed member',
    first: { tasks: A },
    next: { members: ADA, tasks: A },
    lines: ['- member bob: leaves'],
  },
  {
    what: 'a removed member that works, whose task another one takes over',
    first: { tasks: A },
    lives: lives.begun,
    next: { members: BOB, tasks: A.replace('owner: ada', 'owner: bob') },
    lines: [
      '- member ada: leaves after its task #1',
      '= task #1 A: ada works on it, so its changed owner does not count',
    ],
  },
  {
    what: 'a changed agent',
    first: { tasks: A },
    next: { members: `{name: ada, agent: {kind: exec, command: [sh]}}, ${BOB}`, tasks: A },
    lines: ['~ member ada: agent; its process starts anew after its present task'],
  },
  {
    what: 'a changed role, which stays',
    first: { tasks: A },
    next: { members: `{name: ada, role: designer, ${AGENT}}, ${BOB}`, tasks: A },
    lines: ['= member ada: its role stays executor; a member of another name can have designer'],
  },
  {
    what: 'gates and a budget',
    first: { tasks: A },
    next: { tasks: A, more: 'gates: {test: "true"}\nbudget: {turns: 3}' },
    lines: ['~ gates', '~ budget'],
  },
];

function differenceOf(team: World, before: Plan, next: Plan): PlanDifference {
  return planDifference({ board: team.board, plan: before, members: configsOf(before) }, next);
}

describe('a changed plan', () => {
  it.each(rows)('$what is shown', ({ first, lives: live = lives.not, next, lines }) => {
    const before = plan(first);
    const difference = differenceOf(teamOf(before, live), before, plan(next));
    expect(differenceLines(difference)).toEqual(lines);
    expect(isSamePlan(difference)).toBe(lines.every((line) => line.startsWith('=')));
  });

  it.each(rows)('$what is carried out as it was shown', ({ first, lives: live = lives.not, next }) => {
    const [before, after] = [plan(first), plan(next)];
    const team = teamOf(before, live);
    const difference = differenceOf(team, before, after);
    const finals = [...team.board.tasks.values()].filter(({ status }) => status === 'completed');
    const changes = planUpdate(team.board, after, difference, { absent: new Set(team.board.members.keys()) });
    tell(team, changes);
    for (const task of finals) expect(team.task(task.id)).toEqual(task);
    for (const one of difference.tasks) {
      if (one.kind === 'removed')
        expect(team.task(one.id)).toMatchObject({ status: 'cancelled', required: false, waived: true });
      if (one.kind !== 'changed') continue;
      const planned = after.tasks[one.position];
      expect(team.task(one.id)).toMatchObject({ status: 'pending', subject: planned?.subject, work: planned?.work });
    }
    const again = planDifference({ board: team.board, plan: after, members: configsOf(after) }, after);
    expect(differenceLines(again).filter((line) => /^[+~-] task/.test(line))).toEqual([]);
  });
});

it('a task that was removed can come again with its key, as another task', () => {
  const [before, after] = [plan({ tasks: `${A}, ${B}` }), plan({ tasks: A })];
  const team = teamOf(before, lives.not);
  tell(team, planUpdate(team.board, after, differenceOf(team, before, after), { absent: new Set() }));
  const back = planDifference({ board: team.board, plan: after, members: configsOf(after) }, before);
  expect(differenceLines(back)).toEqual(['+ task B']);
  tell(team, planUpdate(team.board, before, back, { absent: new Set() }));
  expect(team.task('3')).toMatchObject({ status: 'pending', key: 'b', blockedBy: ['1'] });
});

it('pending tasks of a member that leaves have no owner, or that of the plan', () => {
  const before = plan({ tasks: `${A}, ${B}` });
  const after = plan({ members: BOB, tasks: `${A.replace('owner: ada', 'owner: bob')}, ${B}` });
  const team = teamOf(before, (one) => void one.add({ subject: 'By hand', owner: 'ada' }));
  tell(team, planUpdate(team.board, after, differenceOf(team, before, after), { absent: new Set([name('ada')]) }));
  expect(team.task('1').owner).toBe('bob');
  expect(team.task('3').owner).toBeUndefined();
  expect(team.board.members.get(name('ada'))?.state).toBe('left');
});

it('the summary counts, and lost attempts are named', () => {
  const before = plan({ tasks: `${A}, ${B}` });
  const after = plan({ members: `${ADA}, ${BOB}, {name: cy, ${AGENT}}`, tasks: `{subject: New, run: 'true'}` });
  const difference = differenceOf(teamOf(before, lives.begun), before, after);
  expect(differenceSummary(difference)).toBe('2 to add, 0 to change, 2 to remove.');
  expect(lostWork(difference)).toEqual(["ada's attempt at #1 A"]);
});
