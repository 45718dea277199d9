import { describe, expect, it } from 'vitest';
import type { ClaimedTask } from '../../../src/model/board/task.ts';
import { StoreError } from '../../../src/model/text/errors.ts';
import { realClock } from '../../../src/os/system-clock.ts';
import { GitFailure } from '../../../src/runtime/process/git-tree.ts';
import type { TreeUse } from '../../../src/runtime/trees/tree-needs.ts';
import { AttemptTree } from '../../../src/runtime/trees/tree-attempt.ts';

const task = { id: '1' } as unknown as ClaimedTask;
const use: TreeUse = { isMounted: false, run: () => Promise.resolve(undefined) };
const { signal } = new AbortController();

const told: (string | undefined)[] = [];
/** How often an event cannot be written, for want of room. */
let unwritten = 0;
const quiet = {
  clock: { ...realClock, sleep: () => Promise.resolve() },
  events: {
    append: ({ text }: { text?: string }) => {
      if (unwritten > 0) return new Error(`no room: ${(unwritten -= 1)}`);
      told.push(text);
      return undefined;
    },
  },
} as unknown as ConstructorParameters<typeof AttemptTree>[1];

/** A tree whose git says these, one at each claim; undefined: it is made. */
function saying(...words: (string | Error | undefined)[]): AttemptTree {
  const begin = (): Promise<void> => {
    const word = words.shift();
    if (word === undefined) return Promise.resolve();
    return Promise.reject(typeof word === 'string' ? new GitFailure(word) : word);
  };
  return new AttemptTree({ begin, keep: () => Promise.resolve(undefined) }, quiet);
}

describe('a tree that cannot be made', () => {
  it('is tried at three claims in a row, and then is a failure of the attempt', async () => {
    const tree = saying('bad object', 'bad object', undefined, 'bad object', 'bad object', 'bad object');
    const said = [];
    for (let claim = 0; claim < 6; claim += 1) said.push((await tree.begin(task, use, signal))?.do);
    expect(said).toEqual(['release', 'release', undefined, 'release', 'release', 'fail']);
  });

  it('is waited for, however long, if the store of the team is away', async () => {
    const away = new StoreError('ENGINE_UNREACHABLE', 'The store is away.');
    const tree = saying(...Array.from({ length: 20 }, () => away));
    for (let claim = 0; claim < 20; claim += 1) expect((await tree.begin(task, use, signal))?.do).toBe('release');
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

describe('a change that cannot be kept', () => {
  const change = { attempt: { commit: 'a', base: 'b' }, files: ['f'] };
  const FULL = 'git add: error: unable to write file: No space left on device';
  const keeping = (words: (string | Error)[], abortsAt = Infinity) => {
    const stop = new AbortController();
    let tries = 0;
    const keep = () => {
      tries += 1;
      if (tries === abortsAt) stop.abort();
      const word = words.shift();
      if (word === undefined) return Promise.resolve(change);
      return Promise.reject(typeof word === 'string' ? new GitFailure(word) : word);
    };
    told.length = 0;
    return new AttemptTree({ begin: () => Promise.resolve(), keep }, quiet).keep(task, stop.signal);
  };

  it('waits for a full disk, which is told once, and is kept then', async () => {
    expect(await keeping(Array.from({ length: 20 }, () => FULL))).toEqual({ do: 'submit', change });
    expect(told).toEqual([`its change could not be kept: ${FULL}`]);
  });

  it('tells of a full disk as soon as the disk takes an event', async () => {
    unwritten = 3;
    expect(await keeping(Array.from({ length: 20 }, () => FULL))).toEqual({ do: 'submit', change });
    expect(told).toEqual([`its change could not be kept: ${FULL}`]);
  });

  it('goes back if its member is stopped meanwhile: the work lies in the tree', async () => {
    const end = await keeping(
      Array.from({ length: 20 }, () => FULL),
      3,
    );
    expect(end).toEqual({ do: 'release', why: `its change could not be kept: ${FULL}` });
  });

  it('waits for a store that is away, which is told once, and is kept then', async () => {
    const away = 'The relay of /replica got no answer of the store in time.';
    const words = Array.from({ length: 20 }, () => new StoreError('ENGINE_UNREACHABLE', away));
    expect(await keeping(words)).toEqual({ do: 'submit', change });
    expect(told).toEqual([`its change could not be kept: ${away}`]);
  });

  it('fails the attempt for any other reason', async () => {
    expect(await keeping(['bad object'])).toEqual({ do: 'fail', why: 'its change could not be kept: bad object' });
    expect(told).toEqual([]);
  });
});
