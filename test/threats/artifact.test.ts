/**
 * The artifact of a role's task: its member's process writes the answer there and reads it, outside of every isolation.
 * Its path may come from a member, and any directory of the workspace may have become a link.
 */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { ClaimedTask } from '../../src/model/board/task.ts';
import { artifactExists, keepAnswer, missingDocuments } from '../../src/runtime/teammate/role-artifact.ts';
import { withArtifact } from '../../src/runtime/teammate/artifact-place.ts';
import { team, type Team } from '../support/session.ts';
import { name } from '../support/team.ts';
import { tempDir } from '../support/temp.ts';

const ANSWER = 'what the member says';
const ANY = { contains: [], json: false };
let on: Team;
let outside: string;

beforeEach(async () => {
  on = await team({ members: ['writer'], profile: 'pipeline', tasks: [{ subject: 'DRAFT-001 Write' }] });
  outside = tempDir();
  mkdirSync(join(on.root, 'docs'));
  mkdirSync(join(on.root, '.git/hooks'), { recursive: true });
  writeFileSync(join(outside, 'secret'), 'a secret');
});

const taskOf = (artifact: string): ClaimedTask => ({
  ...on.task('1'),
  work: { ...on.task('1').work, artifact },
  status: 'in_progress',
  claim: { member: name('writer'), incarnation: 'x', epoch: 1 },
  claimed_at: new Date().toISOString(),
});

/** @returns whether the answer was kept, and whether the artifact counts as there */
function kept(artifact: string): { read: boolean; isThere: boolean } {
  const place = { store: on.handle.store, cwd: on.root };
  keepAnswer(place, taskOf(artifact), ANSWER);
  const read = withArtifact(place, artifact, (file) => readFileSync(file, 'utf8'));
  return { read: read !== undefined, isThere: artifactExists(place, taskOf(artifact), artifact, ANY) };
}

it.each<[string, () => string]>([
  ['an absolute path', () => join(outside, 'planted')],
  ['a path above', () => '../planted'],
  ['a directory that is a link', () => (symlinkSync(outside, join(on.root, 'out')), 'out/planted')],
  ['a secret behind a link', () => (symlinkSync(outside, join(on.root, 'out')), 'out/secret')],
  ['a file that is a link', () => (symlinkSync(join(outside, 'secret'), join(on.root, 'docs/a.md')), 'docs/a.md')],
  ["git's hooks", () => '.git/hooks/pre-commit'],
  ["git's hooks by a link", () => (symlinkSync('.git/hooks', join(on.root, 'hooks')), 'hooks/pre-commit')],
  ['the configuration of an agent', () => '.claude/settings.json'],
  ['the home of a member', () => '.teams/crew/homes/writer/codex/config.toml'],
  ['the board', () => '.tasks/crew/log.jsonl'],
])('is neither written nor read at %s', (_, plant) => {
  const artifact = plant();
  const before = existsSync(join(on.root, artifact));
  expect(kept(artifact)).toEqual({ read: false, isThere: false });
  expect([join(outside, 'planted'), join(on.root, '../planted')].filter((file) => existsSync(file))).toEqual([]);
  expect(existsSync(join(on.root, artifact))).toBe(before);
  expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('a secret');
});

it.each<[string, () => string]>([
  ['the workspace', () => 'docs/brief.md'],
  ['a directory that is missing', () => 'docs/deep/brief.md'],
  ['a link in the workspace', () => (symlinkSync('docs', join(on.root, 'papers')), 'papers/brief.md')],
  ['a session folder', () => join(on.paths.session.spec, 'brief.md')],
])('is written and read in %s', (_, plant) => {
  expect(kept(plant())).toEqual({ read: true, isThere: true });
  expect(missingDocuments({ store: on.handle.store, cwd: on.root }, on.task('1'))).toEqual([]);
});
