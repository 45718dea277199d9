/** Refine with trees: each backend writes into a tree of its own, all at once, and the winner of each round lands. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../support/cli.ts';
import { allowLeft } from '../support/leftovers.ts';
import { git, scene, userState, type Scene } from '../support/tree-scene.ts';

/** Two backends that wait for each other, so that one after the other would never end. */
const both = (meet: string) => ({
  'one.sh': `touch ${meet}.1; until [ -e ${meet}.2 ]; do sleep 0.05; done; echo bad >out.txt; echo one\n`,
  'two.sh': `touch ${meet}.2; until [ -e ${meet}.1 ]; do sleep 0.05; done; echo good >out.txt; echo two\n`,
});

function refining(files: (meet: string) => Record<string, string>) {
  const made = scene({ tasks: [] });
  const { at, place } = made;
  for (const [name, text] of Object.entries(files(join(place.root, 'met')))) writeFileSync(join(at, name), text);
  const refine = (...more: string[]) =>
    made.teams('refine', 'fix the build', '--isolation', 'trees', '--timeout', '90s', ...more);
  return { ...made, refine };
}

const refs = ({ at }: Pick<Scene, 'at'>): string => git(at, 'for-each-ref', '--format=%(refname)', 'refs/teams');
const TEAM = 'phone-a-team-fix-the-build';

it('backends write at once into trees of their own, and the winner lands', { timeout: 120_000 }, async () => {
  const { at, teams, landed, refine } = refining(both);
  const before = userState(at);
  const { code, out, err } = await refine(
    '--backend',
    'exec:sh one.sh',
    '--backend',
    'exec:sh two.sh',
    '--max-rounds',
    '1',
    '--reviewer',
    'exec:grep -q good out.txt',
  );
  expect(code, `${out}${err}`).toBe(0);
  expect(out).toContain(`teams apply ${TEAM}`);
  expect(userState(at)).toEqual(before);
  expect(landed('out.txt')).toBe('good\n');
  const [lost = ''] = refs({ at })
    .split('\n')
    .filter((ref) => ref.includes('/left/'));
  expect(git(at, 'show', `${lost}:out.txt`)).toBe('bad\n');
  const applied = await teams('apply', TEAM);
  expect(applied.code, applied.err).toBe(0);
  expect(readFileSync(join(at, 'out.txt'), 'utf8')).toBe('good\n');
});

it('a round begins with the best of those before it', { timeout: 120_000 }, async () => {
  const { at, landed, refine } = refining(() => ({ 'more.sh': 'echo more >>out.txt; wc -l <out.txt\n' }));
  const { code, out, err } = await refine(
    '--backend',
    'exec:sh more.sh',
    '--reviewer',
    'exec:test "$(wc -l <out.txt)" = 3',
  );
  expect(code, `${out}${err}`).toBe(0);
  expect(landed('out.txt')).toBe('more\nmore\nmore\n');
  expect(existsSync(join(at, 'out.txt'))).toBe(false);
});

it('--validate judges each backend by itself', { timeout: 120_000 }, async () => {
  const { landed, refine } = refining(both);
  const { code, out, err } = await refine(
    '--backend',
    'exec:sh one.sh',
    '--backend',
    'exec:sh two.sh',
    '--max-rounds',
    '1',
    '--validate',
    'grep -q good out.txt',
  );
  expect(code, `${out}${err}`).toBe(0);
  expect(landed('out.txt')).toBe('good\n');
});

it('a loop that changes nothing leaves no team that waits to be applied', { timeout: 60_000 }, async () => {
  const { teams, refine } = refining(() => ({ 'no.sh': 'echo nothing\n' }));
  const { code, out, err } = await refine('--backend', 'exec:sh no.sh', '--reviewer', 'exec:true');
  expect(code, `${out}${err}`).toBe(0);
  expect(out).not.toContain('teams apply');
  expect((await teams('list')).out).not.toContain(TEAM);
});

it('trees without workers are refused before anything is started', async () => {
  const { at, refine } = refining(() => ({ 'no.sh': 'echo nothing >made.txt\n' }));
  const { code, err } = await refine('--backend', 'exec:sh no.sh', '--reviewer', 'exec:true', '--no-team');
  expect(code).toBe(5);
  expect(err).toContain('is not possible with --no-team: a tree belongs to a worker');
  expect(existsSync(join(at, 'made.txt'))).toBe(false);
});

it('the changes of a loop that was killed are kept, and its team is not resumed', { timeout: 120_000 }, async () => {
  const { at, place, teams } = refining(() => ({ 'made.sh': 'echo made >made.txt\n' }));
  const judging = join(place.root, 'judging');
  const reviewer = `exec:touch ${judging}; sleep 60`;
  const argv = ['fix the build', '--isolation', 'trees', '--backend', 'exec:sh made.sh', '--reviewer', reviewer];
  const { child, ended } = place.start('refine', ...argv, '--repo', at, '--root', at);
  await until(() => existsSync(judging), 'the review', 60_000);
  // A killed process leaves its locks.
  allowLeft(/(?:lead|relay-worker)(?:\.lease)?\.lock$/);
  child.kill('SIGKILL');
  await ended;
  const { code, err } = await teams('resume', TEAM);
  expect(code).toBe(2);
  expect(err).toContain('is a refine loop, whose verdicts ended with it');
  const vault = join(at, '.teams', TEAM, 'vault.git');
  const [attempt = ''] = git(at, '--git-dir', vault, 'for-each-ref', '--format=%(refname)')
    .split('\n')
    .filter((ref) => ref.includes('/attempts/'));
  expect(git(at, '--git-dir', vault, 'show', `${attempt}:made.txt`)).toBe('made\n');
  expect(existsSync(join(at, 'made.txt'))).toBe(false);
});
