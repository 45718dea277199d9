/** Which process holds a directory open. */
import { closeSync, mkdirSync, openSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { holdsOpen } from '../../src/os/open-directory.ts';
import { tempDir } from '../support/temp.ts';

it.runIf(process.platform === 'linux')('a process holds a directory that it opened, wherever it is moved', () => {
  const root = tempDir();
  const [at, to, other] = ['at', 'to', 'other'].map((name) => join(root, name)) as [string, string, string];
  for (const path of [at, other]) mkdirSync(path);
  writeFileSync(join(at, 'file'), '');
  const stat = statSync(at);
  expect(holdsOpen(process.pid, stat)).toBe(false);
  const [fd, file] = [openSync(at, 'r'), openSync(join(at, 'file'), 'r')];
  expect(holdsOpen(process.pid, stat)).toBe(true);
  expect(holdsOpen(process.pid, statSync(other))).toBe(false);
  expect(holdsOpen(process.pid, statSync(join(at, 'file')))).toBe(false);
  expect(holdsOpen(process.pid, { dev: stat.dev + 1, ino: stat.ino })).toBe(false);
  renameSync(at, to);
  expect(holdsOpen(process.pid, statSync(to))).toBe(true);
  for (const one of [fd, file]) closeSync(one);
  expect(holdsOpen(process.pid, stat)).toBe(false);
});

it.runIf(process.platform === 'linux')('a process that has ended holds nothing', async () => {
  const root = tempDir();
  const fd = openSync(root, 'r');
  const child = spawn('sleep', ['60'], { stdio: ['ignore', 'ignore', 'ignore', fd] });
  onTestFinished(() => void child.kill('SIGKILL'));
  closeSync(fd);
  const { pid = 0 } = child;
  expect(holdsOpen(pid, statSync(root))).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(holdsOpen(pid, statSync(root))).toBe(false);
});
