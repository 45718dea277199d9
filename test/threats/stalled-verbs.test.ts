/**
 * A verb is stopped (SIGSTOP) at any moment while another one works on a team of the same name, and then goes on: what
 * was acknowledged is there. `test/store/stalls.test.ts` stops at each file call; here the moment is drawn, and the
 * programs are the real ones. `npm run test:repeat` runs it many times.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { BIN, failureSchema, Workplace } from '../support/cli.ts';

/** A verb that lasts as long is stopped somewhere in between. */
const LASTS_MS = 600;

interface Stopped {
  /** Lets it go on. */
  readonly end: () => Promise<{ code: number | null; out: string }>;
}

async function stopped(at: Workplace, ...argv: string[]): Promise<Stopped> {
  const child = spawn(process.execPath, [BIN, ...argv, '--json'], {
    cwd: at.root,
    env: at.environment,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = Promise.all([text(child.stdout), once(child, 'close')]);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await sleep(Math.random() * LASTS_MS);
  child.kill('SIGSTOP');
  const end = async (): Promise<{ code: number | null; out: string }> => {
    child.kill('SIGCONT');
    const [out] = await ended;
    return { code: child.exitCode, out };
  };
  return { end };
}

/** What may be said of a name that another process has, had, or is about to have. */
const CLEAR = ['TEAM_EXISTS', 'TEAM_GONE', 'UNKNOWN_TEAM', 'LOCK_TIMEOUT', 'STILL_RUNNING'];

const tasksSchema = z.looseObject({ tasks: z.array(z.looseObject({ subject: z.string() })) });

async function subjects(at: Workplace): Promise<string[]> {
  const { out } = await at.teams('task', 'list', 'tt', '--json');
  return tasksSchema.parse(JSON.parse(out)).tasks.map(({ subject }) => subject);
}

function expectClear({ code, out }: { code: number | null; out: string }): void {
  if (code === 0) return;
  expect(CLEAR, out).toContain(failureSchema.parse(JSON.parse(out.trim())).error.code);
}

const SUBJECTS = ['One', 'Two', 'Three'];

/** Makes the team and its tasks while another process is stopped; whatever it makes is acknowledged. */
async function made(at: Workplace): Promise<boolean> {
  const created = await at.teams('create', 'tt', '--json');
  expectClear(created);
  if (created.code !== 0) return false;
  for (const subject of SUBJECTS) expect((await at.teams('task', 'create', 'tt', subject)).code).toBe(0);
  return true;
}

it('a create that is stopped at any moment takes nothing from a team that is made meanwhile', async () => {
  const at = new Workplace();
  const create = await stopped(at, 'create', 'tt');
  const isMade = await made(at);
  const answer = await create.end();
  expectClear(answer);
  expect([isMade, answer.code === 0].filter(Boolean)).toHaveLength(1);
  expect(await subjects(at)).toEqual(isMade ? SUBJECTS : []);
});

it('a delete that is stopped at any moment takes nothing from a team that is made meanwhile', async () => {
  const at = new Workplace();
  await at.teams('create', 'tt');
  await at.teams('task', 'create', 'tt', 'Before');
  const remove = await stopped(at, 'delete', 'tt', '--yes');
  const isMade = await made(at);
  const answer = await remove.end();
  expectClear(answer);
  // Either the team is there, with all that it had, or it is put away.
  if (isMade) expect(await subjects(at)).toEqual(SUBJECTS);
  else expect((await at.teams('task', 'create', 'tt', 'After')).code === 0).toBe(answer.code !== 0);
});
