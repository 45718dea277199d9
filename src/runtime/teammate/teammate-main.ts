/** The teammate process that a lead starts: `teammate.cjs ROOT TEAM NAME [DIRECTORY]`. Its stdin is the parent pipe. */
import process from 'node:process';
import '../../model/text/interpreted-schemas.ts';
import { isTeamError } from '../../model/text/errors.ts';
import { parseName } from '../../model/text/names.ts';
import { teamPaths } from '../../store/files/paths.ts';
import { openStore } from '../../store/team/team-store.ts';
import { realClock } from '../../os/system-clock.ts';
import { exitWithParent, onParentExit } from '../../os/parent-pipe.ts';
import { join, serve } from './join.ts';
import { parseMark } from '../../os/reaper-message.ts';
import type { Teammate } from './teammate.ts';
import type { CommandLine } from '../isolation/broker.ts';
import { decodeQuota } from '../team/teammate-env.ts';

/** @param commandLine that of this package, loaded at its first use */
export async function main(commandLine: CommandLine): Promise<void> {
  const [root = '', team = '', member = '', cwd] = process.argv.slice(2);
  let teammate: Teammate | undefined;
  const parentGone = new AbortController();
  try {
    const name = parseName('member', member);
    const quota = decodeQuota(process.env);
    const store = openStore(teamPaths(root, parseName('team', team)), { clock: realClock, quota });
    const mark = parseMark(store.roster.read(name)?.mark);
    const onParentGone = (): void => {
      parentGone.abort();
      teammate?.stop('gone');
    };
    // The end of the pipe is noticed while this process waits, so reading begins with its first wait. To load what reads
    // it takes a millisecond, for which the lead need not wait.
    setImmediate(() => {
      // Stop the teammate before its children are killed, so that their end does not count as a failure of the task.
      onParentExit(process.stdin, onParentGone);
      if (mark) exitWithParent(process.stdin, mark, () => process.exit(1));
      else onParentExit(process.stdin, () => process.exit(1));
    });
    teammate = await join(store, name, { byHand: false, commandLine, cwd, environment: process.env });
    ({ exitCode: process.exitCode } = await serve(teammate));
  } catch (error) {
    process.stderr.write(
      `${isTeamError(error) ? `${error.code}: ${error.message}` : String(error instanceof Error ? (error.stack ?? error) : error)}\n`,
    );
    process.exitCode = isTeamError(error) ? error.exitCode : 70;
  }
  // If its lead is gone, it exits when all that it started is gone.
  if (!parentGone.signal.aborted) process.exit();
}
