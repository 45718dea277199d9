/**
 * The end of a program in its isolation, and many of them at once. All processes inside hold the output open, so its end
 * is the event that the last of them is gone.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { isServed, serveLocal } from '../../src/os/local-server.ts';
import type { HeldProgram } from '../../src/runtime/isolation/open-program-isolation.ts';
import { fencePlace, openFence, runInside, startInside } from '../support/fence.ts';

const DAEMON = `(setsid env -i /bin/sh -c 'echo up; exec /bin/sleep 600' &);`;
const CHILD = `/bin/sh -c 'echo up; exec sleep 600' &`;
/** Eight processes: three daemons with two forks, four children, the shell. */
const EIGHT = `${DAEMON.repeat(3)} ${`${CHILD} `.repeat(4)} echo up; wait`;

/** Reads until eight processes are up; the rest ends with the last of them. */
async function eightUp(stdout: Readable): Promise<{ readonly gone: Promise<void> }> {
  const lines = createInterface({ input: stdout });
  const gone = new Promise<void>((resolve) => lines.once('close', resolve));
  await new Promise<void>((resolve) => {
    let up = 0;
    lines.on('line', () => {
      up += 1;
      if (up === 8) resolve();
    });
  });
  return { gone };
}

const childOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);

it.each([
  ['bubblewrap', (pid: number) => pid],
  ['the first process inside', childOf],
])('kill -9 of %s ends all eight processes', async (_, target) => {
  const place = fencePlace();
  const child = startInside(await openFence(place), place, EIGHT);
  const { gone } = await eightUp(child.stdout);
  process.kill(target(child.pid ?? 0), 'SIGKILL');
  await gone;
});

it("kill -9 of the member's process ends all eight processes", async () => {
  const place = fencePlace();
  const argv = (await openFence(place)).hold(['/bin/sh', '-c', EIGHT]);
  const start = `const [file, ...args] = JSON.parse(process.argv[1]); require('node:child_process').spawn(file, args, { stdio: 'inherit' });`;
  const member = spawn(process.execPath, ['-e', start, JSON.stringify(argv)], {
    cwd: place.work,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { gone } = await eightUp(member.stdout);
  member.kill('SIGKILL');
  await gone;
});

it('fifty members at once start, work and leave nothing', async () => {
  const place = fencePlace('/usr/bin:/bin');
  const before = readdirSync(place.work);
  const places = (): string[] => readdirSync(tmpdir()).filter((name) => /^teams-[A-Za-z0-9]{6}$/.test(name));
  const earlier = new Set(places());
  const names = Array.from({ length: 50 }, (_, index) => `m${index}`);
  const held = await Promise.all(names.map((member) => openFence(place, { member })));
  const said = await Promise.all(held.map((one, index) => runInside(one, place, `echo ${index} > ~/note; cat ~/note`)));
  expect(said).toEqual(names.map((__, index) => `${index}\n`));
  const mine = places().filter((name) => !earlier.has(name));
  expect(mine.length).toBeGreaterThanOrEqual(50);
  await Promise.all(held.map((one) => one.close()));
  expect(readdirSync(place.work)).toEqual(before);
  expect(readdirSync(join(place.home, '.local/state/teams/isolations'))).toEqual([]);
});

it('a start after a crash removes the directories that the crash left', async () => {
  const place = fencePlace();
  mkdirSync(join(place.work, '.vscode'));
  writeFileSync(join(place.work, '.gemini'), '');
  const before = readdirSync(place.work);
  const records = join(place.home, '.local/state/teams/isolations');
  mkdirSync(records, { recursive: true });
  mkdirSync(join(place.work, '.codex'));
  mkdirSync(join(place.work, '.claude/settings'), { recursive: true });
  const stubs = ['.codex', '.claude', '.env'].map((name) => join(place.work, name));
  writeFileSync(join(records, 'teams-dead.json'), JSON.stringify({ socket: join(place.base, 'gone'), stubs }));
  const held = await openFence(place);
  await held.close();
  // What somebody has filled meanwhile is not ours to remove.
  expect(readdirSync(place.work).toSorted()).toEqual([...before, '.claude'].toSorted());
  expect(readdirSync(records)).toEqual([]);
});

const socketOf = (held: HeldProgram): string =>
  join(/--ro-bind (\S+\/s) \/run\/teams\/s/.exec(held.hold(['true']).join(' '))?.[1] ?? '', 'sock');

it('a socket that is made anew is seen inside', async () => {
  const place = fencePlace();
  const held = await openFence(place);
  rmSync(socketOf(held));
  expect(await isServed(socketOf(held))).toBe(false);
  expect(await runInside(held, place, 'teams status 2>&1; echo $?')).toMatch(/cannot be reached.*\n4\n$/);
  const server = await serveLocal(socketOf(held), async (request) => {
    await request.send('stdout', Buffer.from('again\n'));
    await request.send('exit', Uint8Array.of(7));
  });
  expect(await runInside(held, place, 'teams status; echo $?')).toBe('again\n7\n');
  await server.close();
});
