/**
 * The shipped pipelines, played to their end by the policies alone: their order, their fast-advances, and every crash.
 */
import { describe, expect, it } from 'vitest';
import { isReady } from '../../../../src/model/board/board.ts';
import { nextClaim } from '../../../../src/model/board/listed-tasks.ts';
import { LEAD, type Name } from '../../../../src/model/text/names.ts';
import type { PipelineTask } from '../../../../src/model/pipeline/pipeline-definition.ts';
import { subjectCode } from '../../../../src/model/board/task.ts';
import { defined } from '../../../../src/model/text/defined.ts';
import { fastAdvance } from '../../../../src/policy/pipeline/fast-advance.ts';
import { fixChanges, fixNeeds } from '../../../../src/policy/pipeline/fix-loop.ts';
import { judge } from '../../../../src/policy/supervise/judge.ts';
import {
  listPipelines,
  pipelineNamed,
  type GivenPipeline,
} from '../../../../src/runtime/runs/pipeline/pipeline-shelf.ts';
import { checkpointPassed } from '../../../../src/runtime/team/checkpoint-answer.ts';
import { LIMITS, seen, World } from '../../../policy/world.ts';
import { tempDir } from '../../../support/temp.ts';

const PHASES = ['claimed', 'phase 2', 'phase 3', 'phase 4', 'completed'] as const;

interface Player {
  process: 'none' | 'alive' | 'dead';
  phase: number;
}

interface Happens {
  /** This role dies once, when its task has reached this point. */
  readonly dies?: { readonly code: string; readonly at: (typeof PHASES)[number] };
  /** Testers that find faults. */
  readonly faulty?: readonly string[];
}

const read = new Map<string, GivenPipeline>();
const shipped = (name: string): GivenPipeline => {
  const known = read.get(name) ?? pipelineNamed(tempDir(), name);
  read.set(name, known);
  return known;
};

/** Every role takes one step in turn; the lead looks after each step. */
class Play {
  readonly order: string[] = [];
  readonly decisions: string[] = [];
  readonly #world: World;
  readonly #players = new Map<Name, Player>();
  readonly #reported = new Set<string>();
  readonly #loops: ReadonlySet<Name>;
  readonly #happens: Happens;
  #hasDied = false;

  constructor(pipeline: string, happens: Happens = {}) {
    const { pipeline: given, roles } = shipped(pipeline);
    const members = roles.map(({ spec }) => [spec.name, spec.name, ...spec.prefixes].join(':'));
    this.#world = new World({ profile: 'pipeline', claim: 'prefix', members });
    this.#loops = new Set(roles.flatMap(({ spec }) => (spec.innerLoop ? [spec.name] : [])));
    this.#happens = happens;
    const ids = new Map(given.tasks.map(({ code }, at) => [code, String(at + 1)]));
    for (const task of given.tasks) this.#add(task, ids);
    for (const { spec } of roles) this.#players.set(spec.name, { process: 'none', phase: 0 });
  }

