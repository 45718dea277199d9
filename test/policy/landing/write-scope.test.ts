/** Which files a member may write at the moment of writing. */
import { expect, it } from 'vitest';
import { parseName } from '../../../src/model/text/names.ts';
import { writeRefusal } from '../../../src/policy/landing/write-scope.ts';
import { world } from '../world.ts';

const ada = parseName('member', 'ada');
const team = world({
  members: ['ada', 'bob'],
  tasks: [
    { subject: 'A', owner: 'ada', work: { files: ['src/a/**'] } },
    { subject: 'B', owner: 'bob', work: { files: ['src/b/**'] } },
  ],
});
team.claim('ada', '1');

it.each([
  ['src/a/x.ts', false, undefined],
  ['src/b/y.ts', false, 'src/b/y.ts belongs to bob, by task #2'],
  ['src/b/new.ts', true, 'src/b/new.ts belongs to bob, by task #2'],
  ['granted.ts', false, undefined],
  ['package.json', false, 'package.json is a shared file'],
  ['other.ts', false, 'other.ts is not among the files of task #1, which are src/a/**'],
  ['notes.md', true, undefined],
])('a member that works on src/a may write %s (new: %s)? %s', (path, isNew, why) => {
  const facts = { member: ada, path, granted: ['granted.ts'], shared: ['package.json'], isNew };
  const refusal = writeRefusal(team.board, facts);
  if (why === undefined) expect(refusal).toBeUndefined();
  else expect(refusal).toMatch(new RegExp(`^${why.replaceAll(/[.*]/g, '\\$&')}.*--kind boundary`));
});

it('a member whose task names no files may write any, and so may one without a task', () => {
  const bob = parseName('member', 'bob');
  const facts = { path: 'src/a/x.ts', granted: [], shared: [], isNew: false };
  expect(writeRefusal(team.board, { ...facts, member: bob })).toBeUndefined();
});
