/**
 * An apply that is killed at any call that changes a file, while the user goes on: `undo --redo` finishes it, `undo` takes
 * it back, both are exact, and no byte of the user's is lost. `APPLY_KILLS=1` kills at every second call (npm run
 * test:landing); otherwise at every sixth.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { expect, it } from 'vitest';
import { BIN } from '../support/cli.ts';
import { scene, userState } from '../support/tree-scene.ts';

const PRELOAD = join(import.meta.dirname, '../fixtures/kill-at-call.mjs');
const STEP = process.env['APPLY_KILLS'] === '1' ? 2 : 6;

const TASKS = [
  { subject: 'One', run: 'printf "one\\ntwo\\nTHREE\\n" >a.txt; rm gone.txt; echo n >new.txt' },
  {
    subject: 'Two',
    run: 'rm dir/d.txt; rmdir dir; echo f >dir; ln -s a.txt link; chmod +x c.sh; mkdir -p deep/er; echo e >deep/er/e.txt',
  },
];

async function applicable() {
  const { place, at, teams } = scene({ tasks: TASKS }, { 'gone.txt': 'gone\n', 'c.sh': 'sea\n', 'dir/d.txt': 'dee\n' });
  const { code, out, err } = await teams('run', 'p.json', '--quiet');
  expect(code, `${out}${err}`).toBe(0);
  const killed = (n: number, ...argv: string[]): boolean => {
    const env = { ...place.environment, NODE_OPTIONS: `--import=${PRELOAD}`, KILL_BELOW: at, KILL_AT: String(n) };
    return spawnSync(process.execPath, [BIN, ...argv], { cwd: at, env }).signal !== null;
  };
  return { at, teams, killed };
}

it(
  'killed at any change of a file, it is finished or taken back, and what the user wrote meanwhile stays',
  { timeout: 1_800_000 },
  async () => {
    const { at, teams, killed } = await applicable();
    // An edit before: at another place of a file that the apply changes.
    writeFileSync(join(at, 'a.txt'), 'ONE\ntwo\nthree\n');
    const does = async (...argv: string[]): Promise<void> => {
      const { code, out, err } = await teams(...argv);
      expect(code, `${argv.join(' ')}: ${out}${err}`).toBe(0);
    };
    const isHalf = async (): Promise<boolean> => (await teams('diff', 'p')).err.includes('did not end');
    const kills = { all: 0, half: 0 };
    for (const first of [
      ['apply', 'p'],
      ['undo', 'p', '--redo', '--yes'],
      ['undo', 'p', '--yes'],
    ]) {
      const isBack = first.length === 3;
      for (let n = 1, isOver = false; !isOver; n += STEP) {
        // The three begin where they would: with files as they were, or with all of it applied.
        const before = userState(at);
        if (isBack) await does('apply', 'p');
        isOver = !killed(n, ...first);
        kills.all += isOver ? 0 : 1;
        // An edit in the middle.
        const note = `note-${kills.all}.txt`;
        writeFileSync(join(at, note), `written after kill ${kills.all}\n`);
        const half = await isHalf();
        kills.half += half ? 1 : 0;
        if (half && kills.half % 2 === 1) await does('undo', 'p', '--redo', '--yes');
        if (half || existsSync(join(at, 'new.txt'))) await does('undo', 'p', '--yes');
        expect(await isHalf(), `call ${n} of ${first.join(' ')}`).toBe(false);
        expect(readFileSync(join(at, note), 'utf8')).toBe(`written after kill ${kills.all}\n`);
        rmSync(join(at, note));
        expect(userState(at), `call ${n} of ${first.join(' ')}`).toEqual(before);
      }
    }
    process.stdout.write(`${kills.all} kills, ${kills.half} in the middle of a change\n`);
    expect(kills.half).toBeGreaterThan(kills.all / 4);
    // Files of the store that killed processes did not put in place; the next lead removes them.
    rmSync(join(at, '.teams'), { recursive: true });
  },
);
