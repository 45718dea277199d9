/** Which team a watch follows. */
import fs, { copyFileSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { expect, it, onTestFinished, vi } from 'vitest';
import { TeamWatch } from '../../../src/runtime/views/team-watch.ts';
import { ToldTeam } from '../../support/told-team.ts';

function watched(): { readonly team: ToldTeam; readonly watch: TeamWatch } {
  const team = new ToldTeam({ ada: 'executor' }).add('A');
  const watch = new TeamWatch(team.store.paths);
  onTestFinished(() => watch.close());
  return { team, watch };
}

/** Where the system cannot tell when a file was made, Node gives the time of its last change. */
function withoutTimesOfBirth(): void {
  const look = fs.lstatSync;
  const spy = vi.spyOn(fs, 'lstatSync').mockImplementation((...given: Parameters<typeof look>) => {
    const found = look(...given);
    return found && Object.assign(found, { birthtimeMs: found.ctimeMs });
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}

it.each([
  ['', () => {}],
  [' on a file system that does not tell when files were made', withoutTimesOfBirth],
])('a team that is written to is the same team%s', (_, given) => {
  given();
  const { team, watch } = watched();
  const { log } = team.store.paths;
  const { ctimeMs } = fs.lstatSync(log);
  while (fs.lstatSync(log).ctimeMs === ctimeMs) utimesSync(log, new Date(), new Date());
  expect(watch.isReplaced()).toBe(false);
  expect(watch.identity).toMatch(/^\d+-\d+$/);
});

it('one with another log in the same place is another team, and one without a log is none', () => {
  const { team, watch } = watched();
  const { log } = team.store.paths;
  copyFileSync(log, `${log}.new`);
  renameSync(`${log}.new`, log);
  expect(watch.isReplaced()).toBe(true);
  rmSync(log);
  expect(watch.isReplaced()).toBe(false);
});
