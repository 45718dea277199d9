import { describe, expect, it } from 'vitest';
import { judgePermission, type PermissionRequest } from '../../../src/policy/sandbox/permissions.ts';
import { SANDBOXES, type Sandbox } from '../../../src/model/agent/agent.ts';

const EFFECTS = ['reads', 'writes', 'runs', 'reaches', 'unknown'] as const;
const may = (sandbox: Sandbox, effect: PermissionRequest['effect'], ...paths: string[]): boolean =>
  judgePermission({ tool: 'Tool', effect, paths }, sandbox).ok;

describe('a permission', () => {
  it('permissions follow the whole table', () => {
    const table = Object.fromEntries(
      SANDBOXES.map((sandbox) => [sandbox, EFFECTS.filter((effect) => may(sandbox, effect, 'src/a.ts'))]),
    );
    expect(table).toEqual({
      'read-only': ['reads'],
      'workspace-write': [...EFFECTS],
      full: [...EFFECTS],
    });
  });

  it.each(['/etc/passwd', '../sibling/a', 'a/../../b', '/work/root-evil/a'])(
    'permission to write %s needs a full sandbox',
    (path) => {
      expect(may('workspace-write', 'writes', path)).toBe(false);
      expect(may('workspace-write', 'writes', 'a', path)).toBe(false);
      expect(may('full', 'writes', path)).toBe(true);
    },
  );

  it.each([
    '.git/hooks/pre-commit',
    '.git/config',
    '.teams/crew/config.json',
    '.tasks/crew/log.jsonl',
    '.TEAMS/x',
    '.claude/settings.json',
    '.codex/config.toml',
    '.env',
    '.env.local',
    '.teams',
    '.mcp.json',
    '.vscode/tasks.json',
    '.opencode/plugin/x.js',
    'opencode.json',
    'opencode.jsonc',
    '.git/info/attributes',
    './.git/config',
    'lib/.git/hooks/post-checkout',
    'lib/.claude/settings.json',
    '.ssh/config',
  ])('permission to write %s is denied, though it is inside', (path) => {
    expect(may('workspace-write', 'writes', path)).toBe(false);
  });

  it.each(['.gitignore', '.github/ci.yml', 'src/envoy/a', '.teamsters/a', 'a..b', 'src/config.json'])(
    'permission to write %s is given',
    (path) => {
      expect(may('workspace-write', 'writes', path)).toBe(true);
    },
  );

  it('permission to write is denied if the request names no file', () => {
    expect(judgePermission({ tool: 'Edit', effect: 'writes', paths: [] }, 'workspace-write')).toEqual({
      ok: false,
      why: 'Edit is denied: it does not say which file it writes.',
    });
  });
});
