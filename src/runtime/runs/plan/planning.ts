/**
 * Divides a task (docs/specification.md R8.3): look at the project, ask the planner, check its answer, and ask once
 * more if it is wrong.
 */
import type { AgentSpec } from '../../../model/agent/agent.ts';
import { usesModel } from '../../../model/agent/agent-kinds.ts';
import { decompositionSchema, surveySchema, type Survey } from '../../../model/plan/decomposition.ts';
import { AgentError, UsageError } from '../../../model/text/errors.ts';
import { jsonAnswer } from '../../../model/text/json-answer.ts';
import { refusalText } from '../../../policy/context-budget.ts';
import { decompose, type Divided, type Division } from '../../../policy/divide/decompose.ts';
import {
  explorerPrompt,
  plannerPrompt,
  repairPrompt,
  type PlannerAsk,
  type PlannerPrompt,
} from '../../../policy/divide/planner-wording.ts';
import { relayOutcome } from '../../../policy/refine/relay-outcome.ts';
import type { Labelled } from '../../../policy/divide/staffing.ts';
import { surveyOf } from '../../../policy/divide/survey.ts';
import { projectFiles } from '../../agents/project-files.ts';
import { RelayCalls, type CallPlace, FAULT_CODES } from '../relay-call.ts';

interface PlanningAsk extends Omit<PlannerAsk, 'survey'> {
  readonly planner: Labelled;
  /** Milliseconds for each call. */
  readonly timeoutMs: number;
  /** Called with each step, for people. */
  readonly say: (text: string) => void;
}

/**
 * @returns the division; undefined when `signal` aborted first
 * @throws AgentError `AGENT_BAD_OUTPUT` with what was wrong with the answers, or why the planner failed; UsageError
 * `USAGE` for a task over the limit
 */
export async function divideTask(
  ask: PlanningAsk,
  place: CallPlace,
  signal: AbortSignal,
): Promise<Division | undefined> {
  const calls = new RelayCalls(place);
  try {
    return await new Planning(ask, calls, place.cwd, signal).divide();
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    await calls.close();
  }
}

type Answered = { readonly text: string; readonly divided: Divided };

class Planning {
  readonly #ask: PlanningAsk;
  readonly #calls: RelayCalls;
  readonly #cwd: string;
  readonly #signal: AbortSignal;

  constructor(ask: PlanningAsk, calls: RelayCalls, cwd: string, signal: AbortSignal) {
    this.#ask = ask;
    this.#calls = calls;
    this.#cwd = cwd;
    this.#signal = signal;
  }

  async divide(): Promise<Division | undefined> {
    const { planner, say } = this.#ask;
    const { files, isCut } = await projectFiles(this.#cwd, this.#signal);
    if (isCut) say(`Only the first ${files.length} files of the project were looked at.`);
    const survey = await this.#survey(files);
    if (survey === undefined) return undefined;
    say(`${planner.label} plans the work.`);
    const asked = { ...this.#ask, survey };
    const first = await this.#answer(plannerPrompt(asked), files);
    if (first === undefined) return undefined;
    if (first.divided.ok) return first.divided.division;
    say(`The plan is invalid and is asked for once more: ${first.divided.problems.join(' ')}`);
    const second = await this.#answer(repairPrompt(asked, first.text, first.divided.problems), files);
    if (second === undefined) return undefined;
    if (second.divided.ok) return second.divided.division;
    throw new AgentError(
      'AGENT_BAD_OUTPUT',
      `${planner.label} gave no valid plan in two attempts: ${second.divided.problems.join(' ')} Describe the task more exactly, choose another --planner, or write a plan file.`,
    );
  }

  /** An explorer's report if the planner is a model, else what the file names show. */
  async #survey(files: readonly string[]): Promise<Survey | undefined> {
    const { planner, task, say } = this.#ask;
    const { agent, label } = planner;
    const scanned = surveyOf(files);
    if (!usesModel(agent.kind)) return scanned;
    say(`${label} explores the project.`);
    const outcome = await this.#call({ ...agent, tier: 'haiku' }, explorerPrompt(task));
    if (outcome === undefined) return undefined;
    const report = outcome.kind === 'success' ? jsonAnswer(surveySchema, outcome.text) : undefined;
    if (report?.ok === true)
      return { ...report.value, shared: [...new Set([...scanned.shared, ...report.value.shared])] };
    say('The explorer gave no report; the file names are used instead.');
    return scanned;
  }

  async #answer(prompt: PlannerPrompt, files: readonly string[]): Promise<Answered | undefined> {
    const { planner, staffing } = this.#ask;
    const outcome = await this.#call(planner.agent, prompt);
    if (outcome === undefined) return undefined;
    if (outcome.kind !== 'success')
      throw new AgentError(
        FAULT_CODES[outcome.why] ?? 'AGENT_UNAVAILABLE',
        `The planner ${planner.label} failed (${outcome.why}): ${outcome.message}`,
      );
    const { text } = outcome;
    const read = jsonAnswer(decompositionSchema, text);
    const divided = read.ok
      ? decompose(read.value, files, staffing)
      : { ok: false as const, problems: [`The answer is not a plan: ${read.why}`] };
    return { text, divided };
  }

  /** Planning only reads files, so models get `read-only`. A person's own command may write: that person wrote it. */
  async #call(agent: AgentSpec, worded: PlannerPrompt) {
    if (!worded.ok) throw new UsageError('USAGE', refusalText(worded.refusal));
    const sandbox = agent.kind === 'exec' ? ('workspace-write' as const) : ('read-only' as const);
    const about = `${this.#ask.planner.label} as planner`;
    const call = { about, agent, prompt: worded.prompt, sandbox, timeoutMs: this.#ask.timeoutMs };
    const end = await this.#calls.run(call, this.#signal);
    return end === undefined ? undefined : relayOutcome(end, sandbox);
  }
}
