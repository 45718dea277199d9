/**
 * A part of a repository that is a project of its own, and a copy of it beside it: both teams have one ULID, and one
 * repository. What the copy does takes nothing from the original.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Workplace } from '../support/cli.ts';

const runState = z.looseObject({ lives: z.array(z.looseObject({ start: z.string(), end: z.string() })) });
const PLAN = { name: 'duo', members: [{ name: 'ada', agent: 'exec' }] };

class Parts {
  readonly place = new Workplace();
  readonly at = join(this.place.root, 'work');

  /** A run that did its task, in the part `o`, and a copy of that part. */
  async copied(run: string, code: number): Promise<void> {
    mkdirSync(join(this.at, 'o'), { recursive: true });
    this.git('init', '-q');
    writeFileSync(join(this.at, 'o/a.txt'), 'one\n');
    this.git('add', '-A');
    this.git('commit', '-qm', 'begin');
    writeFileSync(join(this.place.root, 'plan.json'), JSON.stringify({ ...PLAN, tasks: [{ subject: 'Do', run }] }));
    expect((await this.teams('o', 'run', join(this.place.root, 'plan.json'), '--quiet', '--yes')).code).toBe(code);
    cpSync(join(this.at, 'o'), join(this.at, 'c'), { recursive: true, preserveTimestamps: true });
  }

  teams(part: string, ...argv: string[]) {
    return this.place.say(argv, { cwd: join(this.at, part) });
  }

  git(...args: string[]): string {
    return execFileSync('git', ['-c', 'user.name=me', '-c', 'user.email=me@here', ...args], {
      cwd: this.at,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: this.at, GIT_CONFIG_NOSYSTEM: '1' },
    });
  }

  /** The commits of all lives of a part's run. */
  lives(part: string): string[] {
    const state = runState.parse(JSON.parse(readFileSync(join(this.at, part, '.teams/duo/state.json'), 'utf8')));
    return state.lives.flatMap(({ start, end }) => [start, end]);
  }

  read(file: string): string {
    return readFileSync(join(this.at, file), 'utf8');
  }
}

describe('a copy in the same repository', () => {
  it('that is pruned leaves the refs of the original', async () => {
    const parts = new Parts();
    await parts.copied('echo two >a.txt', 0);
    const before = parts.git('for-each-ref');
    expect((await parts.teams('c', 'delete', 'duo', '--yes')).code).toBe(0);
    const { code, out, err } = await parts.teams('c', 'prune', '--all', '--yes');
    expect([code, out, err]).toEqual([0, expect.stringContaining('Removed 1 archived team.'), '']);
    expect(parts.git('for-each-ref')).toBe(before);
    parts.git('gc', '--quiet', '--prune=now');
    expect((await parts.teams('o', 'undo', 'duo', '--yes')).code).toBe(0);
    expect(parts.read('o/a.txt')).toBe('one\n');
    expect((await parts.teams('o', 'delete', 'duo', '--yes')).code).toBe(0);
    expect((await parts.teams('o', 'prune', '--all', '--yes')).code).toBe(0);
    expect(parts.git('for-each-ref', 'refs/teams')).toBe('');
  });

  it('takes back nothing of the original, and says where that is', async () => {
    const parts = new Parts();
    await parts.copied('echo two >a.txt', 0);
    const { code, err } = await parts.teams('c', 'undo', 'duo', '--yes');
    expect([code, err]).toEqual([
      3,
      `teams: Nothing was taken back: this team is a copy of the one in ${parts.at}/o, whose run changed files there. Run \`teams undo duo\` there.\n`,
    ]);
    expect(parts.read('o/a.txt')).toBe('two\n');
  });

  it('goes on under refs of its own', async () => {
    const parts = new Parts();
    await parts.copied('echo two >>a.txt; test -e good', 1);
    for (const part of ['o', 'c']) {
      writeFileSync(join(parts.at, part, 'good'), part);
      expect((await parts.teams(part, 'task', 'retry', 'duo', '1')).code).toBe(0);
      expect((await parts.teams(part, 'resume', 'duo', '--quiet')).code).toBe(0);
    }
    parts.git('gc', '--quiet', '--prune=now');
    const all = new Set([...parts.lives('o'), ...parts.lives('c')]);
    expect(all.size).toBe(6);
    for (const commit of all) expect(parts.git('for-each-ref', '--contains', commit, 'refs/teams')).not.toBe('');
    expect(existsSync(join(parts.at, 'c/good'))).toBe(true);
  });
});
