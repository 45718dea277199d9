/**
 * A command for each turn: its exit code and its output are the result. It keeps nothing between turns.
 *
 * The prompt goes to the stdin of the agent's own command; a task's command gets an empty one. Neither the prompt nor
 * anything else is ever put into an argv.
 */
import { withoutLoader } from '../../model/agent/loader-variables.ts';
import { constants } from 'node:os';
import type { AgentSpec } from '../../model/agent/agent.ts';
import { formatDuration } from '../../model/text/duration.ts';
import { failureLine } from '../../model/text/telling-line.ts';
import type { Agent, AgentContext, Turn, TurnInput } from '../agent-contract.ts';
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import { tailText } from '../../os/output-tail.ts';
import { startProcess, type ProcessEnd, type ProgramLimits, type ProcessRequest } from './process.ts';

/** Bytes of the end of stdout that become the turn's text. */
const TEXT_BYTES = 64 * 1024;
const LINE_LENGTH = 300;
/** A shell's exit code for a missing command. */
const NO_COMMAND = 127;

/** @param limits for tests; the defaults are production values (docs/specification.md R7.3) */
export function exec(spec: AgentSpec, { isolate }: AgentContext = {}, limits: Partial<ProgramLimits> = {}): Agent {
  return {
    async *turn(input) {
      const request = requestOf(spec, input);
      if (request === undefined) return nothingToRun;
      if (isolate === undefined) return yield* runCommand(request, limits);
      const argv = isolate(request.argv, request.env, input);
      return yield* runCommand({ ...request, argv, env: withoutLoader(request.env) }, limits);
    },
    close: () => Promise.resolve(),
  };
}

/** Runs one command as a turn: for this agent, and for other commands that a person wrote. */
export async function* runCommand(request: ProcessRequest, limits: Partial<ProgramLimits> = {}): Turn {
  if (request.signal.aborted) return { kind: 'aborted' };
  const started = await startProcess(request, limits);
  if (!started.ok) return started.failure;
  const { process } = started;
  try {
    yield { type: 'started', pid: process.pid };
    for (let output = await process.next(); output; output = await process.next()) yield output;
    return turnEnd(await process.ended, request.timeoutMs);
  } finally {
    // If the caller leaves early, the process is stopped.
    await process.stop();
  }
}

function requestOf({ command, args = [] }: AgentSpec, input: TurnInput): ProcessRequest | undefined {
  const { env, cwd, signal } = input;
  const limit = input.timeoutMs === undefined ? {} : { timeoutMs: input.timeoutMs };
  if (input.argv !== undefined) return { argv: input.argv, env, cwd, signal, ...limit };
  if (command === undefined) return undefined;
  return { argv: [...command, ...args], env, cwd, signal, stdin: input.prompt, ...limit };
}

const nothingToRun: TurnEnd = {
  kind: 'failed',
  why: 'exit',
  text: '',
  message: `exit ${NO_COMMAND}: there is nothing to run: give the task a "run", or its agent a "command".`,
  exitCode: NO_COMMAND,
};

function turnEnd(end: ProcessEnd, timeoutMs = 0): TurnEnd {
  const text = tailText(end.stdout, TEXT_BYTES);
  switch (end.kind) {
    case 'aborted':
      return { kind: 'aborted' };
    case 'timeout':
      return { kind: 'failed', why: 'timeout', text, message: `Timed out after ${formatDuration(timeoutMs)}.` };
    case 'flooded':
      return { kind: 'failed', why: 'bad_output', text, message: 'It printed without end and was stopped.' };
    case 'signalled':
      return exitEnd(128 + constants.signals[end.signal], text, `ended by ${end.signal}${suspicion(end.signal)}`);
    case 'exited':
      if (end.code === 0) return { kind: 'answered', text, exitCode: 0 };
      return exitEnd(end.code, text, failureLine({ stdout: text, stderr: tailText(end.stderr, TEXT_BYTES) }));
  }
}

const exitEnd = (exitCode: number, text: string, said: string | undefined): TurnEnd => {
  const message = said === undefined ? `exit ${exitCode}` : `exit ${exitCode}: ${said.slice(0, LINE_LENGTH)}`;
  return { kind: 'failed', why: 'exit', text, message, exitCode };
};

const suspicion = (signal: NodeJS.Signals): string =>
  signal === 'SIGKILL' ? ', which is how the system ends a program when memory runs out' : '';
