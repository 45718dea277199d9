/** A project with the user's home in it: our own files of the user are no part of it, in gates, diffs and undo. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Workplace } from '../support/cli.ts';

const PLAN = `name: crew
gates: { ownership: true }
members: [{ name: ada, agent: { kind: exec } }]
tasks:
  - subject: Write
    # An installed package keeps compiled code while it runs.
    run: echo made > made.txt; mkdir -p home/.cache/teams/code; echo code > home/.cache/teams/code/a.bin
    files: [made.txt]
`;

it.each(['with git', 'without git'])('%s, a run changes only what its tasks changed', async (how) => {
  const place = new Workplace();
  const state = join(place.root, 'home', 'state');
  if (how === 'with git') {
    const git = (...args: string[]): unknown => execFileSync('git', args, { cwd: place.root });
    git('init', '-q');
    git('-c', 'user.name=me', '-c', 'user.email=me@here', 'commit', '-q', '--allow-empty', '-m', 'begin');
  }
  place.put('crew.yaml', PLAN);
  const run = await place.start('run', 'crew.yaml', '--yes').ended;
  expect(run).toMatchObject({ code: 0 });
  expect(existsSync(join(state, 'teams', 'key'))).toBe(true);
  const report = JSON.parse(readFileSync(join(place.root, '.teams', 'crew', 'report.json'), 'utf8')) as object;
  expect(report).toMatchObject({ gates: { ownership: 'pass' } });
  if (how === 'without git') return;
  expect((await place.start('diff', 'crew').ended).out).not.toContain('home/');
  expect(await place.start('undo', 'crew', '--yes').ended).toMatchObject({ code: 0 });
  expect(existsSync(join(place.root, 'made.txt'))).toBe(false);
  expect(existsSync(join(state, 'teams', 'key'))).toBe(true);
});
