/**
 * An undo that is killed at any call that changes a file: the same command finishes it, the opposite one goes back, and
 * both are exact. An undo that fails goes back by itself.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BIN, Workplace } from '../support/cli.ts';
import { filesIn } from '../support/project-files.ts';

const PRELOAD = join(import.meta.dirname, '../fixtures/kill-at-call.mjs');

const DEED =
  'echo three >>a.txt; rm b.txt; mkdir -p new/er; echo n >new/er/n.txt; rm -r dir; echo f >dir; ln -s a.txt link; chmod +x c.sh; mv sub other; ln -s other sub';

async function ran(files?: readonly string[]) {
  const place = new Workplace();
  const at = join(place.root, 'work');
  for (const folder of ['dir', 'sub']) mkdirSync(join(at, folder), { recursive: true });
  const plan = {
    name: 'p',
    members: [{ name: 'ada', agent: { kind: 'exec' } }],
    tasks: [{ subject: 'Do', run: DEED, files }],
  };
  const texts = {
    'a.txt': 'one\n',
    'b.txt': 'bee\n',
    'c.sh': 'sea\n',
    'dir/d.txt': 'dee\n',
    'sub/e.txt': 'ee\n',
    'p.json': JSON.stringify(plan),
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(at, name), text);
  execFileSync('git', ['init', '-q'], { cwd: at });
  const before = filesIn(at);
  const { code, out, err } = await place.say(['run', 'p.json', '--quiet'], { cwd: at });
  expect(code, `${out}${err}`).toBe(0);
  const teams = (argv: string[]) => place.say(argv, { cwd: at });
  const faulty = (argv: string[], fault: Record<string, string>) => {
    const env = { ...place.environment, NODE_OPTIONS: `--import=${PRELOAD}`, KILL_BELOW: at, ...fault };
    return spawnSync(process.execPath, [BIN, ...argv], { cwd: at, encoding: 'utf8', env });
  };
  const killed = (argv: string[], n: number) => faulty(argv, { KILL_AT: String(n) });
  return { at, before, after: filesIn(at), teams, faulty, killed };
}

const UNDO = ['undo', 'p', '--yes'];
const REDO = ['undo', 'p', '--redo', '--yes'];

it(
  'killed before any change of a file, it is finished by the same command, or taken back by the other',
  { timeout: 600_000 },
  async () => {
    const { at, before, after, teams, killed } = await ran();
    let interrupted = 0;
    let isOver = false;
    for (let n = 1; !isOver; n += 1) {
      const end = killed(UNDO, n);
      isOver = end.signal === null;
      if (isOver) expect(end.status, end.stderr).toBe(0);
      const half = JSON.stringify(filesIn(at));
      const isHalf = half !== JSON.stringify(before) && half !== JSON.stringify(after);
      const said = (await teams(['diff', 'p'])).err;
      // What is half done is told.
      if (isHalf) expect(said, `call ${n}`).toContain('Taking back what this run changed in your files did not end');
      if (said.includes('did not end')) interrupted += 1;
      const [way, then] = n % 2 === 0 ? [UNDO, before] : [REDO, after];
      const answer = await teams(way);
      expect(answer.code, `call ${n}: ${answer.out}${answer.err}`).toBe(0);
      if (n % 2 === 0 || !isOver) expect(filesIn(at), `call ${n}, ${way.join(' ')}`).toEqual(then);
      expect((await teams(['diff', 'p'])).err, `call ${n}`).not.toContain('did not end');
      // And back to what the run left, to kill the next.
      expect((await teams(REDO)).code).toBe(0);
      expect(filesIn(at), `call ${n}`).toEqual(after);
    }
    expect(interrupted).toBeGreaterThan(8);
    // Files of the store that killed processes did not put in place; the next lead removes them.
    rmSync(join(at, '.teams'), { recursive: true });
  },
);

it(
  'going back may be killed, too, and what the user had taken back by hand is left by both',
  { timeout: 120_000 },
  async () => {
    const { at, before, after, teams, killed } = await ran();
    for (const [n, way] of [
      [20, UNDO],
      [24, REDO],
      [28, UNDO],
      [32, REDO],
    ] as const) {
      const isUndo = way === UNDO;
      const text = readFileSync(join(at, 'c.sh'), 'utf8');
      writeFileSync(join(at, 'a.txt'), 'one\n');
      expect(killed(UNDO, n).signal, `call ${n}`).toBe('SIGKILL');
      expect(killed(REDO, n - 3).signal, `back at call ${n}`).toBe('SIGKILL');
      expect((await teams(['diff', 'p'])).err).toContain('Taking back what this run changed in your files did not end');
      const { code, out, err } = await teams(way);
      expect(code, `${out}${err}`).toBe(0);
      expect(filesIn(at), `call ${n}`).toEqual(isUndo ? before : { ...after, 'a.txt': before['a.txt'] });
      expect((await teams(['diff', 'p'])).err).not.toContain('did not end');
      if (isUndo) {
        expect((await teams(REDO)).out).toContain('left, as you had taken its change back before the undo: a.txt');
        expect(filesIn(at)).toEqual({ ...after, 'a.txt': before['a.txt'] });
      }
      writeFileSync(join(at, 'a.txt'), 'one\nthree\n');
      expect([filesIn(at), readFileSync(join(at, 'c.sh'), 'utf8')], `call ${n}`).toEqual([after, text]);
    }
  },
);

it(
  'one task whose undo was killed is finished by its own command, and not forgotten by another',
  { timeout: 60_000 },
  async () => {
    const { after, at, before, teams, killed } = await ran([
      'a.txt',
      'b.txt',
      'new/**',
      'dir',
      'dir/**',
      'link',
      'c.sh',
      'sub',
      'sub/**',
      'other/**',
    ]);
    const undo = ['undo', 'p', '1', '--yes'];
    expect(killed(undo, 24).signal).toBe('SIGKILL');
    const said = 'Taking back what task #1 changed in your files did not end';
    const other = await teams(UNDO);
    expect([other.code, other.err]).toEqual([
      3,
      expect.stringContaining(
        `${said}: some files are as the run left them, some as they were before. \`teams undo p 1\` finishes it, \`teams undo p 1 --redo\` goes back.`,
      ),
    ]);
    expect((await teams([...undo, '--redo'])).out).toContain('It went back');
    expect(filesIn(at)).toEqual(after);
    expect(killed(undo, 24).signal).toBe('SIGKILL');
    const { code, out, err } = await teams(undo);
    expect([code, out], err).toEqual([0, expect.stringContaining('It is finished')]);
    expect(filesIn(at)).toEqual(before);
    rmSync(join(at, '.teams'), { recursive: true });
  },
);

it('an undo that fails leaves every file as it was, and says why', { timeout: 60_000 }, async () => {
  const { at, teams, faulty } = await ran();
  // What the user has taken back by hand stays so.
  rmSync(join(at, 'new'), { recursive: true });
  const after = filesIn(at);
  // The disk refuses one of the last changes.
  const { status, stderr } = faulty(UNDO, { FAIL_PATH: join(at, 'dir/d.txt') });
  expect(status).toBe(4);
  expect(stderr).toMatch(/Cannot change \S+dir\/d\.txt \(ENOSPC\)/);
  expect(filesIn(at)).toEqual(after);
  expect((await teams(['diff', 'p'])).err).not.toContain('did not end');
  expect((await teams(UNDO)).code).toBe(0);
  expect(existsSync(join(at, 'new'))).toBe(false);
});

it('a file that is changed while the undo is shown is left, and so are all others', { timeout: 60_000 }, async () => {
  const { at, faulty } = await ran();
  // As an editor that saves between the list of changes and the first of them.
  const { status, stderr } = faulty(UNDO, { LATE_PATH: join(at, 'a.txt') });
  expect(status).toBe(3);
  expect(stderr).toContain('a.txt was changed while the changes were shown');
  expect(readFileSync(join(at, 'a.txt'), 'utf8')).toBe('saved late\n');
  expect(existsSync(join(at, 'new/er/n.txt'))).toBe(true);
});
