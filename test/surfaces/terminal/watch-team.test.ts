/** The plain lines of `teams watch`, where no event says what has happened. */
import { expect, it } from 'vitest';
import { listener, until, Workplace } from '../../support/cli.ts';

it('watch --plain says once that a killed lead leads no more, and how the run goes on', async () => {
  const place = new Workplace();
  place.put(
    'p.yaml',
    "name: p\nmembers: [{name: ada, agent: {kind: exec}}]\ntasks: [{subject: Wait, run: 'sleep 600'}]\n",
  );
  const run = place.start('run', 'p.yaml');
  await until(async () => (await place.teams('status', 'p')).out.includes('1 in progress'), 'the task begins');
  const { stdout, gone, heard, leave } = listener();
  const watched = place.say(['watch', 'p', '--plain'], { stdout, gone });
  const said = (): string => heard.join('');
  await until(() => said().includes('began #1'), 'the watch shows the past');
  expect(said()).not.toContain('no lead');
  run.child.kill('SIGKILL');
  const line = 'PROBLEM team it has no lead: teams resume p continues it\n';
  await until(() => said().includes(line), 'the watch says that there is no lead', 30_000);
  await until(async () => (await place.teams('status', 'p')).out.includes('dead'), 'its member ends', 30_000);
  await until(() => said().includes('PROBLEM member ada'), 'the watch says that its member is dead', 30_000);
  expect(said().split(line)).toHaveLength(2);
  leave();
  expect((await watched).code).toBe(0);
  await run.ended;
  expect((await place.teams('cancel', 'p', '--yes')).code).toBe(0);
});
