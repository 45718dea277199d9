/** The package is replaced by another version while a team works, as `npm install` does. */
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempDir } from '../support/temp.ts';

const PACKAGE = join(import.meta.dirname, '..', '..');

it('a teammate that then needs another part of the program ends, and works on as the new version', () => {
  const folder = tempDir();
  for (const part of ['bin', 'package.json']) cpSync(join(PACKAGE, part), join(folder, part), { recursive: true });
  const bundles = readdirSync(join(PACKAGE, 'dist')).filter((name) => name.endsWith('.cjs'));
  for (const name of bundles) cpSync(join(PACKAGE, 'dist', name), join(folder, 'dist', name));
  const text = readFileSync(join(folder, 'dist', 'teammate-commands.cjs'), 'latin1');
  const id = /exports\.part=\(path,buildId\)=>\{if\(buildId!=="([0-9a-f]{16})"/.exec(text)?.[1] ?? 'none';
  const members = [
    { name: 'ada', agent: { kind: 'exec' } },
    { name: 'bob', agent: { kind: 'exec' } },
  ];
  const tasks = [
    { key: 'replace', subject: 'Replace', owner: 'bob', run: `sed -i s/${id}/${'f'.repeat(16)}/g dist/teammate*.cjs` },
    { key: 'next', subject: 'Next', owner: 'ada', run: 'echo done', blockedBy: ['replace'] },
  ];
  writeFileSync(join(folder, 'plan.yaml'), JSON.stringify({ name: 'replaced', members, tasks }));
  const env = { PATH: process.env['PATH'], HOME: folder };
  const argv = [join(folder, 'bin', 'teams.js'), 'run', 'plan.yaml', '--json'];
  const { stdout, stderr } = spawnSync(process.execPath, argv, { cwd: folder, env, encoding: 'utf8' });
  expect(JSON.parse(stdout)).toMatchObject({ outcome: 'succeeded' });
  expect(stderr).toContain('[ada] Error: teams was replaced by another version while this process ran.');
  expect(stderr).toContain('the lead restarted ada');
});
