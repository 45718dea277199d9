import { describe, expect, it } from 'vitest';
import {
  judgeEdits,
  strayTasks,
  strayText,
  unjudgedText,
  type WriteScope,
} from '../../../src/policy/landing/stray-edits.ts';
import { name } from '../../support/team.ts';

const scope = (member: string, patterns: string[], ...spans: [number, number][]): WriteScope => ({
  member: name(member),
  patterns,
  spans: spans.map(([from, to]) => ({ from: from * 1_000, to: to * 1_000 })),
});
/** Times are in seconds. */
const ada = scope('ada', ['src/a'], [100, 200]);
const bob = scope('bob', ['src/b/**'], [300, 400]);
const idle = scope('cy', ['src/c']);
const looking = { ...scope('eve', [], [700, 800]), looks: true };
const free = scope('dan', [], [500, 600]);

const looked = (path: string, at: number | undefined, scopes: readonly WriteScope[], settled: string[] = []) =>
  judgeEdits({
    edits: [{ path, at: at === undefined ? undefined : at * 1_000 }],
    scopes,
    shared: ['package.json'],
    settled: new Set(settled),
  });
const judged = (...edit: Parameters<typeof looked>) => looked(...edit).strays[0];
const unjudged = (...edit: Parameters<typeof looked>) => looked(...edit).unjudged[0]?.why;

describe('what cannot be told', () => {
  it.each([
    ['an own file, during its own work', 'src/a/x.ts', 150, [ada, bob], undefined],
    ['a file without an owner, by the one member that worked', 'other', 550, [free], undefined],
    ['a stray is judged', 'src/a/x.ts', 350, [ada, bob], undefined],
    [
      'while others worked, too',
      'src/a/x.ts',
      150,
      [ada, scope('bob', ['src/b'], [100, 200])],
      'ada and bob worked when it was changed',
    ],
    ['while a member worked that may write anything', 'src/a/x.ts', 550, [ada, free], 'dan worked when it was changed'],
    ['while nobody worked', 'src/a/x.ts', 250, [ada, bob], 'no member worked when it was changed'],
    ['a removed file', 'src/a/x.ts', undefined, [ada, bob], 'it was removed, and nothing says when'],
  ])('%s', (_, path, at, scopes, why) => {
    expect(unjudged(path, at, scopes)).toBe(why);
  });

  it('nothing is left open after the owner has looked', () => {
    expect(unjudged('src/a/x.ts', 550, [ada, free], ['src/a/x.ts'])).toBeUndefined();
  });

  it('is told in one sentence, by reason, with at most five names of each', () => {
    expect(unjudgedText([])).toBeUndefined();
    const many = ['1', '2', '3', '4', '5', '6', '7'].map((path) => ({ path, why: 'ada and bob worked then' }));
    expect(unjudgedText([...many, { path: 'x', why: 'it was removed' }])).toBe(
      'it cannot be told who changed 8 files: 1, 2, 3, 4, 5 and 2 more (ada and bob worked then); x (it was removed)',
    );
  });
});

describe('an edit', () => {
  it.each([
    ['of an own file, during its own work', 'src/a/x.ts', 150, [ada, bob]],
    ['of an own file, a moment after its work', 'src/a/x.ts', 200.015, [ada, bob]],
    ['while no member worked: a person made it, or its time is not reliable', 'src/a/x.ts', 250, [ada, bob]],
    [
      'of a file that its author owns by another task',
      'src/b/x',
      150,
      [ada, bob, scope('ada', ['src/b/x'], [100, 200])],
    ],
    ['while a member worked that may write anything', 'src/a/x.ts', 550, [ada, bob, free]],
    ['of an unowned file, while no member worked', 'built', 250, [ada, bob]],
    ['of an unowned file, by a member that may write anything', 'other', 550, [ada, free]],
    ['that removed an owned file', 'src/a/x.ts', undefined, [ada, bob]],
  ])('an edit is accepted: %s', (_, path, at, scopes) => {
    expect(judged(path, at, scopes)).toBeUndefined();
  });

  it.each([
    ['other.ts', 150, [ada, bob], undefined, 'no member owns it; ada worked then'],
    ['other.ts', undefined, [ada, bob], undefined, 'no member owns it'],
    ['src/a/x.ts', 350, [ada, bob], 'ada', "it is ada's, and bob worked when it was changed"],
    ['src/c/x.ts', 350, [ada, bob, idle], 'cy', "it is cy's, and bob worked when it was changed"],
    ['src/a/x.ts', 350, [ada, bob, free], 'ada', "it is ada's, and bob worked when it was changed"],
    ['src/a/x.ts', 750, [ada, looking], 'ada', "it is ada's, and eve worked when it was changed"],
    ['package.json', 350, [ada, bob], undefined, "it is a shared file, the lead's own; bob worked then"],
    ['package.json', 550, [ada, free], undefined, "it is a shared file, the lead's own; dan worked then"],
  ])('an edit is a stray: %s at %s', (path, at, scopes, owner, why) => {
    expect(judged(path, at, scopes)).toEqual({ path, owner, why });
  });

  it('an edit is no stray any more after its owner has looked at it', () => {
    expect(judged('src/a/x.ts', 350, [ada, bob], ['src/a/x.ts'])).toBeUndefined();
  });
});

describe('the tasks of strays', () => {
  const stray = (path: string, owner?: string) => ({
    path,
    owner: owner === undefined ? owner : name(owner),
    why: 'so',
  });

  it('each owner gets one task for the stray edits of its own files', () => {
    const strays = [stray('a', 'ada'), stray('b', 'bob'), stray('c', 'ada'), stray('d')];
    const tasks = strayTasks(strays, (owner) => owner === name('ada'), 2);
    expect(tasks).toMatchObject([
      { owner: 'ada', files: ['a', 'c'], metadata: { type: 'implement', fixRound: 2, ownership: ['a', 'c'] } },
    ]);
    expect(tasks[0]?.subject).toBe('[no-cascade] Check the changes of other members in a, c');
    expect(tasks[0]?.description).toContain('- c: so');
    expect(strayText(strays)).toBe('a: so; b: so; c: so; d: so');
  });
});
