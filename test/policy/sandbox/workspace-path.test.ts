import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { protectedBy, hiddenFromShell } from '../../../src/policy/sandbox/workspace-path.ts';

describe('a protected path', () => {
  test.each([
    ['.git/hooks/pre-commit', 'git hooks'],
    ['packages/a/.git/hooks', 'git hooks'],
    ['.git/modules/sub/hooks/post-checkout', 'git hooks'],
    ['.teams/login/config.json', "the team's own files"],
    ['.tasks/login/log.jsonl', "the team's own files"],
    ['.claude/settings.json', 'configuration of agents'],
    ['app/.codex/config.toml', 'configuration of agents'],
    ['.env', 'environment files'],
    ['.env.local', 'environment files'],
    ['.envrc', 'environment files'],
    ['packages/a/.env.production', 'environment files'],
    ['.ssh/id_ed25519', 'keys'],
    ['.npmrc', 'keys'],
  ])('the protected path %s is neither read nor written', (path, rule) => {
    expect([protectedBy(path, 'read'), protectedBy(path, 'write')]).toEqual([rule, rule]);
  });

  test.each([
    ['.git/config', "git's own files"],
    ['.git', "git's own files"],
    ['.mcp.json', 'files that start programs'],
    ['lib/opencode.json', 'files that start programs'],
    ['OpenCode.jsonc', 'files that start programs'],
    ['.vscode/tasks.json', 'files that start programs'],
  ])('the protected path %s may only be read', (path, rule) => {
    expect([protectedBy(path, 'read'), protectedBy(path, 'write')]).toEqual([undefined, rule]);
  });

  test.each([
    ['.GIT/HOOKS/pre-commit'],
    ['.Teams/x'],
    ['.ENV'],
    ['.ｅｎｖ'],
    ['.git./hooks/x'],
    ['.git /hooks/x'],
    ['.g\u200cit/hooks/x'],
    ['.cla\u2060ude/settings.json'],
    ['.env\ufeff'],
    ['.env. . .'],
  ])('%j is a protected path in another spelling', (path) => {
    expect(protectedBy(path, 'read')).toBeDefined();
  });

  test.each([
    'src/a.ts',
    'git/hooks',
    'env',
    'environment.ts',
    'hooks/a',
    '.github/workflows/ci.yml',
    '..',
    '...',
    '.gitignore',
    'a.env',
  ])('%s is no protected path', (path) => {
    expect([protectedBy(path, 'read'), protectedBy(path, 'write')]).toEqual([undefined, undefined]);
  });

  test('a protected path is protected at every depth and in any case of letters', () => {
    const name = fc.constantFrom('.teams', '.tasks', '.claude', '.codex', '.env', '.env.x');
    const parts = fc.array(
      fc.string({ minLength: 1 }).map((part) => part.replaceAll('/', '-')),
      { maxLength: 4 },
    );
    const cased = name.chain((text) =>
      fc
        .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
        .map((upper) => Array.from(text, (letter, at) => (upper[at] ? letter.toUpperCase() : letter)).join('')),
    );
    fc.assert(
      fc.property(parts, cased, parts, (before, found, after) => {
        expect(protectedBy([...before, found, ...after].join('/'), 'read')).toBeDefined();
      }),
      { numRuns: 500 },
    );
  });
});

describe('the shell isolation', () => {
  test.each([
    ['.teams', 'hidden'],
    ['.env.local', 'hidden'],
    ['.mcp.json', 'kept'],
    ['.git', undefined],
    ['src', undefined],
  ])('shell isolation hides %s from commands: %s', (name, how) => {
    expect(hiddenFromShell(name)).toBe(how);
  });
});
