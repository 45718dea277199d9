/** Which files belong to a project. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { walkProject } from '../../../src/store/workspace/project-walk.ts';
import { tempDir } from '../../support/temp.ts';

function put(root: string, ...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), '');
  }
}

it('generated directories, our own folders and links are left out', () => {
  const root = tempDir();
  put(root, 'src/a.ts', 'node_modules/x/index.js', '.teams/crew/config.json', 'b.md');
  symlinkSync('b.md', join(root, 'link'));
  expect(walkProject(root, 10)).toEqual({ files: ['b.md', 'src/a.ts'], isCut: false });
});

it("in a user's home that is a project, our own files of the user are no part of it, however the home is reached", () => {
  const home = tempDir();
  const link = join(tempDir(), 'home');
  symlinkSync(home, link);
  put(home, 'work/teams/plan.yaml', '.local/state/teams/homes/x/.root', '.local/state/other/file');
  for (const at of [home, link]) {
    vi.stubEnv('XDG_STATE_HOME', join(at, '.local', 'state'));
    expect(walkProject(home, 10).files).toEqual(['.local/state/other/file', 'work/teams/plan.yaml']);
  }
});

it('more files than the limit are told', () => {
  const root = tempDir();
  put(root, 'a', 'b', 'c');
  expect(walkProject(root, 2)).toMatchObject({ isCut: true });
});
