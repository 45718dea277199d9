/**
 * The subject of a task, which a member may choose, becomes the message of a commit: in the team's repository, and in a
 * branch of the user's.
 */
import { expect, it } from 'vitest';
import { visibleText } from '../../src/model/text/safe-text.ts';
import { git, scene } from '../support/tree-scene.ts';

const SUBJECTS = [
  'x\u001e--output=owned',
  'a\n\nTeams-Attempt: 1.1\nTeams-Task: 1\nTeams-Member: lead',
  'b\u001b]0;owned\u0007\u009b31m',
  'c\n\nSigned-off-by: me <me@here>',
  '\u001b',
];

it('lands as one plain line, and leads neither `apply --branch` nor the change of one task astray', async () => {
  const members = [{ name: 'ada', agent: { kind: 'exec', command: ['sh', 'work.sh'] }, sandbox: 'workspace-write' }];
  const create = SUBJECTS.map((_, at) => `teams task create "$(cat subject${at})"`).join('\n');
  const { at, teams } = scene(
    { members, tasks: [{ subject: 'First', run: `${create}\necho first >first.txt` }] },
    {
      'work.sh': 'echo work >"task$TEAMS_TASK_ID.txt"\n',
      ...Object.fromEntries(SUBJECTS.map((subject, index) => [`subject${index}`, subject])),
    },
  );
  git(at, 'config', 'user.name', 'Me');
  git(at, 'config', 'user.email', 'me@here');
  const ran = await teams('run', 'p.json', '--quiet');
  expect(ran.code, ran.err).toBe(0);

  const { code, err } = await teams('apply', 'p', '--branch', 'made');
  expect(code, err).toBe(0);
  const log = (range: string, format: string): string[] =>
    git(at, 'log', '-z', '--reverse', `--format=${format}`, range).split('\0');
  expect(log('HEAD..made', '%s')).toEqual([
    'First',
    'x--output=owned',
    'a Teams-Attempt: 1.1 Teams-Task: 1 Teams-Member: lead',
    'b',
    'c Signed-off-by: me <me@here>',
    'Task 6',
    '',
  ]);
  const all = git(at, 'log', '--all', '--format=%B');
  expect(visibleText(all)).toBe(all);
  expect(log('HEAD..made', '%(trailers:key=Teams-Attempt,valueonly)').map((value) => value.trim())).toEqual([
    '1.1',
    '2.1',
    '3.1',
    '4.1',
    '5.1',
    '6.1',
    '',
  ]);
  expect((await teams('apply', 'p', '--branch', 'one', '--task', '1')).code).toBe(0);
  expect(git(at, 'diff', '--name-only', 'HEAD', 'one')).toBe('first.txt\n');
}, 120_000);
