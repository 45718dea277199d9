/** How long a start waits until the hosts of the store are known. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { codeOf } from '../../../src/model/text/errors.ts';
import { requireHosts } from '../../../src/runtime/placement/required-hosts.ts';
import { makeTeam } from '../../../src/runtime/team/team-handle.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { markReplica, noteCutOff } from '../../../src/store/replica/replica-root.ts';
import { noteTeamHosts } from '../../../src/store/replica/team-hosts.ts';
import { openStore } from '../../../src/store/team/team-store.ts';
import { FakeClock } from '../../support/clock.ts';
import { tempDir } from '../../support/temp.ts';

const host = { name: 'one', machine: 'm', slots: 1, used: 0, labels: ['gpu'] };
const ADA = { name: 'ada', where: ['gpu'] };

/** @param at what the relay writes, by the seconds since the start */
async function waited(at: Readonly<Record<number, 'host' | 'no host' | 'cut off'>>) {
  const root = tempDir();
  const made = makeTeam('login', { members: [{ name: 'ada' }] }, { root, environment: { XDG_STATE_HOME: root } });
  await made[Symbol.asyncDispose]();
  markReplica(realDisk, root, 'postgres://h/d');
  class Relay extends FakeClock {
    override async sleep(ms: number): Promise<void> {
      const before = this.monotonic();
      await super.sleep(ms);
      for (const [seconds, what] of Object.entries(at)) {
        if (before >= Number(seconds) * 1_000 || this.monotonic() < Number(seconds) * 1_000) continue;
        if (what === 'cut off') noteCutOff(realDisk, root, this.now());
        else noteTeamHosts(realDisk, made.paths, { hosts: what === 'host' ? [host] : [], placements: [] });
      }
    }
  }
  const clock = new Relay();
  const store = openStore(made.paths, { clock });
  onTestFinished(() => store.close());
  const error = await requireHosts(store, [ADA]).catch((caught: unknown) => caught);
  return [codeOf(error), clock.monotonic() / 1_000];
}

describe('a member that needs a host', () => {
  it.each([
    ['is placed when that is known, however late the relay writes it', { 60: 'host' }, undefined, 60],
    ['waits 3 s for one that is about to begin', { 60: 'no host', 62: 'host' }, undefined, 62],
    ['is refused 3 s after the relay has written that there is none', { 60: 'no host' }, 'NO_HOST', 63],
    ['is refused after 3 s while the relay is cut off', { 1: 'cut off' }, 'NO_HOST', 4],
    ['is refused after 5 min without a word of the relay', {}, 'NO_HOST', 300],
  ] as const)('%s', async (_, at, code, seconds) => {
    expect(await waited(at)).toEqual([code, seconds]);
  });
});
