/** What a process asks of its replica while the relay starts: first it takes the lock, and serves when it is up to date. */
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parseName } from '../../../src/model/text/names.ts';
import { LastingServer } from '../../../src/os/connection/lasting-server.ts';
import { holdReplica } from '../../../src/store/engine/replica-place.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { rootPaths } from '../../../src/store/files/paths.ts';
import { RelayClient } from '../../../src/store/replica/relay-client.ts';
import { relayAnswer } from '../../../src/store/replica/relay-answer.ts';
import { openSeal } from '../../../src/store/user/seal.ts';
import { FakeClock, realClock } from '../../support/clock.ts';
import { tempDir } from '../../support/temp.ts';

/** One question to a relay that serves after so many seconds. */
async function asked(servesAfter: number, isHeld: boolean) {
  const root = tempDir();
  const release = holdReplica(root, 'postgres://h/d', realClock);
  if (isHeld) onTestFinished(release);
  else release();
  let server: LastingServer | undefined;
  onTestFinished(() => server?.close());
  class Starting extends FakeClock {
    override async sleep(ms: number): Promise<void> {
      await super.sleep(ms);
      if (this.monotonic() >= servesAfter * 1_000)
        server ??= await LastingServer.listen(rootPaths(root).relay, () => Promise.resolve(relayAnswer({ ok: true })));
    }
  }
  const seal = openSeal(realDisk, join(root, 'key'));
  using client = new RelayClient({ disk: realDisk, root, seal, clock: new Starting() });
  await client.archive(parseName('team', 'login'));
}

it('waits for its answer', async () => {
  await expect(asked(20, true)).resolves.toBeUndefined();
});

it('fails after 5 s if no process has the lock', async () => {
  await expect(asked(20, false)).rejects.toThrow('No relay runs');
});

it('fails when its own time is over', async () => {
  await expect(asked(70, true)).rejects.toThrow('got no answer of the store in time');
});
