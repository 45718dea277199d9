/** Decides everything before the first round: backends, reviewers, sandbox, deliverables. */
import { parseAgentFlag, type AgentSpec, type Sandbox } from '../../../model/agent/agent.ts';
import { parseBackends, type AskedBackends, type Backend } from '../../../model/pipeline/backend.ts';
import { AgentError, UsageError } from '../../../model/text/errors.ts';
import { parseName, type Name } from '../../../model/text/names.ts';
import { complexityOf } from '../../../policy/divide/complexity.ts';
import { LIMITS, refusalText } from '../../../policy/context-budget.ts';
import { deliverablesOf } from '../../../policy/refine/deliverables.ts';
import { preflight, type Preflight } from '../../../policy/refine/preflight.ts';
import { DEFAULT_ROUNDS, MOST_ROUNDS } from '../../../policy/refine/refine-request.ts';
import { chooseReviewer, type ReviewerChoice, type LabelledReviewer } from '../../../policy/refine/reviewer-choice.ts';
import { COMPLEX_FROM, type Rubric } from '../../../policy/refine/rubric.ts';
import { chooseSandbox, type SandboxChoice } from '../../../policy/refine/sandbox-choice.ts';
import { availableOf, probe } from '../../agents/probes.ts';
import { gitDiff } from '../../process/git-diff.ts';
import type { KnownPlace } from '../../process/git-place.ts';
import { refuseNesting } from '../relay-call.ts';
import { treesFor, type SaidOfTrees } from '../trees-for.ts';
import type { SessionOptions } from '../session.ts';
import type { OpenOptions } from '../../team/team-handle.ts';

/** The role of a worker. */
export const RELAY_ROLE = parseName('role', 'relay');

export interface RefinePlace {
  /** The working directory of the agents. */
  readonly cwd: string;
  readonly open: OpenOptions;
  readonly session: SessionOptions;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly envPass: readonly string[];
  /** Agents by name, as configured. */
  readonly agents: ReadonlyMap<string, AgentSpec>;
  /** Other agents that may review, the first choice first. */
  readonly fallback: readonly string[];
  /** Milliseconds for each call. */
  readonly relayTimeoutMs: number;
  /** Whether each backend works in a tree of its own; absent: none does. */
  readonly isolation?: SaidOfTrees | undefined;
}

export interface RefineAsk {
  readonly task: string;
  /** In the syntax of `--backend`; without any, codex. */
  readonly backends?: readonly string[];
  /** From 1 to 5; default 3. */
  readonly maxRounds?: number;
  readonly sandbox?: Sandbox | undefined;
  /** In the syntax of `--reviewer`: a kind, a configured name, `exec:COMMAND`. */
  readonly reviewer?: string | undefined;
  /** A command whose exit code is part of the evidence. */
  readonly validate?: string | undefined;
  readonly includeDiff?: boolean;
  /** False: no team; every call is made directly from this process. */
  readonly team?: boolean;
}

export interface PreparedRefine {
  readonly ask: RefineAsk;
  readonly maxRounds: number;
  readonly backends: readonly Backend[];
  readonly skipped: Extract<Preflight, { go: true }>['skipped'];
  readonly sandbox: SandboxChoice;
  /** Each backend works in a tree of its own. */
  readonly trees: 'trees' | undefined;
  readonly rubric: Rubric;
  readonly reviewers: ReadonlyMap<Name, ReviewerChoice>;
  /** With a diff: the repository before backends write. */
  readonly repository: KnownPlace | undefined;
  /** What the user should know before it begins. */
  readonly warnings: readonly string[];
}

/**
 * Checks the request and chooses backends and reviewers. Starts nothing.
 *
 * @throws UsageError `USAGE`, `POLICY_DENIED` inside a teammate or another loop; AgentError `AGENT_UNAVAILABLE` with
 * what was probed
 */
export async function prepareRefine(ask: RefineAsk, place: RefinePlace, signal: AbortSignal): Promise<PreparedRefine> {
  refuseNesting(place.environment);
  const task = ask.task.trim();
  if (task === '') throw new UsageError('USAGE', 'The task is empty; describe what to do.');
  const ready = await requireInstalled(parseBackends(ask.backends ?? [], place.agents), place);
  const reviewers = await reviewersOf(ready.backends, ask, place);
  const repository = ask.includeDiff === true ? await requireFittingDiff(place.cwd, signal) : undefined;
  const deliverables = deliverablesOf(task);
  const isComplex = deliverables.length > 1 || complexityOf(task).score >= COMPLEX_FROM;
  const sandbox = chooseSandbox(task, ask.sandbox);
  const trees = await treesOf(ready.backends, { ...ask, sandbox: sandbox.sandbox }, place);
  const disclosed = [...new Set([...reviewers.values()].map(disclosure))];
  return {
    ask: { ...ask, task },
    maxRounds: Math.min(MOST_ROUNDS, Math.max(1, Math.trunc(ask.maxRounds ?? DEFAULT_ROUNDS))),
    backends: ready.backends,
    skipped: ready.skipped,
    sandbox,
    trees,
    rubric: { deliverables, isComplex },
    reviewers,
    repository,
    warnings: [...ready.warnings, ...disclosed],
  };
}

