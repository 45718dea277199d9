/** A run on a disk that is full or read-only, which the test mounts, or that cannot be watched. */
import { describe, expect, it } from 'vitest';
import { diskProcess, mustWatch, unwatched } from '../support/session.ts';
import { noSmallDisk } from '../support/small-disk.ts';
import { tempDir } from '../support/temp.ts';

describe('a disk', () => {
  it('a disk that is full for a while in mid-run delays the work, and loses none of it', async (context) => {
    const reason = noSmallDisk();
    if (reason) return context.skip(reason);
    const root = tempDir();
    const { code, said } = await (await diskProcess(root, '1m', 'full')).ended;
    const once = [1, 2, 3, 4, 5, 6].map((id) => `${id} completed 0 1`);
    expect({ code, said }).toMatchObject({ code: 0, said: { kind: 'ended', completed: once } });
  });

  it('a member that dies while the disk is full is started again when there is space, and the run goes on', async (context) => {
    const reason = noSmallDisk();
    if (reason) return context.skip(reason);
    const { code, said } = await (await diskProcess(tempDir(), '1m', 'full-at-a-death')).ended;
    const lostTask = said?.lostTask ?? 'none';
    const ends = ['1', '2', '3', '4', '5', '6'].map((id) => `${id} completed ${id === lostTask ? '1 2' : '0 1'}`);
    expect({ code, said }).toMatchObject({ code: 0, said: { kind: 'ended', completed: ends, lostTask } });
  });

  it('a disk that turns read-only for a while in mid-run delays the work, and ends no process', async (context) => {
    const reason = noSmallDisk();
    if (reason) return context.skip(reason);
    const root = tempDir();
    const { code, said } = await (await diskProcess(root, '4m', 'turns-read-only')).ended;
    const once = [1, 2, 3, 4, 5, 6].map((id) => `${id} completed 0 1`);
    expect({ code, said }).toMatchObject({ code: 0, said: { kind: 'ended', completed: once, isHeldUp: true } });
  });

  it('a read-only disk is reported, and nothing is created or started', async (context) => {
    const reason = noSmallDisk();
    if (reason) return context.skip(reason);
    const root = tempDir();
    const { code, said } = await (await diskProcess(root, '1m', 'read-only')).ended;
    expect({ code, said }).toMatchObject({
      code: 4,
      said: { kind: 'failed', code: 'READ_ONLY', text: expect.stringContaining(root) as string },
    });
  });
});

describe('a system that watches nothing', () => {
  it('a system without file watching gives each process one warning, and does not end the run', async (context) => {
    const reason = mustWatch();
    if (reason) return context.skip(reason);
    const { code, said } = await (await unwatched(tempDir(), 'unwatched')).ended;
    const once = [1, 2, 3, 4, 5, 6].map((id) => `${id} completed 0 1`);
    expect({ code, said }).toMatchObject({ code: 0, said: { completed: once, warned: ['ada', 'bob', 'lead'] } });
  });
});
