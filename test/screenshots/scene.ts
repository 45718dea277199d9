/**
 * A team at work for the screenshots: tasks in every state, a question, failures, mail, spending, output of its members
 * and changes in a git repository. It ends now, so that the page shows times as a person sees them.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { onTestFinished } from 'vitest';
import { LeadMemory } from '../../src/runtime/lead/lead-memory.ts';
import { writeState } from '../../src/runtime/lead/run-state.ts';
import { OutputLog } from '../../src/store/board/output-log.ts';
import { FakeClock } from '../support/clock.ts';
import { greatTeam, type Sizes } from '../support/great-team.ts';
import { tempDir } from '../support/temp.ts';
import { name } from '../support/team.ts';
import type { ToldTeam } from '../support/told-team.ts';

export const SCENES: Readonly<Record<number, Sizes>> = {
  12: { members: 4, tasks: 12, messages: 8, failures: 1 },
  50: { members: 8, tasks: 50, messages: 40, failures: 3 },
  2_000: { members: 16, tasks: 2_000, messages: 600, failures: 9 },
};

export async function scene(sizes: Sizes): Promise<ToldTeam> {
  const past = new FakeClock();
  greatTeam(sizes, undefined, past);
  const root = tempDir();
  const commit = repository(root);
  const team = greatTeam(sizes, root, new FakeClock(Date.now() - past.monotonic()));
  const facts = { status: 'active', phase: 'executing', start: { commit, directory: root } } as const;
  await writeState(team.store, 1, new LeadMemory(team.clock), facts);
  change(root);
  for (const task of team.store.board.fold().tasks.values()) {
    if (task.status === 'in_progress') output(team, task.claim.member, task);
    if (task.status === 'failed' && task.by !== undefined) output(team, task.by.member, task);
  }
  return team;
}

const LOGIN = (hours: number): string => `import { createHash } from 'node:crypto';

/** How long a session is valid. */
const SESSION_MS = ${hours} * 3_600_000;

export function sessionOf(user: string, now: number): Session {
  const token = createHash('sha256').update(user).digest('hex');
  return { user, token, until: now + SESSION_MS };
}
`;

/** @returns the commit of the files before the work */
function repository(root: string): string {
  const git = (...words: string[]): string =>
    execFileSync('git', ['-c', 'user.name=me', '-c', 'user.email=me@localhost', ...words], {
      cwd: root,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_NOSYSTEM: '1' },
    }).trim();
  git('init', '-q');
  write(root, '.gitignore', '/.tasks/\n/.teams/\n/key\n');
  write(root, 'src/login.ts', LOGIN(1));
  write(root, 'docs/login.md', '# Login\n\nA session is valid for one hour.\n');
  git('add', '-A');
  git('commit', '-qm', 'begin');
  return git('rev-parse', 'HEAD');
}

function change(root: string): void {
  write(root, 'src/login.ts', LOGIN(24));
  write(root, 'docs/login.md', '# Login\n\nA session is valid for one day; it is renewed by every request.\n');
  write(root, 'test/login.test.ts', "it('a session is valid for one day', () => {});\n");
}

function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function output(team: ToldTeam, member: string, { id, claims }: { id: string; claims: number }): void {
  const { disk, paths, clock } = team.store;
  const log = new OutputLog(disk, paths.output(name(member)), paths.outputParts(name(member)));
  onTestFinished(() => log.close());
  log.begin({ task: id, claim: claims }, new Date(clock.now()).toISOString());
  const files = Array.from(
    { length: 30 },
    (_, index) => ` ✓ test/login/part-${index + 1}.test.ts (${index + 3} tests) ${12 + index * 7}ms`,
  );
  const long = `AssertionError: expected { status: 401, headers: { "www-authenticate": "Bearer realm=login" } } to match { status: 200 } at test/login/renewal.test.ts:41:23`;
  log.append(Buffer.from(['> npm test', '', ...files, long, ''].join('\n')));
}
