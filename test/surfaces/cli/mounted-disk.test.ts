/** Verbs on a disk that is full or read-only, which the test mounts. */
import { describe, expect, it } from 'vitest';
import { Workplace } from '../../support/cli.ts';
import { noSmallDisk, onSmallDisk } from '../../support/small-disk.ts';

describe.skipIf(noSmallDisk())('a read-only file system', () => {
  it.each([
    'doctor',
    'status',
    'list',
    'log',
    'send duo ada hi',
    'task create duo x',
    'delete duo',
    'lead duo',
    'take duo ada',
  ])('`teams %s` prints no stack trace there, and says that it cannot write', async (words) => {
    const place = new Workplace();
    await place.teams('create', 'duo', '--member', 'ada');
    const line = `mount --bind . . && mount -o remount,ro,bind . && cd "$PWD" && teams ${words}`;
    const { code, out, err } = await place.shell(`unshare -Urm sh -c '${line}'`);
    expect(`${out}${err}`).not.toMatch(/\n {4}at |bug in teams|Cannot remove/);
    if (code !== 0) expect(code).toBe(words === 'doctor' ? 1 : 4);
    if (code === 4) expect(err).toContain('read-only');
  });
});

it.skipIf(noSmallDisk())('counts the lines that a full disk left out, and says so when it has room', async () => {
  const place = new Workplace();
  const members = [{ name: 'ada', agent: { kind: 'exec' } }];
  const tasks = [{ subject: 'Free', owner: 'ada', run: 'rm disk/fill; echo three' }];
  place.put('plan.json', JSON.stringify({ name: 'duo', members, tasks }));
  const line = 'cat /dev/zero > disk/fill 2>/dev/null; teams run plan.json 2> disk/log; cat disk/log >&2';
  const argv = onSmallDisk('disk', '64k', ['sh', '-c', line]);
  const { err } = await place.shell(`mkdir disk; ${argv.map((word) => `'${word}'`).join(' ')}`);
  expect(err).toMatch(
    /\nteams: \d+ lines? of output (?:was|were) left out here \(ENOSPC: no space left on device\); \S+\/events\.jsonl has all events\.\n/,
  );
});