/** @throws AgentError `NO_ISOLATION` */
async function treesOf(
  backends: readonly Backend[],
  { sandbox, team }: Pick<RefineAsk, 'sandbox' | 'team'>,
  { isolation, cwd, open: { root } }: RefinePlace,
): Promise<'trees' | undefined> {
  // Who only reads needs no files of its own.
  if (isolation === undefined || sandbox === 'read-only') return undefined;
  const members = backends.map(() => ({ role: RELAY_ROLE, sandbox }));
  const { needs, ...said } = isolation;
  const trees = await treesFor(
    { members },
    { ...said, needs: needs && { ...needs, review: undefined } },
    { cwd, root },
  );
  if (trees !== undefined && team === false)
    throw new AgentError(
      'NO_ISOLATION',
      '`isolation: trees` is not possible with --no-team: a tree belongs to a worker. Leave out one of both.',
    );
  return trees;
}

/** @throws AgentError `AGENT_UNAVAILABLE` */
export async function requireInstalled(
  asked: AskedBackends,
  { environment }: Pick<RefinePlace, 'environment'>,
): Promise<Extract<Preflight, { go: true }>> {
  const looked = asked.backends.map(async (one) => [one.name, await probe(one, environment)] as const);
  const ready = preflight(asked, new Map(await Promise.all(looked)));
  if (!ready.go) throw new AgentError('AGENT_UNAVAILABLE', ready.why);
  return ready;
}

async function reviewersOf(
  backends: readonly Backend[],
  ask: RefineAsk,
  place: RefinePlace,
): Promise<Map<Name, ReviewerChoice>> {
  const asked = ask.reviewer === undefined ? undefined : await askedReviewer(ask.reviewer, place);
  const hasValidation = ask.validate !== undefined;
  const choose = (backend: Backend, available: readonly LabelledReviewer[]): ReviewerChoice | undefined =>
    chooseReviewer({ backend, used: backends, available, hasValidation, asked });
  // Probe no other agents if every backend has its reviewer already.
  const isSettled = backends.every((backend) => asked !== undefined || choose(backend, [])?.by === 'validation');
  const available = isSettled ? [] : await availableOf(place.fallback, place.agents, place.environment);
  return new Map(
    backends.map((backend) => {
      const choice = choose(backend, available);
      if (choice === undefined) throw noReviewer(backend);
      return [backend.name, choice] as const;
    }),
  );
}

async function askedReviewer(word: string, { agents, environment }: RefinePlace): Promise<LabelledReviewer> {
  const reviewer = { label: word.trim(), agent: parseAgentFlag(word, agents) };
  const { isThere, seen } = await probe(reviewer, environment);
  if (!isThere) throw new AgentError('AGENT_UNAVAILABLE', `The reviewer is not available. Probed: ${seen}.`);
  if (reviewer.agent.kind === 'exec' && reviewer.agent.command === undefined)
    throw new UsageError('USAGE', '--reviewer exec needs a command: exec:COMMAND.');
  return reviewer;
}

const noReviewer = ({ label }: Backend): UsageError =>
  new UsageError(
    'USAGE',
    `No agent can review the work of ${label}: give --reviewer AGENT, --reviewer exec:COMMAND or --validate COMMAND.`,
  );

const disclosure = (choice: ReviewerChoice): string =>
  choice.by === 'validation'
    ? `The validating command alone decides: ${choice.why}.`
    : `Reviewer: ${choice.reviewer.label} (${choice.why}).`;

/** @throws UsageError `USAGE` with size and limit */
async function requireFittingDiff(cwd: string, signal: AbortSignal): Promise<KnownPlace> {
  const diff = await gitDiff(cwd, signal);
  if (!diff.ok) throw new UsageError('USAGE', refusalText({ part: 'diff', bytes: diff.bytes, limit: LIMITS.diff }));
  return diff.known;
}
