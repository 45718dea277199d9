import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git } from '../../../src/runtime/process/git.ts';
import { tempDir } from '../../support/temp.ts';

const { signal } = new AbortController();

describe('git', () => {
  it('answers in a repository', async () => {
    const root = tempDir();
    execFileSync('git', ['init', '-q', root]);
    const { code, text } = await git(['rev-parse', '--show-toplevel'], { cwd: root, signal });
    expect({ code, text: text.trim() }).toEqual({ code: 0, text: root });
  });

  it('says how a repository of another user is accepted, and that works', async () => {
    const root = tempDir();
    const at = join(root, "it's mine");
    execFileSync('git', ['init', '-q', at]);
    const env = { GIT_TEST_ASSUME_DIFFERENT_OWNER: '1', HOME: root, GIT_CONFIG_NOSYSTEM: '1' };
    const ask = () => git(['rev-parse', '--show-toplevel'], { cwd: at, signal, env });
    const { code, said } = await ask();
    expect(code).toBe(128);
    const [, cure = ''] = /which belongs to another user \(`(.+)` accepts it\)$/.exec(said) ?? [];
    execFileSync('/bin/sh', ['-c', cure], { env: { PATH: process.env['PATH'], HOME: root } });
    expect((await ask()).text.trim()).toBe(at);
  });

  it('fails if it prints more than is kept, instead of answering with a part', async () => {
    const root = tempDir();
    execFileSync('git', ['init', '-q', root]);
    const large = join(root, 'large');
    execFileSync('truncate', ['-s', '257M', large]);
    const object = execFileSync('git', ['hash-object', '-w', large], { cwd: root, encoding: 'utf8' }).trim();
    const { code, said } = await git(['cat-file', 'blob', object], { cwd: root, signal });
    expect({ code, said }).toEqual({ code: -1, said: 'git printed more than 256 MiB' });
    const part = await git(['cat-file', 'blob', object], { cwd: root, signal, keptBytes: 10 });
    expect([part.code, part.data.length, part.bytes]).toEqual([0, 10, 257 * 2 ** 20]);
  });

  it('runs no filter of a bare repository that came as a plain directory', async () => {
    const root = tempDir();
    const bare = join(root, 'vendor');
    execFileSync('git', ['init', '-q', '--bare', bare]);
    const proof = join(root, 'ran');
    writeFileSync(
      join(bare, 'config'),
      `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n[filter "x"]\n\tclean = touch ${proof}; cat\n`,
    );
    mkdirSync(join(bare, 'info'), { recursive: true });
    writeFileSync(join(bare, 'info', 'attributes'), 'file.txt filter=x\n');
    writeFileSync(join(bare, 'file.txt'), 'text\n');
    const { code, said } = await git(['add', 'file.txt'], { cwd: bare, signal });
    expect({ ran: existsSync(proof), code }).toEqual({ ran: false, code: 128 });
    expect(said).toMatch(/safe\.bareRepository|bare repository/);
  });
});
