/** Runs a task's `verify:` commands, and those of a tree's setup. */
import type { Turn } from '../../agents/agent-contract.ts';
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import { runCommand } from '../../agents/programs/exec.ts';
import { argvOf } from '../../model/agent/agent.ts';
import { DEFAULT_TASK_TIMEOUT_MS, type Task } from '../../model/board/task.ts';

interface Wrapped {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface VerifyEnvironment {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Isolates a command. */
  readonly wrap: (command: Wrapped) => Wrapped;
  /** Drives a command to its end and handles its output. */
  readonly drive: (turn: Turn) => Promise<TurnEnd>;
}

export type Verified =
  | { readonly result: 'passed' }
  | { readonly result: 'aborted' }
  | { readonly result: 'failed'; readonly command: string; readonly message: string; readonly output: string };

export const verifyTask = ({ work }: Task, environment: VerifyEnvironment): Promise<Verified> =>
  runCommands(work.verify, work.timeoutMs ?? DEFAULT_TASK_TIMEOUT_MS, environment);

/** Runs commands that a person wrote, one after the other until one fails. */
export async function runCommands(
  commands: readonly string[],
  timeoutMs: number,
  { env, cwd, signal, wrap, drive }: VerifyEnvironment,
): Promise<Verified> {
  for (const command of commands) {
    const end = await drive(runCommand({ ...wrap({ argv: argvOf(command), env }), cwd, signal, timeoutMs }));
    if (end.kind === 'aborted') return { result: 'aborted' };
    if (end.kind === 'failed') return { result: 'failed', command, message: end.message, output: end.text };
  }
  return { result: 'passed' };
}
