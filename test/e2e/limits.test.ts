/** A lead whose system refuses it files: more open ones, or larger ones. It says so, and nothing outlives it. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { until, Workplace } from '../support/cli.ts';
import { allowLeft } from '../support/leftovers.ts';
import { running } from '../support/processes.ts';

const PLAN = `name: crew
members: [{name: ada, agent: {kind: exec}}, {name: bob, agent: {kind: exec}}]
tasks:
  - {subject: Sleep, owner: ada, run: setsid sleep 46.7}
  - {subject: Sleep too, owner: bob, run: sleep 46.7}
`;

const besides = ({ root }: Workplace, lead?: number) =>
  running().filter(({ cwd, pid }) => cwd?.startsWith(root) === true && pid !== lead);

it('that can read no process any more, ends with its members and what they started', { timeout: 60_000 }, async () => {
  // It can remove nothing that it wrote; the next lead does.
  allowLeft(/./);
  const place = new Workplace({ TEAMS_SHUTDOWN_TIMEOUT_MS: '100' });
  const shortage = join(place.root, 'shortage');
  place.put('crew.yaml', PLAN);
  place.environment['NODE_OPTIONS'] = `--require ${resolve('test/fixtures/no-files-left.cjs')}`;
  place.environment['SHORTAGE'] = shortage;
  const { child, ended } = place.start('run', 'crew.yaml');
  const asleep = () => besides(place).filter(({ command }) => command === 'sleep 46.7');
  await until(() => asleep().length === 2, 'both tasks sleep', 30_000);
  writeFileSync(shortage, '');
  child.kill('SIGTERM');
  const { code, err } = await ended;
  expect(code).toBe(4);
  expect(err).toContain('this process may open no more files');
  await until(() => besides(place, child.pid).length === 0, 'nothing is left');
});

it('that may write no larger file, waits and says why, and is not killed', { timeout: 60_000 }, async () => {
  allowLeft(/./);
  const place = new Workplace({ TEAMS_SHUTDOWN_TIMEOUT_MS: '100' });
  place.put('crew.yaml', PLAN.replaceAll('sleep 46.7', 'true'));
  // 2 KiB: a log with the team, and not with all of its run.
  const { code, err } = await place.shell('ulimit -f 2; timeout --preserve-status 10 teams run crew.yaml');
  // Its members have the same limit: on a busy machine one may meet it first, before it has started, so that none is.
  expect(err).toMatch(/(?:waits for the disk|NO_SPACE): .*EFBIG.*raise the limit \(`ulimit -f unlimited`\)/);
  expect([4, 5], err).toContain(code);
  await until(() => besides(place).length === 0, 'nothing is left');
});

it('a doctor that may write no file says so', async () => {
  const { err, out } = await new Workplace().shell('ulimit -f 0; teams doctor | cat');
  expect(`${out}${err}`).not.toMatch(/\n {4}at |bug in teams/);
});
