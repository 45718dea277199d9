/**
 * What works in the project's checkout while `teams apply` and `teams undo` read and change its files: nothing outside
 * is read or changed, and an edit of the user's that comes in between is not lost.
 */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exchanging, fill, repeating } from '../support/exchanging.ts';
import { git, scene } from '../support/tree-scene.ts';

const contentsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

/** All files that the team's repository has in any object. */
function kept(at: string): string {
  const all = ['--git-dir', join(at, '.teams/p/vault.git'), 'cat-file', '--batch-all-objects'];
  const listed = execFileSync('git', [...all, '--batch-check=%(objecttype) %(objectname)'], { encoding: 'utf8' });
  const input = listed
    .split('\n')
    .flatMap((line) => (line.startsWith('blob ') ? [line.slice(5)] : []))
    .join('\n');
  return execFileSync('git', [...all.slice(0, 3), '--batch'], { input, encoding: 'utf8', maxBuffer: 2 ** 28 });
}

it(
  'apply and undo read and change nothing elsewhere, while a folder is exchanged for a link',
  { timeout: 120_000 },
  async () => {
    const run = 'for f in d/f*; do echo landed >>$f; done; rm d/f1 d/f2; mkdir d/new; echo new >d/new/x';
    const { at, place, teams } = scene({ tasks: [{ subject: 'Change', run }] });
    fill(join(at, 'd'), 'mine');
    const outside = join(place.root, 'outside');
    fill(outside, 'secret');
    expect((await teams('run', 'p.json', '--quiet')).code).toBe(0);
    const before = contentsOf(outside);
    await exchanging(join(at, 'd'), outside);
    await repeating(async () => {
      await teams('apply', 'p');
      await teams('undo', 'p', '--yes');
    });
    expect(contentsOf(outside)).toEqual(before);
    const objects = kept(at);
    expect(objects).toContain('mine');
    expect(objects).not.toContain('secret');
  },
);

/** Large enough that writing it takes a while. */
const LARGE = Buffer.alloc(32 * 2 ** 20, 1);

describe('an edit that comes while apply writes the new file', { timeout: 120_000 }, () => {
  it.each<[string, (path: string) => void]>([
    ['in place', (path) => appendFileSync(path, 'mine')],
    [
      'by an editor that puts a new file there',
      (path) => {
        writeFileSync(`${path}.swp`, 'mine');
        renameSync(`${path}.swp`, path);
      },
    ],
    ['as a removal', (path) => rmSync(path)],
  ])('is not lost: %s', async (_, edit) => {
    const { at, place, teams } = scene({ tasks: [{ subject: 'Change', run: 'printf landed >>d/large' }] });
    const file = join(at, 'd/large');
    mkdirSync(join(at, 'd'));
    writeFileSync(file, LARGE);
    git(at, 'add', '-A');
    git(at, 'commit', '-qm', 'large');
    expect((await teams('run', 'p.json', '--quiet')).code).toBe(0);
    const begun = new Promise<void>((done) => {
      const watcher = watch(join(at, 'd'), (_, name) => {
        if (name?.startsWith('.teams-undo-') !== true) return;
        watcher.close();
        edit(file);
        done();
      });
    });
    const { ended } = place.start('--root', at, 'apply', 'p');
    await begun;
    const { code, err } = await ended;
    // Where this process was late, the edit came on top of the new file.
    const isLate = code === 0;
    expect(isLate || err.includes('d/large was changed'), err).toBe(true);
    const now = existsSync(file) ? readFileSync(file).subarray(-'landedmine'.length).toString('latin1') : 'removed';
    expect(now).toMatch(/mine$|^removed$/);
    expect(isLate || !now.includes('landed')).toBe(true);
    expect(readdirSync(join(at, 'd')).filter((name) => name.startsWith('.teams'))).toEqual([]);
  });
});
