/**
 * An agent that follows its script: for tests and demonstrations. It starts no process and calls no model; text that is
 * not from the script is labelled `(scripted)`.
 */
import { resolve } from 'node:path';
import type { AgentSpec } from '../model/agent/agent.ts';
import { formatDuration } from '../model/text/duration.ts';
import { UsageError } from '../model/text/errors.ts';
import { check } from '../model/text/document-problem.ts';
import { readSource } from '../model/text/yaml-source.ts';
import type { Agent, AgentEvent, CallAnswer, Turn, TurnInput } from './agent-contract.ts';
import type { TurnEnd } from '../model/agent/turn-end.ts';
import { LONGEST_MS, pause } from '../os/pause.ts';
import { afterUnheld } from '../os/work-timer.ts';
import { scriptReader, scriptSchema, scriptedTurnsSchema, type ScriptedTurn } from './script.ts';
import { exists, readScript, writeInside } from './script-files.ts';

const LOOK_EVERY_MS = 20;

type Steps = AsyncGenerator<AgentEvent, void, CallAnswer | undefined>;

/**
 * @param crash what a script's `crashes` does; for tests
 * @throws UsageError `USAGE` when the script is not valid
 */
export function scripted(spec: AgentSpec, crash: () => void = () => process.kill(process.pid, 'SIGKILL')): Agent {
  const next = scriptReader(turnsOf(spec));
  return {
    turn: (input) => scriptedTurn(next(input.prompt) ?? {}, input, crash),
    close: () => Promise.resolve(),
  };
}

async function* scriptedTurn(turn: ScriptedTurn, input: TurnInput, crash: () => void): Turn {
  const late = new AbortController();
  const { timeoutMs = LONGEST_MS, heldMs } = input;
  const disarm = afterUnheld(timeoutMs, () => late.abort(), heldMs);
  try {
    yield* steps(turn, input, AbortSignal.any([input.signal, late.signal]));
  } finally {
    disarm();
  }
  if (input.signal.aborted) return { kind: 'aborted' };
  if (late.signal.aborted)
    return { kind: 'failed', why: 'timeout', text: '', message: `Timed out after ${formatDuration(timeoutMs)}.` };
  if (turn.crashes) crash();
  return endOf(turn, input);
}

/** All steps of a turn except its end; none after `stop`. */
async function* steps(turn: ScriptedTurn, input: TurnInput, stop: AbortSignal): Steps {
  const goesOn = (): boolean => !stop.aborted;
  for (const text of turn.says ?? []) if (goesOn()) yield { type: 'said', text };
  for (const call of turn.calls ?? []) if (goesOn()) yield { type: 'called', ...call };
  if (turn.waitsMs !== undefined) await pause(turn.waitsMs, stop);
  while (turn.waitsFor !== undefined && goesOn() && !exists(resolve(input.cwd, turn.waitsFor)))
    await pause(LOOK_EVERY_MS, stop);
  for (const [path, text] of Object.entries(turn.writes ?? {})) {
    const refusal = goesOn() ? write(path, text, input) : undefined;
    if (refusal !== undefined) yield { type: 'said', text: `(scripted) ${path} was not written: ${refusal}.` };
  }
}

/** @returns why it was not written */
function write(path: string, text: string, { cwd, sandbox }: TurnInput): string | undefined {
  if (sandbox === 'read-only') return 'the turn is read-only';
  return writeInside(cwd, path, text) ? undefined : 'the path leads out of the working directory';
}

function endOf({ crashes, fails, answers }: ScriptedTurn, { prompt }: TurnInput): TurnEnd {
  if (crashes) return { kind: 'failed', why: 'crashed', text: '', message: '(scripted) crashed' };
  if (fails) {
    const { why, message, exitCode, retryAfterMs } = fails;
    return {
      kind: 'failed',
      why,
      text: '',
      message,
      exitCode,
      retryAfterMs,
    };
  }
  return { kind: 'answered', text: answers ?? `(scripted) done: ${prompt.split('\n', 1)[0] ?? ''}` };
}

/** A relative `file` is resolved against the working directory of this process. */
function turnsOf({ options = {} }: AgentSpec): readonly ScriptedTurn[] {
  const checked = check(scriptSchema, options);
  if (!checked.ok) throw notAScript('The script of a scripted agent', checked.problems);
  const { file, turns = [] } = checked.value;
  return file === undefined ? turns : turnsIn(file);
}

function turnsIn(file: string): readonly ScriptedTurn[] {
  const format = file.endsWith('.json') ? 'json' : 'yaml';
  const { value, problems } = readSource({ text: readScript(file), file, format });
  if (problems.length > 0) throw notAScript(`The script ${file}`, problems);
  const checked = check(scriptedTurnsSchema, value);
  if (!checked.ok) throw notAScript(`The script ${file}`, checked.problems);
  return checked.value;
}

const notAScript = (what: string, problems: readonly { readonly text: string }[]): UsageError =>
  new UsageError('USAGE', `${what} is not valid: ${problems.map(({ text }) => text).join(' ')}`);
