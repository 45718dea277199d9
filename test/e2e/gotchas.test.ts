/**
 * The twelve gotchas of docs/gotchas.md, by number, each with its behaviour here. The page says which parts cannot be
 * solved.
 */
import { remedyFor } from '../../src/policy/supervise/fallback.ts';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { execAgent } from '../../src/model/agent/agent.ts';
import { codeOf } from '../../src/model/text/errors.ts';
import { parseName } from '../../src/model/text/names.ts';
import { parseRunWords } from '../../src/model/plan/run-spec.ts';
import { cascades, MAX_CASCADE_DEPTH } from '../../src/policy/supervise/cascade.ts';
import { divide } from '../../src/policy/divide/file-ownership.ts';
import { misfit } from '../../src/policy/divide/role-fit.ts';
import { mayDo } from '../../src/policy/task-type.ts';
import { closeTeam } from '../../src/runtime/runs/close-team.ts';
import { planInText } from '../../src/runtime/runs/plan/plan-source.ts';
import { makeGeneratedTeam } from '../../src/runtime/runs/task-run.ts';
import { openHandle, storeOptions } from '../../src/runtime/team/team-handle.ts';
import { findTeam } from '../../src/store/team/team-list.ts';
import { lead, living, run, team } from '../support/session.ts';
import { tempDir } from '../support/temp.ts';
import { LIMITS, name, sighting, world, type World } from '../policy/world.ts';
import { refusing } from '../support/refusing.ts';

const codeFrom = (work: Promise<unknown>): Promise<unknown> => work.then(() => 'not refused', codeOf);

it('gotcha 1: one of two simultaneous claimants gets the task, and the other is told so', async () => {
  const on = await team({ members: ['ada', 'bob'], tasks: [{ subject: 'One' }] });
  const options = { root: on.root, environment: {} };
  const racers = ['ada', 'bob'].map((as) => openHandle('crew', { ...options, as }));
  for (const order of [racers, racers.toReversed()]) {
    const claims = await Promise.allSettled(order.map(({ board }) => board.claim('1')));
    expect(claims.map((one) => (one.status === 'rejected' ? codeOf(one.reason) : 'claimed'))).toEqual([
      'claimed',
      'ALREADY_CLAIMED',
    ]);
    await order[0]?.board.release('1');
  }
  for (const racer of racers) await racer[Symbol.asyncDispose]();
});

it('gotcha 2: a worker that knows nothing of the team and answers once still delivers', async () => {
  const on = await team({ members: ['ada'], tasks: [{ subject: 'One', work: { run: 'env -i echo forty-two' } }] });
  expect(await run(on)).toBe('finished');
  expect(on.task('1')).toMatchObject({ status: 'completed', result: { summary: 'forty-two\n', exitCode: 0 } });
});

it('gotcha 3: a message has a receipt, which is its line on disk, and a message to an unknown member is refused', async () => {
  const on = await team({ members: ['ada'] });
  const before = readdirSync(on.paths.folder);
  const receipts = [await on.handle.send('ada', 'First.'), await on.handle.send('ada', 'Second.')];
  expect([...on.handle.inbox('ada')].map(({ id }) => id)).toEqual(
    receipts.map((one) => ('id' in one ? one.id : one.error)),
  );
  expect(await codeFrom(on.handle.send('zoe', 'Hello?'))).toBe('UNKNOWN_RECIPIENT');
  expect(readdirSync(on.paths.folder).filter((file) => file.includes('zoe'))).toEqual([]);
  expect(before.some((file) => file.startsWith('ada_inbox'))).toBe(true);
});

it('gotcha 4: a team whose members refuse to stop is not deleted; force leaves no process and keeps the record', async () => {
  const stubborn = refusing('I am not done.');
  const on = await team({ members: [{ name: 'ada', agent: stubborn }] });
  const session = await lead(on, { endsWhenDone: false });
  await session.start(session.startable());
  expect(await codeFrom(session.shutDown())).toBe('STILL_RUNNING');
  expect(on.board().phase).toBe('open');
  await session.shutDown({ force: true });
  await session.close();
  expect(living(on.marks())).toEqual([]);
  const options = { limits: LIMITS, monitorIntervalMs: 30_000, unattended: true, endsWhenDone: true };
  await closeTeam(on.paths, { purpose: 'delete' }, { ...options, store: storeOptions({}) });
  const archived = findTeam(on.root, on.paths.name);
  expect(archived?.archivedAt).toBeDefined();
  expect(readFileSync(archived?.paths.log ?? '', 'utf8')).toContain('"team.closed"');
});

it('gotcha 5: each existing file has one owner, and an equal claim of two workers is refused before work', () => {
  const ask = (...files: string[]) => ({ files, text: files.join(' '), after: [] });
  const real = ['src/auth/login.ts', 'src/auth/types.ts', 'src/api/index.ts', 'package.json'];
  const told = { shared: [], boundary: [] };
  const fair = divide([ask('src/auth/**'), ask('src/api/', 'src/auth/types.ts', 'package.json')], real, told);
  expect(fair).toMatchObject({
    owned: [['src/auth/**'], ['src/api/**', 'src/auth/types.ts']],
    shared: ['package.json'],
    boundary: [{ file: 'src/auth/types.ts', owner: 1 }],
    problems: [],
  });
  expect(divide([ask('src/auth/**'), ask('src/auth/*')], real, told).problems).toHaveLength(1);
});

