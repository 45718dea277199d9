/**
 * The REVIEW of a round: runs the validating command, then has each result judged by its reviewer, who gets the
 * command's output.
 */
import { randomBytes } from 'node:crypto';
import { execAgent } from '../../../model/agent/agent.ts';
import { defined } from '../../../model/text/defined.ts';
import type { NotEnforced } from '../../../model/team/not-enforced.ts';
import { parseName, type Name } from '../../../model/text/names.ts';
import type { Candidate, Review, Validation } from '../../../model/pipeline/round.ts';
import { judgedAs, type Writer } from '../../../policy/sandbox/judged-work.ts';
import { openJudging, type Judging } from '../../isolation/judging-isolation.ts';
import { refusalText } from '../../../policy/context-budget.ts';
import { commandReview, exitCodeReview, reviewOf, validationOf } from '../../../policy/refine/relay-outcome.ts';
import { reviewPrompt } from '../../../policy/refine/relay-wording.ts';
import type { LabelledReviewer } from '../../../policy/refine/reviewer-choice.ts';
import type { TreePlace } from '../../landing/tree-place.ts';
import type { RelayCalls } from '../relay-call.ts';
import type { RefineRelay } from './refine-relay.ts';
import type { PreparedRefine, RefinePlace } from './refine-setup.ts';

interface ReviewEnvironment {
  readonly prepared: PreparedRefine;
  readonly place: RefinePlace;
  readonly calls: RelayCalls;
  /** Knows where the work of a backend lies, and the present diff, if the user asked for it. */
  readonly relay: Pick<RefineRelay, 'diff' | 'placeOf' | 'folders'>;
  readonly signal: AbortSignal;
  /** Called with each sandbox that is not enforced. */
  readonly onNotEnforced: (told: NotEnforced) => void;
}

interface Reviews {
  readonly reviews: ReadonlyMap<Name, Review>;
  readonly validation?: Validation | undefined;
  readonly validations?: ReadonlyMap<Name, Validation>;
}

/** @returns undefined when `signal` aborted first */
export async function reviewAll(
  candidates: readonly Candidate[],
  reviewing: ReviewEnvironment,
): Promise<Reviews | undefined> {
  const validations = await validateAll(candidates, reviewing);
  const validation = validations === undefined ? await validate(reviewing) : undefined;
  if (reviewing.signal.aborted) return undefined;
  const all = await Promise.all(
    candidates.map(async (candidate) => {
      const validated = validations?.get(candidate.backend) ?? validation;
      return [candidate.backend, await review(candidate, validated, reviewing)] as const;
    }),
  );
  const reviews = all.flatMap(([name, one]) => (one === undefined ? [] : [[name, one] as const]));
  if (reviews.length < all.length) return undefined;
  return { reviews: new Map(reviews), validation, ...defined({ validations }) };
}

/** One after the other, each in its tree; undefined without trees. */
async function validateAll(
  candidates: readonly Candidate[],
  reviewing: ReviewEnvironment,
): Promise<ReadonlyMap<Name, Validation> | undefined> {
  if (reviewing.prepared.trees === undefined) return undefined;
  const validations = new Map<Name, Validation>();
  for (const { backend } of candidates) {
    const one = await validate(reviewing, reviewing.relay.placeOf(backend));
    if (one !== undefined) validations.set(backend, one);
  }
  return validations;
}

async function validate(reviewing: ReviewEnvironment, at?: TreePlace): Promise<Validation | undefined> {
  const { prepared, place, calls, signal } = reviewing;
  const { validate: command } = prepared.ask;
  if (command === undefined) return undefined;
  const judging = await judgingOf(reviewing, at);
  const agent = execAgent(command);
  const judged = { ...agent, command: [...judging.wrap({ argv: agent.command ?? [], env: {} }).argv] };
  // The user's own command may write: the user wrote it. It also runs what backends wrote.
  // What is isolated already cannot be isolated again.
  const sandbox = judging.isIsolated ? ('full' as const) : ('workspace-write' as const);
  const call = { about: 'the validation', at, agent: judged, prompt: '', sandbox };
  const end = await calls.run({ ...call, timeoutMs: place.relayTimeoutMs }, signal);
  return end === undefined ? undefined : validationOf(command, end);
}

