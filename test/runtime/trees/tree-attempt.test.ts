import { describe, expect, it } from 'vitest';
import type { ClaimedTask } from '../../../src/model/board/task.ts';
import { GitFailure } from '../../../src/runtime/process/git-tree.ts';
import type { TreeUse } from '../../../src/runtime/trees/tree-needs.ts';
import { AttemptTree } from '../../../src/runtime/trees/tree-attempt.ts';

const task = { id: '1' } as unknown as ClaimedTask;
const use: TreeUse = { isMounted: false, run: () => Promise.resolve(undefined) };
const { signal } = new AbortController();

/** A tree whose git says these, one at each claim; undefined: it is made. */
function saying(...words: (string | undefined)[]): AttemptTree {
  const begin = (): Promise<void> => {
    const word = words.shift();
    return word === undefined ? Promise.resolve() : Promise.reject(new GitFailure(word));
  };
  return new AttemptTree({ begin, keep: () => Promise.resolve(undefined) });
}

describe('a tree that cannot be made', () => {
  it('is tried at three claims in a row, and then is a failure of the attempt', async () => {
    const tree = saying('bad object', 'bad object', undefined, 'bad object', 'bad object', 'bad object');
    const said = [];
    for (let claim = 0; claim < 6; claim += 1) said.push((await tree.begin(task, use, signal))?.do);
    expect(said).toEqual(['release', 'release', undefined, 'release', 'release', 'fail']);
  });

  it.each(['fatal: write error: No space left on device', 'Disk quota exceeded', 'Read-only file system'])(
    'is waited for, however long, if git says %s',
    async (word) => {
      const tree = saying(...Array.from({ length: 20 }, () => word));
      for (let claim = 0; claim < 20; claim += 1)
        expect(await tree.begin(task, use, signal)).toEqual({
          do: 'release',
          why: `its tree could not be made: ${word}`,
        });
    },
  );
});
