/** The frequent verbs print the same and end with the same code, from their own bundle and from that of all verbs. */
import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BIN } from '../support/cli.ts';
import { greatTeam } from '../support/great-team.ts';
import { tempDir } from '../support/temp.ts';

interface Answer {
  readonly code: unknown;
  readonly out: string;
  readonly err: string;
}

/** Ids, times and pids differ from run to run. */
const VARYING =
  /\b[0-9A-HJKMNP-TV-Z]{26}\b|\d{4}-\d\d-\d\dT[\d:.]+Z|\d\d:\d\d:\d\d|"?\d{10,}(?:\.\d+)?"?|\d+(?:\.\d+)? ?m?s\b/g;

const LINES = [
  'create t --member ada',
  'task create t look --owner ada --run true --json',
  'task create t again --blocked-by 1',
  'task create t --nonsense',
  'send t ada hello',
  'send t nobody hello',
  'send t ada',
  'send t --broadcast hello --json',
  'send t ada x --type nonsense --json',
  'task list t',
  'task list t --json',
  'task list t --status nonsense',
  'task get t 1',
  'task get t 9 --json',
  'task claim t --next --as ada',
  'task claim t 1 --as ada --json',
  'status t',
  'status t --json',
  'status other',
  'inbox t ada',
  'inbox t ada --json --max 1',
  'why t',
  'why t ada --json',
  'why t 1',
  'log t',
  'log t --json --since 2',
  'take t ada --max 1 --json',
  'task complete t 1 --as ada --result done',
  'task get t 1 --json',
  'list',
  'list --json --all',
  'list --root /nonexistent',
];

it('the frequent verbs answer the same from either bundle', async () => {
  const root = tempDir();
  const all = join(root, 'all.cjs');
  writeFileSync(
    all,
    `const { program } = require(${JSON.stringify(join(BIN, '..', 'load.cjs'))});
     program('teams').main(process.argv.slice(2)).then((code) => { process.exitCode = code; });`,
  );
  const [frequent, whole] = await Promise.all([BIN, all].map((program) => answers(program, tempDir())));
  expect(frequent).toEqual(whole);
});

async function answers(program: string, root: string): Promise<Record<string, Answer>> {
  const told: Record<string, Answer> = {};
  for (const line of LINES) told[line] = await answer(program, line.split(' '), root);
  return told;
}

const answer = (program: string | readonly string[], argv: readonly string[], root: string): Promise<Answer> =>
  new Promise((resolve) => {
    const env = { PATH: process.env['PATH'], HOME: root };
    execFile(process.execPath, [program, ...argv].flat(), { cwd: root, env }, (error, out, err) => {
      const same = (text: string): string => text.replaceAll(root, 'ROOT').replace(VARYING, '…');
      resolve({ code: error?.code ?? 0, out: same(out), err: same(err) });
    });
  });

it('the frequent verbs make no schema, on a board that begins at a checkpoint', async () => {
  const { paths } = greatTeam({ members: 4, tasks: 300, messages: 20 }, tempDir()).store;
  expect(existsSync(paths.checkpoint)).toBe(true);
  const hook = join(tempDir(), 'hook.cjs');
  writeFileSync(
    hook,
    `const fs = require('node:fs');
     const { readFileSync } = fs;
     fs.readFileSync = (path, ...rest) => {
       if (String(path).endsWith('zod.cjs')) process.stderr.write('zod');
       return readFileSync(path, ...rest);
     };`,
  );
  const program = ['--require', hook, BIN];
  const team = paths.name;
  for (const line of [
    `task list ${team}`,
    `task get ${team} 1`,
    `status ${team}`,
    `why ${team} 300`,
    `inbox ${team} ada`,
    `send ${team} ada hello`,
    'list',
  ]) {
    const { code, err } = await answer(program, line.split(' '), paths.root);
    expect([line, code]).toEqual([line, 0]);
    expect(err).not.toContain('zod');
  }
  // The hook sees it where it is.
  expect(await answer(program, ['task', 'create', team, 'look', '--json'], paths.root)).toMatchObject({ err: 'zod' });
});
