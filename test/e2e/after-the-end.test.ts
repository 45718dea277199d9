/** What a person types after a run: it ends, it says how the run stands, and a slip of the name is not taken for more. */
import { readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import * as z from 'zod';
import { Workplace } from '../support/cli.ts';

let place: Workplace;

const PLAN = `name: p
members: [{name: ada, agent: {kind: exec}}]
tasks: [{subject: Add, run: 'echo new >added', files: [added]}]
gates: {crossVerify: true}
`;

beforeEach(async () => {
  place = new Workplace();
  place.put('.gitignore', 'home\n.teams\n.tasks\n');
  execFileSync('git', ['init', '-q'], { cwd: place.root });
  place.put('p.yaml', PLAN);
  const { code, out, err } = await place.teams('run', 'p.yaml', '--reviewer', 'exec:cat >asked; echo PASS');
  expect(code, `${out}${err}`).toBe(0);
});

it('the verifier reads the change of each task', () => {
  const asked = readFileSync(join(place.root, 'asked'), 'utf8');
  expect(asked).toContain('CHANGE of #1:\ndiff --git a/added b/added');
  expect(asked).toContain('+new');
});

it('watch --plain and watch --json of an ended run end, and wait prints the first lines of the report', async () => {
  const plain = await place.teams('watch', 'p', '--plain');
  expect([plain.code, plain.out]).toEqual([0, expect.stringContaining('completed #1 Add')]);
  const json = await place.teams('watch', 'p', '--json');
  expect([json.code, json.out]).toEqual([0, expect.stringContaining('"task.completed"')]);
  const waited = await place.teams('wait', 'p');
  expect([waited.code, waited.out]).toEqual([0, expect.stringMatching(/^TEAM COMPLETE\n/)]);
});

it('a worker that is no member is not made one, and is told how', async () => {
  const { code, err } = await place.teams('worker', 'p', 'adda', '--agent', 'exec');
  expect([code, err]).toEqual([
    2,
    'teams: Team p has no member adda; did you mean "ada"? `--join` adds it as a new member.\n',
  ]);
});

it('undo of a name that is no team says so, and a member may not undo', async () => {
  for (const verb of ['undo', 'diff']) {
    const unknown = await place.teams(verb, 'nope');
    expect([unknown.code, unknown.err]).toEqual([
      2,
      expect.stringContaining('There is neither a team nope nor a task nope of team p'),
    ]);
  }
  const member = await place.teams('undo', 'p', '--as', 'ada', '--yes');
  expect([member.code, member.err]).toEqual([2, expect.stringContaining('A teammate cannot undo its run (--as ada)')]);
  expect(readFileSync(join(place.root, 'added'), 'utf8')).toBe('new\n');
});

it('why of a member of an ended run says that nothing more will happen, as why of the team does', async () => {
  for (const about of [['ada'], []]) {
    const { code, out } = await place.teams('why', 'p', ...about);
    expect(code).toBe(0);
    expect(out).toContain('Its run has ended: nothing more will happen.');
    expect(out).not.toContain('teams resume');
  }
});

it('the workers of an ended run are stopped in state.json', () => {
  const state = z
    .looseObject({ workers: z.array(z.looseObject({ id: z.string(), status: z.string() })) })
    .parse(JSON.parse(readFileSync(join(place.root, '.teams/p/state.json'), 'utf8')));
  expect(state.workers.map(({ id, status }) => [id, status])).toEqual([['ada', 'stopped']]);
});
