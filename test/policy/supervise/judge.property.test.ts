/**
 * Invariants of supervision for any team and any history (V2 of docs/reliability.md): verdicts are legal, do not
 * contradict or repeat each other; the lead never waits without a reason; every team comes to an end.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isReady } from '../../../src/model/board/board.ts';
import { nextClaim } from '../../../src/model/board/listed-tasks.ts';
import { LEAD } from '../../../src/model/text/names.ts';
import { isFinal } from '../../../src/model/board/task.ts';
import { defined } from '../../../src/model/text/defined.ts';
import { judge } from '../../../src/policy/supervise/judge.ts';
import type { MemberSighting, Sighting, Verdict } from '../../../src/policy/sighting.ts';
import { bare, LIMITS, MINUTE, seen, sighting, world, type TeamSketch, type World } from '../world.ts';

/** All rules that a lead may apply. */
const RULES = { ...LIMITS, cascade: { canSpawn: true } };
const MEMBERS = ['worker-1', 'worker-2', 'worker-10'];
const ROLES = ['executor', 'designer', 'code-reviewer'];

const teamSketch: fc.Arbitrary<TeamSketch> = fc
  .record({
    mode: fc.constantFrom<Pick<TeamSketch, 'profile' | 'claim'>>(
      { profile: 'v8', claim: 'auto' },
      { profile: 'forge', claim: 'assigned' },
      { profile: 'forge', claim: 'auto' },
      { profile: 'relay', claim: 'assigned' },
      { profile: 'pipeline', claim: 'prefix' },
    ),
    roles: fc.array(fc.constantFrom(...ROLES), { maxLength: MEMBERS.length }),
    tasks: fc.array(
      fc.record({
        verb: fc.constantFrom('Implement', 'Test', 'Review', 'Move'),
        prefix: fc.constantFrom('DRAFT', 'TEST'),
        owner: fc.option(fc.nat(), { nil: undefined }),
        role: fc.option(fc.constantFrom(...ROLES), { nil: undefined, freq: 3 }),
        blockedBy: fc.array(fc.nat(), { maxLength: 2 }),
        retries: fc.nat({ max: 1 }),
      }),
      { maxLength: 7 },
    ),
  })
  .map(({ mode, roles, tasks }) => ({
    ...mode,
    members: roles.map((role, at) => `${MEMBERS[at] ?? ''}:${role}:${at % 2 === 0 ? 'DRAFT' : 'TEST'}`),
    tasks: tasks.map(({ verb, prefix, owner, role, blockedBy, retries }, at) => {
      const whose = owner === undefined ? undefined : owner % (roles.length + 1);
      // The owner of a pipeline task declares its prefix, or the task has no prefix.
      const code = whose === undefined ? prefix : (['DRAFT', 'TEST', 'DRAFT'][whose] ?? prefix);
      return {
        subject: mode.claim === 'prefix' && role === undefined ? `${code}-00${at} ${verb}` : `${verb} part ${at}`,
        owner: whose === undefined ? undefined : (MEMBERS.slice(0, roles.length)[whose] ?? 'lead'),
        role,
        blockedBy: at === 0 ? [] : blockedBy.map((id) => String((id % at) + 1)),
        retries,
      };
    }),
  }));

const age = fc.constantFrom(0, 4_999, 5_000, 20_000, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE);

const facts: fc.Arbitrary<Omit<MemberSighting, 'name' | 'checkedFor'>> = fc.record({
  byHand: fc.boolean(),
  process: fc.constantFrom('none', 'starting', 'alive', 'alive', 'dead'),
  deadFor: age,
  startingFor: age,
  aliveFor: age,
  beatAge: age,
  progressAge: age,
  answered: fc.boolean(),
  restarts: fc.nat({ max: 3 }),
  unfit: fc.boolean(),
  consecutiveFailures: fc.nat({ max: 3 }),
  quarantined: fc.boolean(),
  givenUp: fc.boolean(),
  boundedByTimeout: fc.boolean(),
  needsCommand: fc.boolean(),
  completed: fc.nat({ max: 3 }),
  workedMs: age,
});

const step = fc.record({ member: fc.nat(), does: fc.constantFrom('claim', 'complete', 'fail', 'leave', 'cancel') });

/** A world with some history: claims, completions, failures, departures. */
function lived(sketch: TeamSketch, steps: readonly { member: number; does: string }[]): World {
  const team = world(sketch);
  for (const { member, does } of steps) {
    const one = [...team.board.members.values()][member % Math.max(1, team.board.members.size)];
    if (one?.state !== 'joined') continue;
    const busy = team.board.busy.get(one.name);
    const next = nextClaim(team.board, one.name);
    if (does === 'claim' && next && busy === undefined) team.claim(one.name, next.id);
    if (does === 'complete' && busy !== undefined) team.complete(one.name, busy);
    if (does === 'fail' && busy !== undefined) team.fail(one.name, busy);
    if (does === 'cancel') team.tell({ type: 'task.cancelled', task: String(1 + (member % 7)), why: 'no need' });
    if (does === 'leave' && member % 4 === 0) team.lead({ type: 'member.left', name: one.name, why: 'done' });
  }
  return team;
}

