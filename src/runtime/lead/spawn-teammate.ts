/** The child process of a teammate: its start, and how it ended. */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Name } from '../../model/text/names.ts';
import { openOutput } from '../../store/board/output-log.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

/** How a child ended, in words. */
export const endOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    child.once('error', (error) => resolve(`not started: ${error.message}`));
    child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `exit ${code ?? 0}`));
  });

/**
 * Its stdin is the parent pipe: it ends with the lead. What it prints before it opens its own log goes to that log,
 * too.
 */
export function spawnTeammate(
  store: TeamStore,
  name: Name,
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): ChildProcess {
  const log = openOutput(store.disk, store.paths.output(name));
  try {
    const child = spawn(file, [...args], { cwd: store.paths.root, env, detached: true, stdio: ['pipe', log, log] });
    child.stdin?.on('error', () => {
      // The parent pipe of a dead teammate; its exit is seen elsewhere.
    });
    return child;
  } finally {
    store.disk.closeSync(log);
  }
}
