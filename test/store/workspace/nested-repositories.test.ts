/** Repositories below a workspace, with what is odd on the way to them. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { nestedGits } from '../../../src/store/workspace/nested-repositories.ts';
import { tempDir } from '../../support/temp.ts';

it('are found beside a folder that nobody may look into', () => {
  const root = tempDir();
  mkdirSync(join(root, 'inner', '.git'), { recursive: true });
  mkdirSync(join(root, 'closed', '.git'), { recursive: true });
  writeFileSync(join(root, 'file'), '');
  chmodSync(join(root, 'closed'), 0);
  onTestFinished(() => chmodSync(join(root, 'closed'), 0o700));
  const found = nestedGits(root, ['file']);
  expect(found).toContain(join(root, 'inner', '.git'));
  // Root may look into it.
  expect(found.includes(join(root, 'closed', '.git'))).toBe(process.getuid?.() === 0);
});