const looks = fc
  .record({
    sketch: teamSketch,
    steps: fc.array(step, { maxLength: 12 }),
    members: fc.array(fc.tuple(facts, fc.option(age, { nil: undefined })), { minLength: 3, maxLength: 3 }),
    unattended: fc.boolean(),
  })
  .map(({ sketch, steps, members, unattended }) => {
    const team = lived(sketch, steps);
    const told = members.map(([one, checkedFor], at) => seen(MEMBERS[at] ?? '', { ...one, checkedFor }));
    return { team, look: sighting(team, told, { unattended }) };
  });

/** Applies a verdict: to the board by the real fold, to the members as the runtime would. */
function carryOut(team: World, look: Sighting, verdict: Verdict): Sighting {
  const change = (member: string, rest: Partial<MemberSighting>): Sighting => ({
    ...look,
    members: look.members.map((one) => (one.name === member ? { ...one, ...rest } : one)),
  });
  const death = { process: 'dead', deadFor: 0, death: 'signal SIGKILL' } as const;
  switch (verdict.do) {
    case 'release':
    case 'fence':
      team.lead({
        type: 'task.released',
        task: verdict.task,
        epoch: verdict.epoch,
        reason: verdict.reason,
        why: verdict.why,
      });
      if (verdict.do === 'release') return look;
      if (verdict.heir !== undefined) team.lead({ type: 'task.assigned', task: verdict.task, owner: verdict.heir });
      return verdict.stop ? change(verdict.member, death) : look;
    case 'assign':
      team.lead({ type: 'task.assigned', task: verdict.task, owner: verdict.owner });
      return look;
    case 'skip':
      team.lead({ type: 'task.skipped', task: verdict.task, cascade: true, why: verdict.why });
      return look;
    case 'follow up': {
      const { subject, metadata, role } = verdict.follow;
      const owner = verdict.place.do === 'assign' ? { owner: verdict.place.owner } : {};
      team.add({ subject, metadata, role, ...owner });
      return look;
    }
    case 'stop':
      return change(verdict.member, death);
    case 'restart':
      return change(verdict.member, { process: 'starting', startingFor: 0, restarts: verdict.attempt });
    case 'abandon':
      return change(verdict.member, { givenUp: true });
    case 'resetRestarts':
      return change(verdict.member, { restarts: 0, givenUp: false });
    case 'quarantine':
      return change(verdict.member, { quarantined: true });
    case 'check':
      return change(verdict.member, { checkedFor: 0, answered: false });
    // Verdicts of pipelines, and what follows a person's retry; there is neither here.
    case 'lift':
    case 'start':
    case 'tell':
    case 'pass':
    case 'redo':
    case 'improve':
    case 'resetDeadlines':
    case 'finish':
    case 'stuck':
      return look;
    default:
      return verdict satisfies never;
  }
}

const carryAllOut = (team: World, look: Sighting, verdicts: readonly Verdict[]): Sighting =>
  verdicts.reduce((now, verdict) => carryOut(team, now, verdict), look);

const LIFE = new Set(['restart', 'abandon', 'resetRestarts', 'quarantine']);
const ALONE = new Set(['resetDeadlines', 'stuck']);
const ENDS = new Set([...ALONE, 'finish']);

it('each look has at most one verdict for a task and for a member’s process, and an end comes alone or first', () => {
  fc.assert(
    fc.property(looks, ({ look }) => {
      const verdicts = judge(look, RULES);
      const tasks = verdicts.flatMap((verdict) => ('task' in verdict ? verdict.task : []));
      const lives = verdicts.flatMap((verdict) => ('member' in verdict && LIFE.has(verdict.do) ? verdict.member : []));
      expect(tasks).toEqual([...new Set(tasks)]);
      expect(lives).toEqual([...new Set(lives)]);
      if (verdicts.some((verdict) => ALONE.has(verdict.do))) expect(verdicts).toHaveLength(1);
      expect(verdicts.slice(1).map((verdict) => verdict.do)).not.toContain('finish');
    }),
    { numRuns: 1_500 },
  );
});

