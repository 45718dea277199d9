/**
 * The writes of a lead and of the teammate that it starts, as one process, in the order of `runtime/lead/spawn-teammate.ts`
 * and `runtime/teammate/join.ts`: intent, output log, fork, incarnation on the board, process record, the lead's bell.
 * Real processes that are killed in between are in `test/runtime/chaos.test.ts`.
 */
import { existsSync } from 'node:fs';
import { expect } from 'vitest';
import type { Mark } from '../../../../src/model/agent/process-mark.ts';
import { LEAD } from '../../../../src/model/text/names.ts';
import { hasBell, ringBell } from '../../../../src/store/mail/bell.ts';
import type { Disk } from '../../../../src/store/files/disk.ts';
import { openOutput } from '../../../../src/store/board/output-log.ts';
import { ownIdentity } from '../../../../src/os/process-table.ts';
import { identityIn, newToken, tokenHash } from '../../../../src/store/team/roster.ts';
import { openStore, type TeamStore } from '../../../../src/store/team/team-store.ts';
import { ADA, type Work, type World } from '../trial.ts';

const LIVES = ['01AAAAAAAAAAAAAAAAAAAAAAAA', '01BBBBBBBBBBBBBBBBBBBBBBBB', '01CCCCCCCCCCCCCCCCCCCCCCCC'];
const RUN = '01RRRRRRRRRRRRRRRRRRRRRRRR';
const [LIFE = ''] = LIVES;

const markOf = (): Mark => ({ kind: 'environment', id: `${RUN}-1`, run: RUN, since: 1, bootId: ownIdentity().bootId });

/** Becomes the member's current incarnation. */
function begin({ board }: TeamStore, inc: string): boolean {
  const after = board.fold().members.get(ADA)?.incarnation ?? null;
  return board.appendNow({ by: ADA, inc }, () => ({ type: 'member.started', name: ADA, inc, after })).outcome.ok;
}

async function spawn(world: World, disk: Disk): Promise<void> {
  const store = openStore(world.paths, world.options(disk));
  const { roster, paths } = store;
  const intent = { version: 1, name: ADA, run: RUN, tokenHash: tokenHash(newToken()), mark: { ...markOf() } } as const;
  roster.write({ ...intent, phase: 'spawning' });
  const log = openOutput(store.disk, paths.output(ADA));
  world.told.add('forked');
  store.disk.closeSync(log);
  if (begin(store, LIFE)) world.told.add('started');
  roster.write({ ...intent, phase: 'running', ...ownIdentity(), incarnation: LIFE });
  world.told.add('announced');
  ringBell(store.disk, paths.inbox(LEAD).bell);
  await store.close();
}

/** A process that may run can be found: its record is complete and has its mark. */
function checkRecord({ roster, paths }: TeamStore, { told, fault }: World): void {
  // A record is not flushed: after a power loss no process runs.
  if (fault === 'power loss after') return;
  const record = roster.read(ADA);
  expect(record !== undefined).toBe(existsSync(paths.process(ADA)));
  if (told.has('forked')) expect(record?.mark).toEqual(markOf());
  if (record?.phase === 'running') expect(identityIn(record)).toMatchObject({ pid: process.pid });
  if (told.has('announced')) expect(record).toMatchObject({ phase: 'running', incarnation: LIFE });
}

export const spawning: Work = {
  name: 'spawn',
  run: spawn,
  check(store, world, time) {
    const { board, config, disk, paths } = store;
    if (time === 1) {
      checkRecord(store, world);
      const life = board.fold().members.get(ADA)?.incarnation ?? null;
      expect([null, LIFE]).toContain(life);
      if (world.told.has('started')) expect(life).toBe(LIFE);
    }
    // S3: config, board and inboxes name the same members.
    expect(config.read()?.members.map(({ name }) => name)).toEqual([...board.fold().members.keys()]);
    expect([ADA, LEAD].map((name) => hasBell(disk, paths.inbox(name).bell))).toEqual([true, true]);
    expect(begin(store, LIVES[time] ?? ''), 'its next life').toBe(true);
  },
};
