/** What holds for mail wherever its team is, in a store: it is sent on one machine, and read on another. */
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseName } from '../../../src/model/text/names.ts';
import { realClock } from '../../../src/os/system-clock.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { teamPaths } from '../../../src/store/files/paths.ts';
import { isTeam, openStore } from '../../../src/store/team/team-store.ts';
import { Machine } from '../../support/machine.ts';
import { MAIL_CONTRACT, TeamMail } from '../../support/mail-contract.ts';
import { hasPostgres } from '../../support/postgres.ts';
import { useStore } from '../../support/store-scene.ts';

describe.skipIf(!hasPostgres)('mail in a store', { timeout: 60_000 }, () => {
  const scene = useStore();
  beforeEach(() => {
    for (const key of ['HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME']) vi.stubEnv(key, scene.place.environment[key]);
    onTestFinished(() => void vi.unstubAllEnvs());
  });

  it.each(MAIL_CONTRACT)('$what', async ({ holds }) => {
    const machines = await Machine.two(scene.place, 'ada', 'bob');
    const [here, there] = machines.map(({ root }) => teamPaths(root, parseName('team', 'login')));
    if (here === undefined || there === undefined) throw new Error('There are two machines.');
    await expect.poll(() => isTeam(realDisk, there)).toBe(true);
    const [sending, reading] = [openStore(here, { clock: realClock }), openStore(there, { clock: realClock })];
    await expect.poll(() => reading.board.fold().members.size).toBe(2);
    const mail = new TeamMail({ sending, reading });
    try {
      await holds(mail);
    } finally {
      mail.close();
      for (const store of [sending, reading]) await store.close();
    }
  });
});
