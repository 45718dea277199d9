/** `teams up`: a changed plan in a team that lives or has ended is shown, asked about, and carried out as it was shown. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { until, Workplace } from '../support/cli.ts';
import { allowLeft } from '../support/leftovers.ts';

const PLAN = `name: shop
members:
  - {name: ada, agent: {kind: exec}}
  - {name: bob, agent: {kind: exec}}
tasks:
  - {key: build, subject: Build, owner: ada, run: "echo built"}
  - {key: test, subject: Test, owner: bob, run: "exit 3", blockedBy: [build]}
  - {key: ship, subject: Ship, owner: ada, run: "echo shipped", blockedBy: [test]}
`;
const MENDED = `${PLAN.replace('exit 3', 'echo tested').replace('tasks:', '  - {name: cy, agent: {kind: exec}}\ntasks:')}  - {key: tell, subject: Tell, owner: cy, run: "echo told", blockedBy: [ship]}
`;

const tasksShape = z.object({ tasks: z.array(z.looseObject({ id: z.string(), status: z.string() })) });

async function redRun(): Promise<Workplace> {
  const place = new Workplace();
  place.put('plan.yaml', PLAN);
  expect((await place.teams('run', 'plan.yaml')).code).toBe(1);
  return place;
}

const statuses = async (place: Workplace): Promise<string[]> =>
  (await place.json(tasksShape, 'task', 'list', 'shop')).tasks.map(({ status }) => status);

describe('the changed plan of a run that ended', () => {
  it('what failed is mended in the plan, and the resumed run does it with what was added', async () => {
    const place = await redRun();
    place.put('plan.yaml', MENDED);
    const shown = [
      'Team shop',
      '  + member cy (executor, exec)',
      '  ~ task #2 Test: run; it is tried again',
      '  ~ task #3 Ship: it is tried again',
      '  + task Tell',
      '2 to add, 2 to change, 0 to remove.',
    ].join('\n');
    expect(await place.teams('up', 'plan.yaml', '--dry-run')).toMatchObject({ code: 0, out: `${shown}\n` });
    expect(await statuses(place)).toEqual(['completed', 'failed', 'skipped']);
    const done = await place.teams('up', 'plan.yaml', '--yes');
    expect(done.err).toContain(shown);
    expect(done.out).toContain('`teams resume shop` carries it out');
    expect(await statuses(place)).toEqual(['completed', 'pending', 'pending', 'pending']);
    expect((await place.teams('resume', 'shop')).out).toContain('TEAM COMPLETE');
    expect(await statuses(place)).toEqual(['completed', 'completed', 'completed', 'completed']);
    expect(await place.teams('up', 'plan.yaml')).toMatchObject({
      code: 0,
      out: 'Nothing changes: team shop is as the plan says.\n',
    });
    // The plan is the team's now: the same run is nothing new.
    expect(readFileSync(join(place.root, '.teams', 'shop', 'plan.json'), 'utf8')).toContain('echo tested');
  });

  it('it exits with 0, 1 or 2 for scripts, and says the same as JSON', async () => {
    const place = await redRun();
    const exit = async (...words: string[]): Promise<number> =>
      (await place.teams('up', 'plan.yaml', '--detailed-exitcode', ...words)).code;
    expect(await exit()).toBe(0);
    place.put('plan.yaml', MENDED);
    expect(await exit('--dry-run')).toBe(2);
    // There is no terminal to ask on.
    expect(await exit()).toBe(1);
    place.put('plan.yaml', 'members: nobody');
    expect(await exit()).toBe(1);
    place.put('plan.yaml', MENDED);
    const { out } = await place.teams('up', 'plan.yaml', '--yes', '--json');
    expect(JSON.parse(out)).toMatchObject({
      team: 'shop',
      members: [{ change: 'added', name: 'cy' }],
      tasks: [
        { change: 'changed', id: '2', what: ['run'], retried: true },
        { change: 'changed', id: '3', what: [], retried: true },
        { change: 'added', id: null, subject: 'Tell' },
      ],
      applied: true,
    });
    expect(await exit('--yes')).toBe(0);
  });

  it('the last change is taken back, as often as there was one', async () => {
    const place = await redRun();
    place.put('plan.yaml', MENDED);
    await place.teams('up', 'plan.yaml', '--yes');
    place.put('plan.yaml', MENDED.replace('echo told', 'echo told twice'));
    await place.teams('up', 'plan.yaml', '--yes');
    const back = async (): Promise<string> => {
      const { code, out, err } = await place.teams('up', '--back', 'shop', '--yes');
      expect(code, `${out}${err}`).toBe(0);
      return err;
    };
    expect(await back()).toContain('~ task #4 Tell: run\n');
    const first = await back();
    expect(first).toContain('- task #4 Tell\n');
    expect(first).toContain('- member cy: leaves\n');
    expect(first).toContain('~ task #2 Test: run\n');
    expect(await statuses(place)).toEqual(['completed', 'pending', 'pending', 'cancelled']);
    expect(await place.teams('up', '--back', 'shop')).toMatchObject({ code: 2 });
    const files = readdirSync(join(place.root, '.teams', 'shop')).filter((file) => file.startsWith('plan'));
    expect(files).toEqual(['plan.json']);
  });

  it('a removed task need not be done', async () => {
    const place = await redRun();
    place.put('plan.yaml', PLAN.split('\n').slice(0, 6).join('\n'));
    expect((await place.teams('up', 'plan.yaml', '--yes')).err).toContain('- task #2 Test\n');
    expect((await place.teams('resume', 'shop')).code).toBe(0);
  });

  it('a team that cannot change so is refused, and nothing is changed', async () => {
    const place = await redRun();
    const refusal = async (...words: string[]): Promise<string> => {
      const { code, err } = await place.teams('up', ...words, '--yes');
      expect(code).toBe(2);
      return err;
    };
    place.put('plan.yaml', `${MENDED}profile: v8\ncwd: .\n`);
    expect(await refusal('plan.yaml')).toContain('"profile" and "cwd" cannot change in an existing team');
    place.put('plan.yaml', MENDED);
    expect(await refusal('plan.yaml', '--name', 'other')).toContain('There is no team other whose plan could change');
    expect(await refusal('--back', 'shop')).toContain('The plan of team shop was never changed.');
    expect(await refusal('none.yaml')).toContain('There is no plan file');
    const member = await place.say(['up', 'plan.yaml', '--yes'], { environment: { TEAMS_MEMBER: 'ada' } });
    expect(member.code).toBe(2);
    expect(await statuses(place)).toEqual(['completed', 'failed', 'skipped']);
    expect((await place.teams('status', 'shop')).out).toContain('Team shop: failed');
  });

  it('killed before the plan was kept, it keeps the plan when it is repeated', async () => {
    const place = await redRun();
    const file = join(place.root, '.teams', 'shop', 'plan.json');
    const former = readFileSync(file);
    place.put('plan.yaml', MENDED);
    await place.teams('up', 'plan.yaml', '--yes');
    writeFileSync(file, former);
    expect((await place.teams('up', 'plan.yaml')).out).toContain('Nothing changes');
    expect(readFileSync(file, 'utf8')).toContain('echo tested');
    // What the killed one had kept already is not kept twice.
    expect(readdirSync(join(place.root, '.teams', 'shop')).filter((one) => /^plan\.\d+\.json$/.test(one))).toEqual([
      'plan.1.json',
    ]);
    expect((await place.teams('up', '--back', 'shop', '--dry-run')).out).toContain('- task #4 Tell');
  });

  it('killed at any moment, it can be repeated and ends as it would have', async () => {
    for (const after of [60, 120, 160, 200, 260, 340]) {
      const place = await redRun();
      place.put('plan.yaml', MENDED);
      const { child, ended } = place.start('up', 'plan.yaml', '--yes');
      const timer = setTimeout(() => child.kill('SIGKILL'), after);
      await ended;
      clearTimeout(timer);
      expect((await place.teams('up', 'plan.yaml', '--yes')).code).toBe(0);
      expect(await statuses(place)).toEqual(['completed', 'pending', 'pending', 'pending']);
      expect((await place.teams('up', 'plan.yaml')).out).toContain('Nothing changes');
      const config = readFileSync(join(place.root, '.teams', 'shop', 'config.json'), 'utf8');
      expect(config.match(/"name": "cy"/g)).toHaveLength(1);
      expect(readFileSync(join(place.root, '.teams', 'shop', 'plan.json'), 'utf8')).toContain('echo tested');
      const before = readdirSync(join(place.root, '.teams', 'shop')).filter((file) => /^plan\.\d+\.json$/.test(file));
      expect(before).toEqual(['plan.1.json']);
      allowLeft();
    }
  });
});

describe('the changed plan of a run that goes on', () => {
  const LIVE = `name: shop
members:
  - {name: ada, agent: {kind: exec}}
  - {name: bob, agent: {kind: exec}}
gates: {test: "false"}
tasks:
  - {key: build, subject: Build, owner: ada, run: "touch began; until test -e go; do sleep 0.02; done"}
  - {key: slow, subject: Slow, owner: bob, run: "touch slow; until test -e never; do sleep 0.02; done"}
  - {key: test, subject: Test, owner: bob, run: "exit 3", blockedBy: [slow]}
`;
  const CHANGED = `name: shop
members:
  - {name: ada, agent: {kind: exec}, env: {GREETING: hello}}
  - {name: cy, agent: {kind: exec}}
gates: {test: "true"}
tasks:
  - {key: build, subject: Build, owner: ada, run: "touch began; until test -e go; do sleep 0.02; done"}
  - {key: test, subject: Test, owner: cy, run: "touch tested", blockedBy: [build]}
  - {key: greet, subject: Greet, owner: ada, run: "echo $GREETING > greeting", blockedBy: [build]}
`;

  it('members join, leave and start anew after their task, tasks change, and the gates are those of the plan', async () => {
    const place = new Workplace();
    place.put('plan.yaml', LIVE);
    const has = (file: string): boolean => existsSync(join(place.root, file));
    const run = place.start('run', 'plan.yaml');
    await until(() => has('began') && has('slow'), 'both members work');
    place.put('plan.yaml', CHANGED);
    const unasked = await place.teams('up', 'plan.yaml');
    expect(unasked).toMatchObject({ code: 2 });
    expect(unasked.err).toContain("This loses bob's attempt at #2 Slow.");
    const { out, err } = await place.teams('up', 'plan.yaml', '--yes');
    expect(err).toContain('- member bob: leaves after its task #2\n');
    expect(err).toContain('~ member ada: env; its process starts anew after its present task\n');
    expect(out).toContain('Team shop goes on with the changed plan');
    writeFileSync(join(place.root, 'go'), '');
    const { code, out: report } = await run.ended;
    expect(report).toContain('TEAM COMPLETE');
    expect(code).toBe(0);
    expect(await statuses(place)).toEqual(['completed', 'cancelled', 'completed', 'completed']);
    expect(readFileSync(join(place.root, 'greeting'), 'utf8')).toBe('hello\n');
    const log = (await place.teams('log', 'shop')).out;
    expect(log).toContain('[bob] left the team: its plan has it no more');
    expect(log).toContain('[ada] starts anew');
    expect(log).not.toContain('SIGKILL');
  });
});
