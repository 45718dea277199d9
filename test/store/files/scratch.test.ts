/** Scratch directories: gone at the end of the work, and those of a killed process at the next work of any process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { beforeEach, expect, it } from 'vitest';
import { program } from '../../support/programs.ts';
import { tempDir } from '../../support/temp.ts';

let place = '';
beforeEach(() => (place = tempDir()));

/** A process that works in a scratch directory until it is told to end or is killed. */
async function working(): Promise<{ kill: () => Promise<void>; end: () => Promise<void> }> {
  const child = spawn(process.execPath, [program('scratch-worker')], {
    env: { ...process.env, TMPDIR: place },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  const ended = async (stop: () => void): Promise<void> => {
    const exit = once(child, 'exit');
    stop();
    await exit;
  };
  return { kill: () => ended(() => child.kill('SIGKILL')), end: () => ended(() => child.stdin.end()) };
}

const left = (): string[] => readdirSync(place).filter((name) => name.startsWith('teams-'));

it('a scratch directory is gone at the end of its work', async () => {
  const work = await working();
  expect(left()).toHaveLength(1);
  await work.end();
  expect(left()).toEqual([]);
});

it('that of a killed process is removed by the next that works, and that of a living one is not', async () => {
  const killed = await working();
  const living = await working();
  expect(left()).toHaveLength(2);
  await killed.kill();
  expect(left()).toHaveLength(2);
  const next = await working();
  expect(left()).toHaveLength(2);
  await Promise.all([living.end(), next.end()]);
  expect(left()).toEqual([]);
});

it('what is not proven to be of a dead process of this machine stays', async () => {
  const killed = await working();
  const [name = ''] = left();
  await killed.kill();
  const [, pid = '', startTime = '', where = '', random = ''] = name.split('-');
  const kept = [
    ['teams', pid, startTime, '0'.repeat(8), random].join('-'), // of another boot or namespace
    ['teams', pid, startTime, where].join('-'),
    ['teams', random].join('-'),
    ['mine', pid, startTime, where, random].join('-'),
    ['teams', process.pid.toString(36), startTime, where, 'aaaaaa', 'b'].join('-'),
  ];
  for (const one of kept) mkdirSync(join(place, one));
  const target = join(place, 'target');
  mkdirSync(target);
  writeFileSync(join(target, 'file'), 'x');
  const [link, file] = ['aaaaaa', 'bbbbbb'].map((end) => ['teams', pid, startTime, where, end].join('-'));
  symlinkSync(target, join(place, link ?? ''));
  writeFileSync(join(place, file ?? ''), 'x');
  const next = await working();
  await next.end();
  expect(left().sort()).toEqual([...kept.filter((one) => one.startsWith('teams-')), link, file].sort());
  expect(existsSync(join(place, kept[3] ?? ''))).toBe(true);
  expect(existsSync(join(target, 'file'))).toBe(true);
  for (const one of kept) rmdirSync(join(place, one));
});
