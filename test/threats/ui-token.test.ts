/** The token of `teams ui` is printed, and is nowhere else: not on argv, not in the environment, in no file. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { BIN, Workplace } from '../support/cli.ts';

const onLinux = process.platform === 'linux';

it.runIf(onLinux)('the token of the page stays in its process and in what it printed', async () => {
  const place = new Workplace();
  const { root: cwd, environment: env } = place;
  await place.teams('create', 'crew', '--member', 'ada');
  const page = spawn(process.execPath, [BIN, 'ui'], { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(page, 'exit');
  onTestFinished(async () => {
    page.kill('SIGINT');
    await ended;
  });
  const [line] = (await once(createInterface({ input: page.stdout }), 'line')) as [string];
  const { origin, hash } = new URL(line);
  const token = new URLSearchParams(hash.slice(1)).get('token') ?? '';
  expect(token).toHaveLength(43);
  const asked = (headers: Record<string, string>) => fetch(`${origin}/api/teams`, { headers });
  expect((await asked({})).status).toBe(401);
  expect((await asked({ authorization: `Bearer ${token}` })).status).toBe(200);
  expect((await place.teams('send', 'crew', 'ada', 'hello')).code).toBe(0);
  const about = (file: string): string => readFileSync(`/proc/${String(page.pid)}/${file}`, 'latin1');
  expect(about('cmdline')).toContain('ui');
  expect([about('cmdline').includes(token), about('environ').includes(token)]).toEqual([false, false]);
  // It exits with 1, where nothing is found.
  const found = () => execFileSync('grep', ['-rlF', '-e', token, cwd], { encoding: 'utf8' });
  expect(found).toThrow(expect.objectContaining({ status: 1, stdout: '' }) as Error);
});
