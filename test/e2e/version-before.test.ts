/**
 * A team that the version before made is read, led on and archived. Its records name no folder and its marks are of
 * `RLIMIT_MSGQUEUE`: what they name is ended only if it holds the team's folder open.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { prlimitPath } from '../../src/os/mark-environment.ts';
import { identityOf, ownIdentity } from '../../src/os/process-table.ts';
import { BIN, Workplace } from '../support/cli.ts';
import { allowLeft } from '../support/leftovers.ts';
import { isRunning } from '../support/session.ts';

const FIXTURE = new URL('../fixtures/version-before/team.json', import.meta.url);
const fixtureSchema = z.object({ directories: z.array(z.string()), files: z.record(z.string(), z.string()) });

/** The limit that the recorded mark of ada is. */
const LIMIT = 66_047;

function place(): { at: Workplace; path: (file: string) => string } {
  const at = new Workplace();
  const { directories, files } = fixtureSchema.parse(JSON.parse(readFileSync(FIXTURE, 'utf8')));
  const path = (file: string): string => join(realpathSync(at.root), file);
  for (const directory of directories) mkdirSync(path(directory), { mode: 0o700, recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(path(file), text, { mode: 0o600 });
  mkdirSync(path('web'));
  return { at, path };
}

/** Lets the record of ada, and its mark, be of this boot, with an old enough lead. */
function recordOf(path: (file: string) => string, pid: number): void {
  const file = path('.teams/tt/processes/ada.json');
  const record = z.looseObject({ mark: z.looseObject({}) }).parse(JSON.parse(readFileSync(file, 'utf8')));
  const mark = { ...record.mark, bootId: ownIdentity().bootId, since: 1 };
  writeFileSync(file, JSON.stringify({ ...record, mark, ...identityOf(pid) }));
}

/** A process that carries the recorded mark. */
async function carrier(folder?: string): Promise<number> {
  const fd = folder === undefined ? undefined : openSync(folder, 'r');
  const argv = [`--msgqueue=${LIMIT}:${LIMIT}`, 'sleep', '60'];
  const child = spawn(prlimitPath() ?? 'prlimit', argv, {
    stdio: ['ignore', 'ignore', 'ignore', ...(fd === undefined ? [] : [fd])],
  });
  await once(child, 'spawn');
  if (fd !== undefined) closeSync(fd);
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const { pid = 0 } = child;
  while (!readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('sleep'))
    await new Promise((next) => setImmediate(next));
  return pid;
}

/** A verb as a process; returns when it has ended. */
async function run(at: Workplace, ...argv: string[]): Promise<{ code: number | null; err: string }> {
  const child = spawn(process.execPath, [BIN, ...argv], {
    cwd: at.root,
    env: at.environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let err = '';
  child.stderr.on('data', (data: Buffer) => (err += data.toString()));
  await once(child, 'close');
  return { code: child.exitCode, err };
}

it('a team of the version before is read, and reading it changes nothing', async () => {
  // The leases of the killed processes, as they were recorded.
  allowLeft(/\.teams\/tt\/(?:ada|lead)\.lock$/);
  const { at, path } = place();
  const files = (): [string, string][] =>
    readdirSync(path('.teams/tt'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
      .map((file) => [file, readFileSync(file, 'utf8')]);
  const before = files();
  const status = await at.teams('status', 'tt', '--json');
  expect(status.code).toBe(0);
  expect(JSON.parse(status.out)).toMatchObject({
    lead: { alive: false },
    tasks: { total: 3, completed: 1, inProgress: 1 },
  });
  expect((await at.teams('inbox', 'tt', 'ada')).out).toContain('hello from the version before');
  expect((await at.teams('task', 'list', 'tt')).out).toContain('Zero');
  expect((await at.teams('log', 'tt')).out).toContain('began #');
  expect((await at.teams('why', 'tt')).code).toBe(0);
  expect(files()).toEqual(before);
});

it('a team of the version before is led on where its project lies now, and archived; nothing of its command runs before it is trusted', async () => {
  const { at, path } = place();
  writeFileSync(path('web/go'), '');
  expect(await run(at, 'resume', 'tt')).toMatchObject({ code: 4 });
  expect(existsSync(path('web/done'))).toBe(false);
  expect((await at.teams('doctor', '--trust', 'tt', '--yes')).code).toBe(0);
  expect(await run(at, 'resume', 'tt')).toMatchObject({ code: 0 });
  for (const file of ['web/done', 'web/two']) expect(readFileSync(path(file), 'utf8').trim()).toBe(path('web'));
  expect(existsSync(path('web/zero'))).toBe(false);
  expect((await at.teams('delete', 'tt', '--yes')).code).toBe(0);
  expect(existsSync(path('.teams/tt'))).toBe(false);
  const [archived = ''] = readdirSync(path('.teams/.archive'));
  expect(readFileSync(path(`.teams/.archive/${archived}/tasks/log.jsonl`), 'utf8')).toContain('team.closed');
});

it.runIf(process.platform === 'linux' && prlimitPath() !== undefined)(
  'a process with a recorded mark of the version before is ended only if it holds the folder open',
  async () => {
    for (const isOurs of [false, true]) {
      const { at, path } = place();
      writeFileSync(path('web/go'), '');
      const pid = await carrier(isOurs ? path('.teams/tt') : undefined);
      // The mark is that of the process; the recorded pid is of none.
      recordOf(path, pid);
      // It says that ada's process is left, too, and so it does not end with 0.
      expect((await at.teams('doctor', '--trust', 'tt', '--yes')).out).toMatch(/tt: seal +yours/);
      expect(await run(at, 'resume', 'tt', '--takeover')).toMatchObject({ code: 0 });
      expect(isRunning(pid)).toBe(!isOurs);
      expect((await at.teams('delete', 'tt', '--yes')).code).toBe(0);
      expect(isRunning(pid)).toBe(!isOurs);
    }
  },
);
