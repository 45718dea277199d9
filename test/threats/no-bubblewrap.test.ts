/** A machine without bubblewrap: every verb works, and those that start, judge or report something say what is not enforced. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import { prlimitPath } from '../../src/os/mark-environment.ts';
import { findProgram } from '../../src/os/program-path.ts';
import { Workplace } from '../support/cli.ts';

const PLAN = {
  name: 'login',
  members: [{ name: 'ada', agent: { kind: 'exec' }, sandbox: 'workspace-write' }],
  tasks: [{ subject: 'Work', owner: 'ada', run: 'echo worked > made', verify: ['test -f made'] }],
  gates: { test: 'test -f made' },
};
const MEMBER = /ada(?:: (?:its program )?|\] )(?:is not isolated|workspace-write is not enforced)/;
const JUDGES = [
  /verify: of task #1: workspace-write is not enforced: .*bubblewrap/,
  /gate test: workspace-write is not/,
];
const ALL = [MEMBER, ...JUDGES];

// It is looked up once in a process, which runs other files of tests after this one.
prlimitPath();

/** One for all tests of the file. */
const bin = mkdtempSync(join(tmpdir(), 'teams-bare-'));
for (const name of ['sh', 'bash', 'test', 'cat', 'git', 'prlimit'])
  symlinkSync(findProgram(name, '/usr/bin:/bin') ?? expect.fail(`no ${name}`), join(bin, name));
afterAll(() => rmSync(bin, { recursive: true }));

let place: Workplace;
beforeEach(() => {
  place = new Workplace({ PATH: bin });
  vi.stubEnv('PATH', bin);
  place.put('project/plan.json', JSON.stringify(PLAN));
  place.put(
    'project/grown.json',
    JSON.stringify({ ...PLAN, tasks: [...PLAN.tasks, { subject: 'More', run: 'true' }] }),
  );
});

const say = (argv: string, environment: Record<string, string> = {}) =>
  place.say(argv.split(' '), {
    environment: { ...place.environment, ...environment },
    cwd: join(place.root, 'project'),
  });

/** What follows a run; what is said of it, if it starts, judges or reports anything. */
const VERBS: readonly (readonly [argv: string, code: number, said?: readonly RegExp[]])[] = [
  ['validate plan.json', 0],
  ['status login', 0],
  ['list', 0],
  ['report login', 0, ALL],
  ['report login --json', 0, [/"notEnforced":"its commands are held in by nothing"/, ...JUDGES]],
  ['log login', 0, ALL],
  ['why login', 0, JUDGES],
  ['logs login ada', 0],
  ['at login 1', 0],
  ['replay login', 0],
  ['wait login', 0],
  ['resume login', 0],
  ['inbox login ada', 0],
  ['send login ada hello', 0],
  ['take login ada', 0],
  ['task list login', 0],
  ['task create login More', 0],
  ['budget login', 0],
  ['wisdom login', 0],
  ['export login', 0, ALL],
  ['up grown.json --yes', 0],
  ['run grown.json --fresh', 0, ALL],
  ['relay --to exec:true --prompt look', 5],
  ['refine mend --backend exec:pwd --reviewer exec:true --no-team', 0, [/Not enforced for exec:pwd/]],
  ['config show', 0],
  ['route mend', 0],
  ['delete login --now', 0],
  ['prune --yes', 0],
  ['doctor', 1, [/bwrap: install bubblewrap; without it commands of models are not isolated/]],
];

it('every verb works, and says what is not enforced', async () => {
  const ran = await say('run plan.json');
  expect(ran.code, ran.err).toBe(0);
  for (const said of ALL) expect(ran.out + ran.err).toMatch(said);
  const wrong: unknown[] = [];
  for (const [argv, code, said = []] of VERBS) {
    const answer = await say(argv);
    const text = answer.out + answer.err;
    if (answer.code !== code || said.some((one) => !one.test(text)) || /This is a bug/.test(text))
      wrong.push([argv, answer]);
  }
  expect(wrong).toEqual([]);
}, 60_000);

it('where isolation is required, what would start something refuses with the cure; looking stays', async () => {
  const required = { TEAMS_SANDBOX_BWRAP: 'required' };
  const ran = await say('run plan.json', required);
  expect(ran.code).toBe(5);
  expect(ran.out + ran.err).toMatch(/AGENT_UNAVAILABLE: sandbox\.bwrap is "required", .*: bubblewrap is not installed/);
  for (const argv of ['status login', 'report login', 'log login', 'why login'])
    expect((await say(argv, required)).code, argv).toBe(0);
}, 60_000);
