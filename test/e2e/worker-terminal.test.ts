/** `teams worker` tells the person at its terminal what it does and why it ended. */
import { describe, expect, it } from 'vitest';
import { until, Workplace } from '../support/cli.ts';

async function teamWith(...tasks: string[]): Promise<Workplace> {
  const place = new Workplace({ TEAMS_SHUTDOWN_TIMEOUT_MS: '500' });
  await place.teams('create', 'login', '--member', 'ada', '--member', 'bob');
  for (const subject of tasks) await place.teams('task', 'create', '--subject', subject);
  return place;
}

const AGENT = [
  '--agent',
  'exec:cat >/dev/null; echo line one; echo line two >&2; case $TEAMS_TASK_ID in 2) exit 4;; esac',
];

describe('a worker in its own terminal', () => {
  it('prints its tasks, its output and its end, and nothing of other members', { timeout: 30_000 }, async () => {
    const place = await teamWith('Build', 'Test');
    const worker = place.start('worker', 'login', 'ada', ...AGENT, '--idle-timeout', '2s');
    await place.teams('send', 'bob', 'not for ada');
    const { code, out, err } = await worker.ended;
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(err).toMatch(/^ada works for team login; Ctrl-C ends it\.\n/);
    expect(err).toMatch(/\[ada\] [^\n]*#1 Build[^]*\[ada\] line one\n[^]*\[ada\] line two\n[^]*\[ada\] [^\n]*#1/);
    expect(err).toMatch(/\[ada\] [^\n]*#2[^\n]*exit 4/);
    expect(err).not.toContain('bob');
    expect(err).toMatch(/\nada ended: it had no work for the time of --idle-timeout, and left team login\.\n$/);
  });

  it.each([
    [
      'its team is closed',
      (place: Workplace) => place.teams('delete', 'login', '--force', '--yes'),
      /ada ended: (?:the lead asked it to stop|team login was closed; `teams report login` shows how it ended)\.\n$/,
    ],
    [
      'Ctrl-C',
      (_place: Workplace, kill: () => void) => kill(),
      /ada ended: it was stopped here\. A task that it had is free again\.\n$/,
    ],
  ] as const)('says why it ended: %s', { timeout: 30_000 }, async (_why, end, says) => {
    const place = await teamWith('Build');
    const { child, ended } = place.start('worker', 'login', 'ada', '--agent', 'exec:sleep 47.5');
    let heard = '';
    child.stderr.on('data', (chunk: Buffer) => (heard += chunk.toString()));
    await until(() => heard.includes('#1'), 'ada works');
    await end(place, () => void child.kill('SIGINT'));
    expect((await ended).err).toMatch(says);
  });

  it('--quiet prints nothing of it', async () => {
    const place = await teamWith('Build');
    const { err } = await place.start('worker', 'login', 'ada', ...AGENT, '--idle-timeout', '1s', '--quiet').ended;
    expect(err).toBe('');
  });
});
