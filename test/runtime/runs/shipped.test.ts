/** The shipped templates and roles match the tables of the specification, row by row (docs/specification.md R8.2). */
import { describe, expect, it } from 'vitest';
import { parseName } from '../../../src/model/text/names.ts';
import { parseRoleSpec } from '../../../src/model/pipeline/role-spec.ts';
import { parseTemplate } from '../../../src/model/plan/template.ts';
import { abilities } from '../../../src/policy/divide/role-fit.ts';
import { isReadOnlyRole } from '../../../src/policy/task-type.ts';
import { shippedFolder } from '../../../src/runtime/process/package.ts';
import { readShelf } from '../../../src/store/session/shelf.ts';
import { tempDir } from '../../support/temp.ts';

const shelf = (kind: 'roles' | 'templates') => readShelf(tempDir(), kind, shippedFolder(kind));

const TABLES: Record<string, { workers: string[]; cascade: unknown }> = {
  'build-team': {
    workers: ['architect opus claude A', 'executor sonnet codex B', 'designer sonnet gemini B'],
    cascade: { architect: 'none', executor: 'test', designer: 'review' },
  },
  'review-team': {
    workers: [
      'style-reviewer haiku claude A',
      'quality-reviewer sonnet codex A',
      'security-reviewer sonnet codex A',
      'performance-reviewer sonnet codex A',
    ],
    cascade: false,
  },
  'fullstack-team': {
    workers: [
      'architect opus claude A',
      'executor sonnet codex B',
      'designer sonnet gemini B',
      'test-engineer sonnet claude C',
    ],
    cascade: { architect: 'none', executor: 'none', designer: 'none', 'test-engineer': 'review' },
  },
  'audit-team': {
    workers: ['security-reviewer sonnet codex A', 'quality-reviewer sonnet codex A', 'code-reviewer opus codex A'],
    cascade: false,
  },
  'debug-team': {
    workers: ['explorer haiku claude A', 'debugger sonnet claude B', 'executor sonnet codex C'],
    cascade: { explorer: 'none', debugger: 'none', executor: 'test' },
  },
};

describe('a shipped template', () => {
  it.each(Object.entries(TABLES))(
    'a shipped template has the specified workers and rules: %s',
    (name, { workers, cascade }) => {
      const { text = '', file = '' } = shelf('templates').get(parseName('team', name)) ?? {};
      const template = parseTemplate(parseName('team', name), { text, file });
      expect(template.workers.map(({ role, tier, route, phase }) => [role, tier, ...route, phase].join(' '))).toEqual(
        workers,
      );
      expect(template.cascade).toEqual(cascade);
      const roles = shelf('roles');
      expect(template.workers.filter(({ role }) => !roles.has(role))).toEqual([]);
    },
  );

  it('there are five shipped templates', () => {
    expect([...shelf('templates').keys()]).toEqual(Object.keys(TABLES).sort());
  });
});

/** Role → its purpose. */
const ROLES: Record<string, string> = {
  architect: 'implement review explore',
  'build-fixer': 'implement test',
  'code-reviewer': 'review',
  debugger: 'implement test explore',
  designer: 'implement review',
  executor: 'implement test review explore',
  explorer: 'explore',
  'performance-reviewer': 'review',
  'quality-reviewer': 'review',
  'security-reviewer': 'review',
  'style-reviewer': 'review',
  'test-engineer': 'test review',
};

describe('a shipped role', () => {
  it.each(Object.entries(ROLES))(
    'a shipped role has a prompt, its sorts of work, and files only if it may write: %s',
    (name, able) => {
      const { text = '', file = '' } = shelf('roles').get(parseName('role', name)) ?? {};
      const { role, warnings } = parseRoleSpec(parseName('role', name), { text, file });
      expect(warnings).toEqual([]);
      expect(role.prompt.length).toBeGreaterThan(100);
      expect(abilities(role)).toEqual(able.split(' '));
      expect(role.readOnly).toBe(isReadOnlyRole(role.name));
    },
  );
});