  #add({ code, role, subject, after, fix }: PipelineTask, ids: ReadonlyMap<string, string>): void {
    this.#world.add({
      subject: `${code} ${subject}`,
      owner: role ?? LEAD,
      retries: 1,
      blockedBy: after.map((one) => ids.get(one) ?? ''),
      metadata: { ...(role === null ? { _checkpoint: true } : {}), ...defined({ _fix: fix && [...fix] }) },
    });
  }

  run(): this {
    for (let turn = 0; turn < 1_000; turn += 1) {
      if (this.#look()) return this;
      for (const [name, player] of this.#players) if (player.process === 'alive') this.#step(name, player);
    }
    throw new Error(`it does not end: ${this.order.join(' ')}`);
  }

  /** @returns whether the lead found the end */
  #look(): boolean {
    const { board } = this.#world;
    const members = [...this.#players].map(([name, { process }]) =>
      seen(name, { process, ...(process === 'dead' ? { death: 'signal SIGKILL', deadFor: 5_000 } : {}) }),
    );
    const owing = new Set(
      [...board.tasks.values()].flatMap((task) =>
        task.status === 'completed' && task.by.member !== LEAD && !this.#reported.has(task.id) ? [task.by.member] : [],
      ),
    );
    const pipeline = { owing, told: new Set<string>(), passesCheckpoints: true };
    const look = { board, members, overslept: false, untrusted: new Set<string>(), unattended: true, pipeline };
    for (const verdict of judge(look, LIMITS)) {
      if (verdict.do === 'finish') return true;
      if (verdict.do === 'start' || verdict.do === 'restart') this.#start(verdict.member);
      else if (verdict.do === 'release')
        this.#world.lead({
          type: 'task.released',
          task: verdict.task,
          epoch: verdict.epoch,
          reason: verdict.reason,
          why: verdict.why,
        });
      else if (verdict.do === 'pass') this.#pass(verdict.task);
      else if (verdict.do === 'redo')
        for (const need of fixNeeds(board).filter(({ task }) => task.id === verdict.task))
          for (const change of need.kind === 'due' ? fixChanges(board, need) : []) this.#world.lead(change);
      else if (verdict.do !== 'tell') throw new Error(`unlooked for: ${verdict.do}`);
    }
    return false;
  }

  #start(name: Name): void {
    this.#players.set(name, { process: 'alive', phase: 0 });
    this.#world.start(name);
  }

  #pass(id: string): void {
    this.order.push(this.#code(id));
    const body = checkpointPassed(this.#world.board, id, 'yes');
    if ('ok' in body || body.type !== 'batch') throw new Error('not passed');
    for (const change of body.changes) this.#world.lead(change);
  }

  #step(name: Name, player: Player): void {
    const { board } = this.#world;
    const task = board.busy.get(name);
    if (task === undefined) {
      const next = nextClaim(board, name);
      const isThere = next !== undefined && isReady(board, next);
      if (!isThere || (player.phase > 0 && !this.#loops.has(name))) return this.#report(name, player);
      this.#world.claim(name, next.id);
      player.phase = 0;
      return this.#mayDie(player, this.#code(next.id), 'claimed');
    }
    player.phase += 1;
    const code = this.#code(task);
    if (player.phase < 4) return this.#mayDie(player, code, PHASES[player.phase] ?? 'claimed');
    if (this.#happens.faulty?.includes(code))
      this.#world.member(name, { type: 'task.updated', task, metadata: { verdict: 'NEEDS_FIX' } });
    this.#world.complete(name, task);
    this.order.push(code);
    this.#mayDie(player, code, 'completed');
    if (player.process === 'alive' && nextClaim(board, name) === undefined) this.#report(name, player);
  }

  #report(name: Name, player: Player): void {
    const { board } = this.#world;
    const finished = [...board.tasks.values()].flatMap((task) =>
      task.status === 'completed' && task.by.member === name && !this.#reported.has(task.id) ? [task.id] : [],
    );
    for (const id of finished) this.#reported.add(id);
    player.process = 'none';
    const decided = fastAdvance(board, { name, loops: this.#loops.has(name), finished });
    const about = 'tasks' in decided ? decided.tasks : 'task' in decided ? [decided.task] : [];
    this.decisions.push([`${name}:`, decided.kind, ...about.map((id) => this.#code(id))].join(' '));
  }

  #mayDie(player: Player, code: string, at: (typeof PHASES)[number]): void {
    const { dies } = this.#happens;
    if (this.#hasDied || dies?.code !== code || dies.at !== at) return;
    this.#hasDied = true;
    player.process = 'dead';
  }

  #code(id: string): string {
    return subjectCode(this.#world.task(id).subject) ?? id;
  }
}

const SPEC = ['RESEARCH-001', 'DRAFT-001', 'DRAFT-002', 'DRAFT-003', 'DRAFT-004', 'QUALITY-001'];
const SPEC_DECISIONS = ['analyst: successor DRAFT-001', 'writer: successor QUALITY-001'];
const IMPL = ['PLAN-001', 'IMPL-001', 'TEST-001', 'REVIEW-001'];
const IMPL_DECISIONS = [
  'planner: successor IMPL-001',
  'executor: parallel TEST-001 REVIEW-001',
  'tester: others running REVIEW-001',
  'reviewer: nothing left',
];
const FULLSTACK = ['PLAN-001', 'IMPL-001', 'DEV-FE-001', 'TEST-001', 'QA-FE-001', 'REVIEW-001'];
const FULLSTACK_DECISIONS = [
  'planner: parallel IMPL-001 DEV-FE-001',
  'executor: successor TEST-001',
  'fe-developer: parallel TEST-001 QA-FE-001',
  'tester: others running QA-FE-001',
  'fe-qa: successor REVIEW-001',
  'reviewer: nothing left',
];

const ROWS: [string, string[], string[]][] = [
  ['spec-only', SPEC, [...SPEC_DECISIONS, 'reviewer: nothing left']],
  ['impl-only', IMPL, IMPL_DECISIONS],
  [
    'fe-only',
    ['PLAN-001', 'DEV-FE-001', 'QA-FE-001'],
    ['planner: successor DEV-FE-001', 'fe-developer: successor QA-FE-001', 'fe-qa: nothing left'],
  ],
  ['fullstack', FULLSTACK, FULLSTACK_DECISIONS],
  [
    'full-lifecycle',
    // The reviewer's turn comes before the tester's, because the reviewer has read the specification.
    [...SPEC, 'CHECKPOINT-001', 'PLAN-001', 'IMPL-001', 'REVIEW-001', 'TEST-001'],
    [
      ...SPEC_DECISIONS,
      'reviewer: checkpoint CHECKPOINT-001',
      ...IMPL_DECISIONS.slice(0, 2),
      'reviewer: others running TEST-001',
      'tester: nothing left',
    ],
  ],
  [
    'full-lifecycle-fe',
    [...SPEC, 'CHECKPOINT-001', ...FULLSTACK],
    [...SPEC_DECISIONS, 'reviewer: checkpoint CHECKPOINT-001', ...FULLSTACK_DECISIONS],
  ],
];

describe('a shipped pipeline', () => {
  it('there are six shipped pipelines, and each has its roles', () => {
    const listed = listPipelines(tempDir());
    expect(listed.map(({ name }) => name).toSorted()).toEqual(ROWS.map(([name]) => name).toSorted());
    expect(listed.filter(({ problem }) => problem !== undefined)).toEqual([]);
  });

  it.each(ROWS)('%s runs to its end in its order, with its fast-advances', (pipeline, order, decisions) => {
    const play = new Play(pipeline).run();
    expect(play.order).toEqual(order);
    expect(play.decisions).toEqual(decisions);
  });

  it.each(ROWS.flatMap(([pipeline, order]) => order.map((code) => [pipeline, code, order] as const)))(
    '%s ends the same if the role of %s dies at any point',
    (pipeline, code, order) => {
      for (const at of PHASES) {
        const play = new Play(pipeline, { dies: { code, at } }).run();
        expect([at, ...play.order.toSorted()]).toEqual([at, ...order.toSorted()]);
      }
    },
  );
});

describe('a tester that finds faults', () => {
  it('a tester that finds faults sends the work back, and dependants wait for the second test', () => {
    expect(new Play('fullstack', { faulty: ['QA-FE-001'] }).run().order).toEqual([
      ...FULLSTACK.slice(0, -1),
      'DEV-FE-002',
      'QA-FE-002',
      'REVIEW-001',
    ]);
  });

  it('a tester that finds faults sends work back twice at most', () => {
    const faulty = ['QA-FE-001', 'QA-FE-002', 'QA-FE-003'];
    expect(new Play('fe-only', { faulty }).run().order).toEqual([
      'PLAN-001',
      'DEV-FE-001',
      'QA-FE-001',
      'DEV-FE-002',
      'QA-FE-002',
      'DEV-FE-003',
      'QA-FE-003',
    ]);
  });
});
