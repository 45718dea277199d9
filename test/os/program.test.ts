import { mkdirSync, symlinkSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { join } from 'node:path';
import { findProgram, pathOutside } from '../../src/os/program-path.ts';
import { tempDir } from '../support/temp.ts';

describe('a program', () => {
  it('a program is found in absolute directories only', () => {
    expect(findProgram('sh', '.:bin:/nowhere:/bin')).toBe('/bin/sh');
    expect(findProgram('sh', '.:bin')).toBeUndefined();
    expect(findProgram('sh', '')).toBeUndefined();
  });

  it('a program of our own is found outside of the project only', () => {
    const top = tempDir();
    for (const folder of ['project/.git', 'project/part/bin', 'project/bin', 'project-tools'])
      mkdirSync(join(top, folder), { recursive: true });
    symlinkSync(join(top, 'project/bin'), join(top, 'link'));
    const entries = ['project/bin', 'project/part/bin', 'link', 'project', 'project-tools', 'missing'];
    const path = ['', '.', 'bin', ...entries.map((entry) => join(top, entry)), '/bin'].join(':');
    const left = [join(top, 'project-tools'), join(top, 'missing'), '/bin'].join(':');
    expect(pathOutside(path, join(top, 'project/part'))).toBe(left);
    expect(pathOutside(path, join(top, 'project'))).toBe(left);
  });

  it.each([
    ['in the project', 'project/home', ['tools', 'bin']],
    ['that is the project', 'project', ['project/bin', 'project/home/bin', 'project/src/bin', 'tools', 'bin']],
    ['around the project', '.', ['tools', 'bin']],
  ])('a home %s: its programs are the user’s only if it is no part of a project', (_, home, left) => {
    const top = tempDir();
    for (const folder of ['project/.git', 'project/src', 'project/home'])
      mkdirSync(join(top, folder), { recursive: true });
    vi.stubEnv('HOME', join(top, home));
    onTestFinished(() => void vi.unstubAllEnvs());
    const entries = ['project/bin', 'project/home/bin', 'project/src/bin', 'tools', 'bin'];
    const path = entries.map((entry) => join(top, entry)).join(':');
    expect(pathOutside(path, join(top, 'project')).split(':')).toEqual(left.map((entry) => join(top, entry)));
  });
});
