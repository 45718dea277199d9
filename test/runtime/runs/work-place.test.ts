/** A working directory that is removed in mid-run is no failure of a task: the run waits, or ends with one sentence. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { until, Workplace } from '../../support/cli.ts';

const reportSchema = z.looseObject({
  outcome: z.string(),
  exitCode: z.number(),
  notes: z.array(z.string()),
  failures: z.array(z.unknown()),
  tasks: z.array(z.looseObject({ status: z.string() })),
});

const put = (place: Workplace, run: string, verify = ['test -e done']): void => {
  mkdirSync(join(place.root, 'work'));
  place.put(
    'plan.json',
    JSON.stringify({
      name: 'away',
      cwd: 'work',
      members: [{ name: 'ada', agent: { kind: 'exec' } }],
      tasks: [
        { subject: 'Remove', run, verify },
        { subject: 'Go on', run: 'echo b > b', blockedBy: [1] },
      ],
    }),
  );
};

it('a working directory that is removed in mid-run ends the run with one sentence and no failed task', async () => {
  const place = new Workplace();
  put(place, '[ -e ../go ] || { rm -rf ../work; exit 3; }; echo ok > done');
  const { code, out } = await place.teams('run', 'plan.json', '--json');
  const report = reportSchema.parse(JSON.parse(out));
  expect(code).toBe(4);
  expect(report).toMatchObject({ outcome: 'interrupted', exitCode: 4, failures: [] });
  expect(report.tasks.map(({ status }) => status)).toEqual(['pending', 'pending']);
  expect(report.notes).toEqual([
    `The run could not go on (IO): The working directory ${join(place.root, 'work')} of team away does not exist: make it again, then run \`teams resume away\`.`,
  ]);
  mkdirSync(join(place.root, 'work'));
  place.put('go', '');
  expect((await place.teams('resume', 'away')).code).toBe(0);
  expect(existsSync(join(place.root, 'work/b'))).toBe(true);
});

it('a working directory that is away for a moment delays the work', async () => {
  const place = new Workplace();
  put(place, 'rm -rf ../work', []);
  const run = place.teams('run', 'plan.json', '--json');
  const log = join(place.root, '.tasks/away/log.jsonl');
  await until(() => existsSync(log) && readFileSync(log, 'utf8').includes('task.completed'), 'the first task is done');
  mkdirSync(join(place.root, 'work'));
  const { code, out } = await run;
  expect(reportSchema.parse(JSON.parse(out)).failures).toEqual([]);
  expect(code).toBe(0);
  expect(existsSync(join(place.root, 'work/b'))).toBe(true);
});