/** Each follow-up is completed at once by another member. */
function chainOf(subject: string): string[] {
  const members = ['ada:executor', 'tess:test-engineer', 'rita:quality-reviewer'];
  const team: World = world({ members, tasks: [{ subject, owner: 'ada' }] });
  const subjects = [subject];
  for (let turn = 0; turn < 20; turn += 1) {
    for (const { id, owner = '', status } of team.board.tasks.values())
      if (status === 'pending') {
        team.claim(owner, id);
        team.complete(owner, id);
      }
    for (const verdict of cascades(sighting(team), { ...LIMITS, cascade: { canSpawn: true } }))
      if (verdict.do === 'follow up' && verdict.place.do === 'assign') {
        const { subject: next, metadata, role } = verdict.follow;
        team.add({ subject: next, metadata, role, owner: verdict.place.owner });
        subjects.push(next);
      }
  }
  return subjects;
}

it('gotcha 6: follow-ups come to an end', () => {
  expect(chainOf('Implement the user API')).toEqual([
    'Implement the user API',
    'Write tests for the user API',
    'Review the user API and tests',
  ]);
  for (const subject of ['Review it', 'Debug it', 'Explore it', '[no-cascade] Fix it'])
    expect(chainOf(subject)).toEqual([subject]);
  expect(MAX_CASCADE_DEPTH).toBe(3);
});

it('gotcha 7: a context overflow is no failed attempt, and the second time another agent gets the task', () => {
  const team = world({ members: ['ada'], tasks: [{ owner: 'ada' }] });
  team.claim('ada', '1');
  team.member('ada', { type: 'task.released', task: '1', epoch: 1, reason: 'agent', why: 'overflow: 130,000 tokens' });
  expect(team.task('1')).toMatchObject({ status: 'pending', attempts: 0, lost: 0 });
  expect(remedyFor(['overflow'])).toMatchObject({ do: 'again' });
  expect(remedyFor(['overflow', 'overflow'])).toEqual({ do: 'fall back', for: 'task' });
});

it('gotcha 8: too many workers are refused with a sentence, and follow-ups add none beyond the limit', () => {
  const known = { roles: new Set(['executor']), templates: new Set<string>(), maxAgents: 5 };
  expect(JSON.stringify(parseRunWords(['6:executor', 'Fix it'], known))).toContain('Expected 1 to 5 workers');
  const members = ['a', 'b', 'c', 'd', 'e'];
  const team = world({ members, tasks: members.map((owner) => ({ owner, subject: 'Implement it' })) });
  for (const [at, member] of members.entries()) team.claim(member, String(at + 1));
  team.complete('a', '1');
  team.add({ owner: 'a', subject: 'More' });
  const [followed] = cascades(sighting(team), { ...LIMITS, cascade: { canSpawn: true } });
  expect(followed).toMatchObject({ do: 'follow up', place: { do: 'queue' } });
});

it('gotcha 9: a torn state file is set aside and rebuilt, and the run goes on', async () => {
  const on = await team({ members: ['ada'], tasks: [{ subject: 'One', work: { run: 'true' } }] });
  writeFileSync(on.paths.state, '{"teamName": "cre');
  expect(await run(on)).toBe('finished');
  expect(readdirSync(on.paths.folder).filter((file) => file.startsWith('state.json.corrupt-'))).toHaveLength(1);
  expect(on.handle.store.state.read()).toMatchObject({ teamName: 'crew' });
  expect(on.task('1').status).toBe('completed');
});

it('gotcha 10: two teams that are created in one second have two names', async () => {
  const root = tempDir();
  const text = 'members: [{name: ada, agent: {kind: exec}}]\ntasks: [{subject: x, run: "true"}]';
  const context = { cwd: root, vars: {}, agents: new Map(), defaultAgent: execAgent('true'), reviewer: undefined };
  const planned = {
    text: '',
    notEnforced: [],
    spent: [],
    named: (team: ReturnType<typeof parseName>) => {
      const { plan, from } = planInText(text, context);
      return { plan: { ...plan, name: team }, from };
    },
  };
  const made = [1, 2, 3].map(() => makeGeneratedTeam(planned, { root, environment: {} }));
  const names = (await Promise.all(made)).map(({ paths }) => paths.name);
  expect(new Set(names).size).toBe(3);
  expect(names.filter((one) => !/^forge-team-\d{10}$/.test(one))).toEqual([]);
});

it.each(['not_installed', 'unauthorised'] as const)(
  'gotcha 11: an agent that is not available any more (%s) is replaced by another at once',
  (fault) => {
    expect(remedyFor([fault])).toEqual({ do: 'fall back', for: 'run' });
  },
);

it('gotcha 12: a role gets no work that it is not for, neither from a person nor from the lead', () => {
  const reviewer = { name: parseName('role', 'style-reviewer'), readOnly: true, capabilities: ['review'] };
  expect(misfit(reviewer, 'Implement the user API')).toMatch(/is implement work, and the role style-reviewer is for/);
  expect(misfit(reviewer, 'Review the user API')).toBeUndefined();
  const task = { subject: 'Implement it', metadata: {} };
  expect([mayDo(reviewer.name, task), mayDo(name('executor'), task)]).toEqual([false, true]);
});
