/** A folder of the project that is swapped for a link, and back, while its files are read: no text of elsewhere is read. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readProjectFile } from '../../src/store/user/user-file.ts';
import { tempDir } from '../support/temp.ts';

it.runIf(process.platform === 'linux')(
  'a file is read only where the project has it',
  { timeout: 30_000 },
  async () => {
    const root = tempDir();
    for (const [folder, text] of [
      ['skills', 'mine'],
      ['elsewhere', 'secret'],
    ] as const) {
      mkdirSync(join(root, folder));
      writeFileSync(join(root, folder, 'a.md'), text);
    }
    const loop = `const { renameSync, symlinkSync } = require('node:fs');
    symlinkSync('elsewhere', 'link');
    console.log('begun');
    for (;;) {
      renameSync('skills', 'away'); renameSync('link', 'skills');
      renameSync('skills', 'link'); renameSync('away', 'skills');
    }`;
    const swapper = spawn(process.execPath, ['-e', loop], { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = once(swapper, 'exit');
    onTestFinished(async () => {
      swapper.kill('SIGKILL');
      await ended;
    });
    await once(swapper.stdout, 'data');
    const read = new Map<string | undefined, number>();
    const end = performance.now() + 4_000;
    while (performance.now() < end || !read.has('mine')) {
      const text = readProjectFile(join(root, 'skills', 'a.md'), root);
      read.set(text, (read.get(text) ?? 0) + 1);
    }
    expect(read.get('secret')).toBeUndefined();
  },
);
