/** Every exit code and its meaning, for the generated references. The program itself does not load this file. */
import { AgentError, ConflictError, StoreError, UsageError } from '../../app.ts';
import { SIGNAL_CODES, TIMED_OUT } from './interrupts.ts';

export interface ExitCodeHelp {
  readonly code: number;
  readonly text: string;
  /** The class of the errors that exit with this code. */
  readonly errors?: string;
}

/** No program can answer SIGKILL; shells tell it as 128 + 9. */
const KILLED = 137;

const usage = new UsageError('USAGE', '');
const conflict = new ConflictError('REFUSED', '');
const store = new StoreError('IO', '');
const agent = new AgentError('AGENT_UNAVAILABLE', '');

export const EXIT_CODE_HELP: readonly ExitCodeHelp[] = [
  { code: 0, text: 'Success. Of a run: every required task is completed, and no gate failed.' },
  { code: 1, text: 'Work failed or is incomplete.' },
  { code: usage.exitCode, text: 'The request is wrong; change it.', errors: usage.class },
  { code: conflict.exitCode, text: 'A conflict; try again later.', errors: conflict.class },
  {
    code: store.exitCode,
    text: 'A file of the store is damaged or not writable; a person must repair it.',
    errors: store.class,
  },
  { code: agent.exitCode, text: 'No agent is usable, or the agent failed.', errors: agent.class },
  { code: TIMED_OUT, text: 'The time limit was reached (`--timeout`, `take --wait`).' },
  { code: SIGNAL_CODES.SIGHUP, text: 'Ended by SIGHUP: the terminal was closed.' },
  { code: SIGNAL_CODES.SIGINT, text: 'Ended by SIGINT: Ctrl-C.' },
  { code: KILLED, text: 'Ended by SIGKILL, as a shell tells it.' },
  { code: SIGNAL_CODES.SIGTERM, text: 'Ended by SIGTERM.' },
];

/** Every way a run can end; test/e2e/run-ends.test.ts tries each. */
export const RUN_ENDS: readonly Pick<ExitCodeHelp, 'code' | 'text'>[] = [
  { code: 0, text: 'Every required task is completed and no gate failed.' },
  { code: 0, text: 'A task that is not required failed; the rest is completed.' },
  { code: 1, text: 'A required task failed, or was skipped because of a failed one.' },
  { code: 1, text: 'A gate failed (build, test, lint, ownership, cross-verification).' },
  { code: 1, text: 'A gate was skipped, with `--strict`.' },
  { code: 1, text: 'A verdict (`NEEDS_FIX`) is not resolved.' },
  { code: 1, text: 'A limit (`--max-cost`, `--max-tokens`) was reached.' },
  { code: 1, text: 'It was cancelled (`teams cancel`).' },
  { code: 1, text: 'The question before the start was answered with no; nothing was started.' },
  { code: usage.exitCode, text: 'The plan or a flag is wrong; nothing was started.' },
  { code: conflict.exitCode, text: 'Another process leads the team; nothing was started.' },
  { code: store.exitCode, text: 'A file of the team is damaged, or the working directory is gone.' },
  {
    code: agent.exitCode,
    text: 'The agent of a member, the lead, or the planner cannot work here; nothing was started.',
  },
  { code: TIMED_OUT, text: 'The time limit (`--timeout`) was reached.' },
  { code: SIGNAL_CODES.SIGHUP, text: 'SIGHUP: the terminal was closed.' },
  { code: SIGNAL_CODES.SIGINT, text: 'SIGINT: Ctrl-C.' },
  { code: KILLED, text: 'SIGKILL: the members end by themselves.' },
  { code: SIGNAL_CODES.SIGTERM, text: 'SIGTERM.' },
];
