import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseName } from '../../../src/model/text/names.ts';
import { teamPaths } from '../../../src/store/files/paths.ts';
import { readyTree } from '../../../src/store/trees/vault.ts';
import { tempDir } from '../../support/temp.ts';

it('the folders of a project that was moved away are not made again', () => {
  const root = tempDir();
  const paths = teamPaths(root, parseName('team', 'p'));
  expect(() => readyTree(paths, parseName('member', 'ada'))).toThrow('was removed while the team was running');
  expect(readdirSync(root)).toEqual([]);
});
