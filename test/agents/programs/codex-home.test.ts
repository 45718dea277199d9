/** Below the directory of temporary files Codex makes no helpers for its sandbox, and each of its commands fails. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { codex } from '../../../src/agents/programs/codex.ts';
import { tempDir } from '../../support/temp.ts';
import { play, turnInput } from '../turns.ts';

it.each([
  ['below the directory of temporary files gets another one', (root: string) => root, true],
  ['elsewhere keeps the directory of temporary files', () => '/somewhere/else', false],
])('a home of Codex %s', async (_, tmpdir, isMoved) => {
  const root = tempDir();
  const home = join(root, 'home');
  const env = { PATH: process.env['PATH'] ?? '', TMPDIR: tmpdir(root) };
  const program = codex({ kind: 'codex', command: ['sh', '-c', 'env > seen; exit 1', 'codex'] }, { home });
  await play(program.turn(turnInput(root, { prompt: 'x', env })));
  await program.close();
  const seen = readFileSync(join(root, 'seen'), 'utf8').split('\n');
  expect(seen).toContain(`CODEX_HOME=${join(home, 'codex')}`);
  expect(seen).toContain(`TMPDIR=${isMoved ? join(home, 'codex-tmp') : '/somewhere/else'}`);
});
