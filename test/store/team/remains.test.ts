/** What is left of a team whose board was removed. */
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { codeOf } from '../../../src/model/text/errors.ts';
import { LEAD } from '../../../src/model/text/names.ts';
import { ownIdentity } from '../../../src/os/process-table.ts';
import { realDisk, type Disk } from '../../../src/store/files/disk.ts';
import { archiveRemains } from '../../../src/store/team/remains.ts';
import { ToldTeam } from '../../support/told-team.ts';

const STAMP = '20260210T120000123Z';
const codeFrom = (work: () => unknown): unknown => {
  try {
    work();
    return 'nothing thrown';
  } catch (error) {
    return codeOf(error);
  }
};

function left() {
  const { store, root } = new ToldTeam({ ada: 'executor/exec' });
  const aside = `${root}/board`;
  renameSync(store.paths.board, aside);
  const led = (folder: object): void =>
    writeFileSync(store.paths.leaseOwner(LEAD), JSON.stringify({ ...ownIdentity(), since: 0, folder }));
  return { store, paths: store.paths, aside, led };
}

it('remains stay while their lead runs; the lead of another folder, whose record came with a copy, is none', () => {
  const { paths, led, store } = left();
  led(store.pinned.identity);
  expect(codeFrom(() => archiveRemains(paths, STAMP))).toBe('STILL_RUNNING');
  led({ ...store.pinned.identity, ino: store.pinned.identity.ino + 1 });
  expect(existsSync(archiveRemains(paths, STAMP).folder)).toBe(true);
});

it('remains that became a team again before they could be put away stay', () => {
  const { paths, aside } = left();
  let isBack = false;
  const disk: Disk = {
    ...realDisk,
    linkSync: (...link) => {
      if (!isBack) renameSync(aside, paths.board);
      isBack = true;
      realDisk.linkSync(...link);
    },
  };
  expect(codeFrom(() => archiveRemains(paths, STAMP, disk))).toBe('TEAM_GONE');
  expect([isBack, existsSync(paths.folder), existsSync(paths.log)]).toEqual([true, true, true]);
});
