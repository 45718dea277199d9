import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allowLeft, expectNothingLeft } from './leftovers.ts';
import { pids } from './processes.ts';
import { tempDir } from './temp.ts';

const now = (): ReadonlySet<number> => new Set(pids());

describe('the check after each test', () => {
  it('the check after each test finds a child that still runs, and ends it', async () => {
    const before = now();
    const child = spawn('sleep', ['60']);
    await once(child, 'spawn');
    const ended = once(child, 'exit');
    await expect(expectNothingLeft(before)).rejects.toThrow('left behind');
    expect(await ended).toEqual([null, 'SIGKILL']);
  });

  it('the check finds a process in another session by its working directory', async () => {
    const before = now();
    const cwd = tempDir();
    const starter = spawn('sh', ['-c', 'sleep 60 & echo started'], {
      cwd,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(starter.stdout, 'data');
    await expect(expectNothingLeft(before)).rejects.toThrow('left behind');
  });

  it.each(['lead.lock', 'lead.lock~0af3', 'config.json.9.tmp'])(
    'the check finds %s, and removes its directory',
    async (name) => {
      const directory = tempDir();
      writeFileSync(join(directory, name), '');
      await expect(expectNothingLeft(now())).rejects.toThrow('left behind');
      expect(existsSync(directory)).toBe(false);
    },
  );

  it('the check allows what a test declares', async () => {
    writeFileSync(join(tempDir(), 'dead.lock'), '');
    allowLeft(/dead\.lock$/);
    await expectNothingLeft(now());
  });

  it('the check accepts files, and a child that has ended', async () => {
    const before = now();
    writeFileSync(join(tempDir(), 'log.jsonl'), '');
    await once(spawn('true'), 'exit');
    await expectNothingLeft(before);
  });
});
