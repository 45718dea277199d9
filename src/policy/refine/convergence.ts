/**
 * The do–review–decide loop (docs/specification.md R9.11) as a reducer: the loop × the outcome of its command → the
 * loop with its next command.
 *
 *   relay ─→ review ─→ relay (next round) … ─→ clean up ─→ synthesise ─→ nothing
 *     └→ wait ─→ relay (same round, once)        ▲ from every state: converged, cap, no backend, no reviewer, a stop
 *
 * The rules hold whatever the caller does. There is no round beyond the cap. Clean-up happens once, before the
 * synthesis. The loop converges only with a verdict that passes for every deliverable. The result is the best one seen.
 * An outcome of another command than the present one changes nothing.
 */
import type { FailureClass } from '../../model/agent/agent.ts';
import type { Name } from '../../model/text/names.ts';
import type { Candidate, RelayOutcome, Review, Validation } from '../../model/pipeline/round.ts';
import { defined } from '../../model/text/defined.ts';
import {
  present,
  type BackendState,
  type LoopEnding,
  type Loop,
  type LoopSettings,
  type LoopOutcome,
  type Reviewed,
  type Round,
} from './refine-loop.ts';
import { compareStandings, standingOf } from './rubric.ts';
import { select } from './selection.ts';

/** The longest wait for a rate-limited backend, and the wait if the backend names no time. */
const LONGEST_WAIT_MS = 60_000;
const USUAL_WAIT_MS = 5_000;

/** Failures that a retry cannot repair. */
const FOR_GOOD: ReadonlySet<FailureClass> = new Set(['not_installed', 'unauthorised', 'overflow']);
const MOST_BAD_OUTPUTS = 2;

const roundOf = (n: number): Round => ({ n, outcomes: new Map(), waited: false, reviewed: [] });

export function beginLoop(settings: LoopSettings): Loop {
  const backends = settings.backends.map((name) => ({ name, badOutputs: 0 }));
  return { settings, backends, rounds: [roundOf(1)], command: { do: 'relay', round: 1, backends: settings.backends } };
}

export function advanceLoop(loop: Loop, outcome: LoopOutcome): Loop {
  if (outcome.kind === 'stop') return loop.ending === undefined ? stopped(loop, outcome) : loop;
  const { command } = loop;
  if (outcome.kind !== command.do) return loop;
  switch (outcome.kind) {
    case 'relay':
      return command.do === 'relay' ? relayed(loop, command.backends, outcome.outcomes) : loop;
    case 'wait':
      return { ...loop, command: { do: 'relay', round: present(loop).n, backends: usable(loop) } };
    case 'review':
      return command.do === 'review' ? reviewed(loop, command.candidates, outcome) : loop;
    case 'clean up':
      return { ...loop, command: { do: 'synthesise' } };
    case 'synthesise':
      return { ...loop, command: { do: 'nothing' } };
  }
}

/** Backends that have not failed permanently. */
const usable = ({ backends }: Pick<Loop, 'backends'>): Name[] =>
  backends.filter(({ failed }) => failed === undefined).map(({ name }) => name);

function relayed(loop: Loop, asked: readonly Name[], outcomes: ReadonlyMap<Name, RelayOutcome>): Loop {
  const next = withOutcomes(loop, asked, outcomes);
  const round = present(next);
  const candidates = candidatesOf(next);
  if (candidates.length > 0) return { ...next, command: { do: 'review', round: round.n, candidates } };
  const ms = waitOf(next);
  if (ms === undefined) return decided(next);
  return { ...withRound(next, { ...round, waited: true }), command: { do: 'wait', ms } };
}

/** Every asked backend gets an outcome; one without a reported outcome has crashed. */
function withOutcomes(loop: Loop, asked: readonly Name[], outcomes: ReadonlyMap<Name, RelayOutcome>): Loop {
  const round = present(loop);
  const told = asked.map((name): [Name, RelayOutcome] => [
    name,
    outcomes.get(name) ?? { kind: 'failed', why: 'crashed', message: 'the call returned no outcome' },
  ]);
  const all = new Map([...round.outcomes, ...told]);
  const backends = loop.backends.map((backend) => {
    const outcome = told.find(([name]) => name === backend.name)?.[1];
    return outcome?.kind === 'failed' ? afterFailure(backend, outcome, round.n) : backend;
  });
  return withRound({ ...loop, backends }, { ...round, outcomes: all });
}

function afterFailure(
  backend: BackendState,
  { why, message }: Extract<RelayOutcome, { kind: 'failed' }>,
  round: number,
): BackendState {
  const badOutputs = backend.badOutputs + (why === 'bad_output' ? 1 : 0);
  const isOver = FOR_GOOD.has(why) || badOutputs >= MOST_BAD_OUTPUTS;
  return { ...backend, badOutputs, ...(isOver ? { failed: { why, message, round } } : {}) };
}

