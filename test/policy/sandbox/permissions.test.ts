import { describe, expect, it } from 'vitest';
import { judgePermission, type PermissionRequest } from '../../../src/policy/sandbox/permissions.ts';
import { SANDBOXES, type Sandbox } from '../../../src/model/agent/agent.ts';

const EFFECTS = ['reads', 'writes', 'runs', 'reaches', 'unknown'] as const;
const may = (sandbox: Sandbox, effect: PermissionRequest['effect'], ...paths: string[]): boolean =>
  judgePermission({ tool: 'Tool', effect, paths }, sandbox).ok;

describe('a permission', () => {
  it('is given by the table, whole', () => {
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
    'to write %s is for a full sandbox only',
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
  ])('to write %s is not given, though it is inside', (path) => {
    expect(may('workspace-write', 'writes', path)).toBe(false);
  });

  it.each(['.gitignore', '.github/ci.yml', 'src/.envoy/a', '.teamsters/a', 'a..b', '.environment/x'])(
    'to write %s is given',
    (path) => {
      expect(may('workspace-write', 'writes', path)).toBe(true);
    },
  );

  it('to write is not given where the file is not said', () => {
    expect(judgePermission({ tool: 'Edit', effect: 'writes', paths: [] }, 'workspace-write')).toEqual({
      ok: false,
      why: 'Edit is denied: it does not say which file it writes.',
    });
  });
});
