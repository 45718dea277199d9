import { describe, expect, it } from 'vitest';
import { matcher } from '../../src/policy/file-patterns.ts';

describe('a file pattern', () => {
  it.each([
    ['src/a.ts', ['src/a.ts'], ['src/a.tsx', 'a.ts', 'src']],
    ['./src/a.ts', ['src/a.ts'], ['a.ts']],
    ['src/auth', ['src/auth', 'src/auth/login.ts', 'src/auth/.env', 'src/auth/deep/er'], ['src/authors/a.ts']],
    ['src/auth/', ['src/auth/login.ts'], ['src/api/login.ts']],
    ['src/auth/**', ['src/auth/login.ts', 'src/auth/deep/.er'], ['src/auth2/login.ts']],
    ['src/*.ts', ['src/a.ts'], ['src/deep/a.ts', 'src/a.js']],
    ['**/*.test.ts', ['a.test.ts', 'src/deep/a.test.ts'], ['a.ts']],
    ['app/[id]/page.tsx', ['app/[id]/page.tsx', 'app/i/page.tsx'], ['app/page.tsx']],
    ['.', ['anything', 'at/all'], []],
    ['', [], ['anything']],
  ])('a file pattern matches as documented: %j', (pattern, inside, outside) => {
    const isOne = matcher([pattern]);
    expect(inside.filter((path) => !isOne(path))).toEqual([]);
    expect(outside.filter((path) => isOne(path))).toEqual([]);
  });

  it('a pattern of several matches as each of them', () => {
    const isOne = matcher(['a/**', 'b.ts']);
    expect(['a/x', 'b.ts', 'c'].map((path) => isOne(path))).toEqual([true, true, false]);
  });
});