it('the board accepts every verdict, and the next look does not repeat it', () => {
  fc.assert(
    fc.property(looks, ({ team, look }) => {
      const verdicts = judge(look, RULES).filter((verdict) => !ENDS.has(verdict.do));
      const before = team.board.tasks.size;
      const next = bare(judge(carryAllOut(team, look, verdicts), RULES));
      for (const one of bare(verdicts)) expect(next).not.toContainEqual(one);
      expect(team.board.tasks.size).toBe(before + verdicts.filter((verdict) => verdict.do === 'follow up').length);
    }),
    { numRuns: 1_500 },
  );
});

/** Whether a member may still act, decided without the code of the policies. */
function isExpected(look: Sighting, name: string): boolean {
  const one = look.members.find((member) => member.name === name);
  if (!one || one.quarantined) return false;
  if (one.process === 'dead') return !one.givenUp && !one.byHand;
  return one.process === 'starting' || one.process === 'alive';
}

it('no verdict means that a member works or can work: the lead never waits in silence', () => {
  fc.assert(
    fc.property(looks, ({ team, look }) => {
      if (judge(look, RULES).length > 0) return;
      const tasks = [...team.board.tasks.values()];
      const ready = tasks.filter((task) => isReady(team.board, task));
      const names = look.members.map(({ name }) => name).filter((name) => isExpected(look, name));
      const isGoingOn =
        tasks.every(isFinal) ||
        tasks.some((task) => task.status === 'in_progress') ||
        ready.some(({ owner }) => owner === LEAD || (owner === undefined ? names.length > 0 : names.includes(owner)));
      expect(isGoingOn).toBe(true);
    }),
    { numRuns: 1_500 },
  );
});

type Fate = 'complete' | 'fail' | 'die' | 'hang' | 'never ready';

/** Half a minute of a member: it starts, claims, works by its fate, or stays as it is. */
function live(team: World, one: MemberSighting, fate: Fate): MemberSighting {
  const passed = { deadFor: one.deadFor + MINUTE / 2, aliveFor: one.aliveFor + MINUTE / 2, beatAge: 0 };
  if (one.process === 'dead') return { ...one, deadFor: passed.deadFor };
  if (one.process === 'starting') {
    if (fate === 'never ready') return { ...one, startingFor: one.startingFor + MINUTE / 2 };
    team.start(one.name);
    const { checkedFor: _, ...rest } = one;
    return { ...rest, process: 'alive', aliveFor: 0, progressAge: 0, answered: false };
  }
  const busy = team.board.busy.get(one.name);
  if (busy === undefined) {
    const next = one.quarantined ? undefined : nextClaim(team.board, one.name);
    if (next) team.claim(one.name, next.id);
    const { checkedFor: _, ...rest } = one;
    return { ...rest, ...passed, progressAge: 0 };
  }
  switch (fate) {
    case 'complete':
      team.complete(one.name, busy);
      return { ...one, ...passed, consecutiveFailures: 0, completed: one.completed + 1, progressAge: 0 };
    case 'fail':
      team.fail(one.name, busy);
      return { ...one, ...passed, consecutiveFailures: one.consecutiveFailures + 1, progressAge: 0 };
    case 'die':
    case 'never ready':
      return { ...one, process: 'dead', deadFor: 0, death: 'exit 1' };
    case 'hang':
      return {
        ...one,
        ...passed,
        progressAge: one.progressAge + 3 * MINUTE,
        ...defined({ checkedFor: one.checkedFor === undefined ? undefined : one.checkedFor + 3 * MINUTE }),
      };
    default:
      return fate satisfies never;
  }
}

/** What happens to each worker, again and again: also to hang for ever, and to die each time. */
const fates = fc.array(fc.constantFrom<Fate>('complete', 'fail', 'die', 'hang', 'never ready'), {
  minLength: 1,
  maxLength: 6,
});

it('every team comes to an end, whatever its members do: all tasks are final, or it says why not', () => {
  fc.assert(
    fc.property(teamSketch, fates, (sketch, fate) => {
      let lives = 0;
      const tasks = (sketch.tasks ?? []).map(({ owner, ...task }) =>
        owner === undefined || owner === 'lead' ? task : { ...task, owner },
      );
      const team = world({ ...sketch, tasks: [...tasks, {}] });
      let look = sighting(team, [], { unattended: true });
      // A relay has its own time-outs for silence; the lead has none there.
      const happens = (): Fate => {
        const next = fate[(lives += 1) % fate.length] ?? 'fail';
        return sketch.profile === 'relay' && next === 'hang' ? 'fail' : next;
      };
      for (let looked = 0; looked < 3_000; looked += 1) {
        const verdicts = judge(look, RULES);
        if (verdicts.some(({ do: what }) => what === 'finish' || what === 'stuck')) return;
        look = carryAllOut(team, look, verdicts);
        look = { ...look, members: look.members.map((one) => live(team, one, happens())) };
      }
      throw new Error('no end in 3,000 looks');
    }),
    { numRuns: 300 },
  );
});
