/** Every exit code and its meaning, for the generated references. The program itself does not load this file. */
import { AgentError, ConflictError, StoreError, UsageError } from '../../app.ts';
import { SIGNAL_CODES, TIMED_OUT } from './interrupts.ts';

export interface ExitCodeHelp {
  readonly code: number;
  readonly text: string;
  /** The class of the errors that exit with this code. */
  readonly errors?: string;
}

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
  { code: SIGNAL_CODES.SIGTERM, text: 'Ended by SIGTERM.' },
];
