/** An isolation of a member's program in directories of the test, and commands in it. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { openProgramIsolation, type HeldProgram } from '../../src/runtime/isolation/open-program-isolation.ts';
import { main } from '../../src/surfaces/cli/main.ts';

export interface FencePlace {
  readonly base: string;
  readonly work: string;
  readonly home: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Where a member's home is on the host. */
export const ownHomeOf = ({ home }: FencePlace, member = 'ada'): string =>
  join(home, '.local/state/teams/homes/team', member);

/** A home with a workspace; not below /tmp, which is empty inside anyway. */
export function fencePlace(path = process.env['PATH'] ?? ''): FencePlace {
  const base = mkdtempSync(join(realpathSync(homedir()), '.fence-test-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [work, home] = [join(base, 'home/work'), join(base, 'home')];
  mkdirSync(join(work, '.teams/crew'), { recursive: true });
  const environment = { HOME: home, XDG_STATE_HOME: join(home, '.local/state'), PATH: path };
  return { base, work, home, environment };
}

export async function openFence(
  place: FencePlace,
  how: { isWritable?: boolean; root?: string; member?: string; handed?: readonly string[] } = {},
): Promise<HeldProgram> {
  const { work, environment } = place;
  const { isWritable = true, root = work, member = 'ada', handed = [] } = how;
  const team = join(work, '.teams/crew');
  const ownHome = ownHomeOf(place, member);
  mkdirSync(ownHome, { recursive: true });
  const isolation = await openProgramIsolation({
    setting: 'auto',
    root,
    isWritable,
    ownHome,
    shared: [],
    team: [team, join(work, '.tasks/crew')],
    readable: [],
    handed,
    programs: [],
    member: { name: member, team: 'crew', environment: {} },
    commandLine: main,
    environment,
  });
  if (isolation.kind === 'missing') throw new Error(isolation.why);
  onTestFinished(() => isolation.close());
  return isolation;
}

export function startInside(
  held: HeldProgram,
  { work, home, environment }: FencePlace,
  script: string,
  { env = {}, cwd = work }: { env?: Record<string, string>; cwd?: string } = {},
): ChildProcessByStdio<null, Readable, null> {
  const [file = '', ...args] = held.hold(['/bin/sh', '-c', script], env);
  return spawn(file, args, {
    cwd,
    env: { PATH: `/run/teams/bin:${environment['PATH'] ?? ''}`, HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

export const runInside = (...run: Parameters<typeof startInside>): Promise<string> => text(startInside(...run).stdout);
