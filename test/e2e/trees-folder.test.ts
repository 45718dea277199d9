/** `isolation: trees` in a folder without git: the same life of a change, with a repository of ours behind the folder. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { until, Workplace, type Answer } from '../support/cli.ts';
import { EXEC } from '../support/tree-scene.ts';

interface Folder {
  readonly place: Workplace;
  readonly at: string;
  readonly teams: (...argv: string[]) => Promise<Answer>;
}

function folder(plan: object): Folder {
  const place = new Workplace();
  const at = join(place.root, 'work');
  mkdirSync(join(at, 'node_modules'), { recursive: true });
  const files = { 'a.txt': 'one\r\ntwo\nthree\n', 'count.txt': '0\n', '.gitignore': 'node_modules/\n' };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(at, name), text);
  writeFileSync(join(at, 'node_modules/kept'), 'lent\n');
  writeFileSync(join(at, 'p.json'), JSON.stringify({ name: 'p', isolation: 'trees', members: EXEC, ...plan }));
  return { place, at, teams: (...argv) => place.say(argv, { cwd: at }) };
}

const stateOf = (at: string): object =>
  Object.fromEntries(
    readdirSync(at)
      .filter((name) => !name.startsWith('.t') && name !== 'node_modules')
      .map((name) => [name, readFileSync(join(at, name), 'utf8')]),
  );

it('changes land, are shown, applied and taken back, and the folder gets no repository', async () => {
  const { at, teams } = folder({
    isolation: { mode: 'trees', lend: ['node_modules'] },
    gates: { test: 'test ! -f bad.txt' },
    tasks: [
      { subject: 'One', owner: 'ada', run: 'cat node_modules/kept >ada.txt; sed -i s/two/TWO/ a.txt' },
      { subject: 'Two', owner: 'bob', run: 'rm count.txt; git status --short >status.txt', blockedBy: [1] },
    ],
  });
  const before = stateOf(at);
  const { code, out, err } = await teams('run', 'p.json', '--quiet');
  expect(code, `${out}${err}`).toBe(0);
  expect(out).toContain('Apply: teams apply p');
  expect(stateOf(at)).toEqual(before);
  expect((await teams('diff', 'p', '1')).out).toContain('+TWO');
  writeFileSync(join(at, 'mine.txt'), 'mine\n');
  const applied = await teams('apply', 'p');
  expect(applied.code, applied.err).toBe(0);
  expect(readFileSync(join(at, 'a.txt'), 'utf8')).toBe('one\r\nTWO\nthree\n');
  expect(stateOf(at)).toMatchObject({
    'ada.txt': 'lent\n',
    'mine.txt': 'mine\n',
    'status.txt': expect.any(String) as unknown,
  });
  expect([existsSync(join(at, 'count.txt')), existsSync(join(at, '.git'))]).toEqual([false, false]);
  const branch = await teams('apply', 'p', '--branch', 'b');
  expect([branch.code, branch.err]).toEqual([2, expect.stringContaining('in no git repository')]);
  const one = await teams('undo', 'p', '1', '--yes');
  expect(one.code, one.err).toBe(0);
  expect((await teams('undo', 'p', '--yes')).code).toBe(0);
  expect(stateOf(at)).toEqual({ ...before, 'mine.txt': 'mine\n' });
  expect((await teams('undo', 'p', '--redo', '--yes')).code).toBe(0);
  // The team's own folder may go: what it kept outlives it, until it is pruned.
  expect((await teams('delete', 'p', '--force')).code).toBe(0);
  expect((await teams('diff', 'p', '1')).out).toContain('+TWO');
}, 60_000);

it('a lead that is killed in the middle is resumed, and nothing is lost', async () => {
  const { place, at, teams } = folder({
    tasks: Array.from({ length: 4 }, (_, n) => ({
      subject: `Add ${n}`,
      run: `sleep 0.2; echo ${n} >>a.txt; echo ${n} >${n}.txt`,
    })),
  });
  const ended = place.shell('cd work && teams run p.json --quiet');
  const log = join(at, '.tasks/p/log.jsonl');
  await until(() => existsSync(log) && readFileSync(log, 'utf8').includes('task.landed'), 'one landed', 30_000);
  const { lead } = z
    .object({ lead: z.object({ pid: z.number() }) })
    .parse(JSON.parse((await teams('status', 'p', '--json')).out));
  process.kill(lead.pid, 'SIGKILL');
  await ended;
  const resumed = await teams('resume', 'p', '--quiet');
  expect(resumed.code, `${resumed.out}${resumed.err}`).toBe(0);
  expect((await teams('apply', 'p')).code).toBe(0);
  expect(readFileSync(join(at, 'a.txt'), 'utf8').trim().split('\n').slice(3).sort()).toEqual(['0', '1', '2', '3']);
  for (const n of [0, 1, 2, 3]) expect(readFileSync(join(at, `${n}.txt`), 'utf8')).toBe(`${n}\n`);
}, 60_000);

it('a repository of ours that another program configured is not used', async () => {
  const { at, teams } = folder({ tasks: [{ subject: 'One', run: 'echo one >one.txt' }] });
  expect((await teams('run', 'p.json', '--quiet')).code).toBe(0);
  const config = join(at, '.teams/.files.git/config');
  writeFileSync(config, `${readFileSync(config, 'utf8')}[filter "x"]\n\tclean = touch /tmp/never\n`);
  const { code, err } = await teams('apply', 'p');
  expect([code, err]).toEqual([2, expect.stringContaining('was changed by another program')]);
  expect(existsSync(join(at, 'one.txt'))).toBe(false);
});

it('without trees, and with auto, a folder without git is as it was', async () => {
  const { at, teams } = folder({ isolation: 'auto', tasks: [{ subject: 'One', run: 'echo one >one.txt' }] });
  const { code, err } = await teams('run', 'p.json');
  expect(code).toBe(0);
  expect(err).toContain('the working directory is in no git repository');
  expect([existsSync(join(at, 'one.txt')), existsSync(join(at, '.teams/.files.git'))]).toEqual([true, false]);
});