/** The isolation of a command of the user that runs what backends wrote. */
async function judgingOf(
  { prepared, place, relay, onNotEnforced }: ReviewEnvironment,
  at: TreePlace | undefined,
): Promise<Judging> {
  const { isolation = 'auto', gates = {} } = place.session;
  const judging = await openJudging({
    what: 'the validation',
    config: { members: writersOf(prepared) },
    cwd: at?.cwd ?? place.cwd,
    shown: at?.shown,
    team: relay.folders,
    environment: place.environment,
    rules: { setting: isolation, sandbox: gates.sandbox ?? 'auto', network: gates.network ?? false },
    lend: place.session.lend,
  });
  if (judging.notEnforced !== undefined) onNotEnforced(judging.notEnforced);
  return judging;
}

/** A command as backend is held only by a sandbox that the user named. */
const writersOf = ({ backends, ask, sandbox }: PreparedRefine): Writer[] =>
  backends.map(({ agent }) => ({
    role: EXECUTOR,
    agent,
    sandbox: agent.kind === 'exec' ? ask.sandbox : sandbox.sandbox,
  }));

const EXECUTOR = parseName('role', 'executor');

async function review(
  candidate: Candidate,
  validation: Validation | undefined,
  reviewing: ReviewEnvironment,
): Promise<Review | undefined> {
  const { deliverables } = reviewing.prepared.rubric;
  const choice = reviewing.prepared.reviewers.get(candidate.backend);
  if (choice?.by === 'agent') return byAgent(candidate, choice.reviewer, validation, reviewing);
  return validation === undefined ? undefined : exitCodeReview('the validation', validation, deliverables);
}

/** Asks the reviewer; an answer without a verdict is asked for once more, with the reason. */
async function byAgent(
  candidate: Candidate,
  reviewer: LabelledReviewer,
  validation: Validation | undefined,
  reviewing: ReviewEnvironment,
): Promise<Review | undefined> {
  const first = await asked(candidate, reviewer, validation, reviewing);
  if (first?.kind !== 'unreadable') return first;
  return asked(candidate, reviewer, validation, { ...reviewing, complaint: first.why });
}

async function asked(
  candidate: Candidate,
  { label, agent }: LabelledReviewer,
  validation: Validation | undefined,
  reviewing: ReviewEnvironment & { readonly complaint?: string },
): Promise<Review | undefined> {
  const { prepared, place, calls, relay, signal, complaint } = reviewing;
  const diff = await relay.diff(signal, candidate.backend);
  const { deliverables } = prepared.rubric;
  const fitted = reviewPrompt({
    task: prepared.ask.task,
    deliverables,
    candidate,
    sandbox: prepared.sandbox.sandbox,
    boundary: randomBytes(9).toString('hex'),
    validation,
    diff,
    complaint,
  });
  if (!fitted.ok) return { kind: 'failed', by: label, why: refusalText(fitted.refusal), forGood: false };
  const isCommand = agent.kind === 'exec';
  const sandbox = isCommand ? ('workspace-write' as const) : ('read-only' as const);
  const call = {
    at: relay.placeOf(candidate.backend),
    about: `${label} as reviewer`,
    agent,
    prompt: fitted.prompt,
    sandbox,
    timeoutMs: place.relayTimeoutMs,
  };
  const { isolation = 'auto' } = place.session;
  if (isCommand && isolation !== 'required' && judgedAs(writersOf(prepared), isolation).kind === 'bound')
    reviewing.onNotEnforced({
      what: call.about,
      sandbox,
      why: 'a command of yours is isolated only if that is required',
    });
  const end = await calls.run(call, signal);
  if (end === undefined) return undefined;
  if (!isCommand) return reviewOf(label, end);
  return commandReview({ label, command: label.replace(/^exec:\s*/, '') }, end, deliverables);
}