/** The results of the round. If backends work in turn, only the last result counts. */
function candidatesOf(loop: Loop): Candidate[] {
  const { n, outcomes } = present(loop);
  const all = loop.settings.backends.flatMap((backend): Candidate[] => {
    const outcome = outcomes.get(backend);
    return outcome?.kind === 'success' ? [{ backend, round: n, text: outcome.text }] : [];
  });
  return loop.settings.inTurn ? all.slice(-1) : all;
}

/** Milliseconds to wait if all remaining backends are rate-limited; undefined if a wait cannot help. */
function waitOf(loop: Loop): number | undefined {
  const { outcomes, waited } = present(loop);
  const left = usable(loop).map((name) => outcomes.get(name));
  const limited = left.flatMap((one) => (one?.kind === 'failed' && one.why === 'rate_limited' ? [one] : []));
  if (waited || limited.length === 0 || limited.length < left.length) return undefined;
  const shortest = Math.min(...limited.map(({ retryAfterMs = USUAL_WAIT_MS }) => retryAfterMs));
  return Math.min(LONGEST_WAIT_MS, Math.max(0, shortest));
}

function reviewed(
  loop: Loop,
  candidates: readonly Candidate[],
  { reviews, validation, validations }: Extract<LoopOutcome, { kind: 'review' }>,
): Loop {
  const validationOf = (backend: Name): Validation | undefined => validations?.get(backend) ?? validation;
  const judged = candidates.map((candidate) => {
    const review = reviews.get(candidate.backend) ?? unreviewed('the review returned no outcome');
    return judge(loop, candidate, review, validationOf(candidate.backend));
  });
  const chosen = select(judged)?.chosen.candidate.backend;
  const round = { ...present(loop), ...defined({ validation: chosen && validationOf(chosen) }) };
  const next = withReviews(withRound(loop, round), judged);
  if (present(next).selection?.chosen.standing.converged === true) return ended(next, { why: 'converged' });
  const lost = judged.flatMap(({ review }) => (review.kind === 'failed' && review.forGood ? [review] : []));
  if (lost.length === judged.length)
    return ended(next, { why: 'reviewer', text: lost.map(({ why }) => why).join('; ') });
  return decided(next);
}

const unreviewed = (why: string): Review => ({ kind: 'failed', by: 'the reviewer', why, forGood: false });

const judge = (loop: Loop, candidate: Candidate, review: Review, validation: Validation | undefined): Reviewed => ({
  candidate,
  review,
  standing: standingOf(review, validation, candidate.round, loop.settings.rubric),
});

/** Of two equal results the later one is the best: its backend knew more. */
function withReviews(loop: Loop, judged: readonly Reviewed[]): Loop {
  const selection = select(judged);
  const chosen = judged.find(({ candidate }) => candidate === selection?.chosen.candidate);
  if (selection === undefined || chosen === undefined) return loop;
  const isBetter = loop.best === undefined || compareStandings(chosen.standing, loop.best.standing) >= 0;
  const next = withRound(loop, { ...present(loop), reviewed: judged, selection });
  return isBetter ? { ...next, best: chosen } : next;
}

/** The round is over without convergence. */
function decided(loop: Loop): Loop {
  const { n } = present(loop);
  const backends = usable(loop);
  if (backends.length === 0) return ended(loop, { why: 'backends' });
  if (n >= loop.settings.maxRounds) return ended(loop, { why: 'cap' });
  const rounds: Loop['rounds'] = [...loop.rounds, roundOf(n + 1)];
  return { ...loop, rounds, command: { do: 'relay', round: n + 1, backends } };
}

/** Results that arrived before the stop are kept, unreviewed. */
function stopped(loop: Loop, { ending, outcomes = new Map() }: Extract<LoopOutcome, { kind: 'stop' }>): Loop {
  const { command } = loop;
  const isRelay = command.do === 'relay';
  const heard = isRelay ? withOutcomes(loop, [...outcomes.keys()], outcomes) : loop;
  const unanswered = isRelay ? command.backends.filter((name) => !outcomes.has(name)) : [];
  const next = unanswered.length === 0 ? heard : withRound(heard, { ...present(heard), unanswered });
  const candidates = command.do === 'review' ? command.candidates : isRelay ? candidatesOf(next) : [];
  const judged = candidates.map((candidate) => judge(next, candidate, unreviewed(ending.text), undefined));
  return ended(withReviews(next, judged), ending);
}

const ended = (loop: Loop, ending: LoopEnding): Loop => ({ ...loop, ending, command: { do: 'clean up' } });

const withRound = (loop: Loop, round: Round): Loop => {
  const [first, ...others] = loop.rounds;
  return { ...loop, rounds: others.length === 0 ? [round] : [first, ...others.slice(0, -1), round] };
};
