/** Runs the commands of `setup:` and `teardown:` in a tree, for its member or for the lead. */
import { DEFAULT_TASK_TIMEOUT_MS } from '../../model/board/task.ts';
import type { MemberOutput } from './member-output.ts';
import { JUDGED_HINT } from '../isolation/judging-isolation.ts';
import { runCommands } from '../team/verify-command.ts';
import type { FailedSetup } from '../trees/tree-needs.ts';

interface TreeCommands {
  readonly commands: readonly string[];
  readonly how: Parameters<typeof runCommands>[2];
  readonly output: Pick<MemberOutput, 'recordFailure'>;
  readonly isIsolated: boolean;
}

/** @returns how the first that failed ended */
export async function runInTree({ commands, how, output, isIsolated }: TreeCommands): Promise<FailedSetup | undefined> {
  const end = await runCommands(commands, DEFAULT_TASK_TIMEOUT_MS, how);
  if (end.result === 'passed') return undefined;
  if (end.result === 'aborted') return { why: 'it was stopped', output: '' };
  output.recordFailure();
  return { why: `${end.command} (${end.message}${isIsolated ? `; ${JUDGED_HINT}` : ''})`, output: end.output };
}
