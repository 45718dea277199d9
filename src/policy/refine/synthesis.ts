/**
 * The end of a loop as data (docs/specification.md R9.11): what was accomplished, each backend's contribution, the
 * rounds, convergence or open points, and what the sandbox allowed. `synthesis-text.ts` makes the text.
 */
import type { Sandbox } from '../../model/agent/agent.ts';
import type { Backend } from '../../model/pipeline/backend.ts';
import type { Name } from '../../model/text/names.ts';
import type { Finding, Validation } from '../../model/pipeline/round.ts';
import { present, type LoopEnding, type Loop, type Reviewed, type Round } from './refine-loop.ts';
import type { SandboxChoice } from './sandbox-choice.ts';

/** Facts that the loop does not have. */
export interface SynthesisFacts {
  readonly task: string;
  readonly backends: readonly Backend[];
  readonly skipped: readonly { readonly backend: Backend; readonly why: string }[];
  readonly sandbox: SandboxChoice;
  /** Further notes: who reviewed and why, what was clipped, why there was no team. */
  readonly notes: readonly string[];
}

export interface SynthesisRound {
  readonly n: number;
  /** `success`, or the class of the failure. */
  readonly backends: readonly { readonly name: Name; readonly outcome: string }[];
  /** Verdict on the chosen result; null if there was none. */
  readonly verdict: 'pass' | 'issues' | 'unreadable' | 'none' | null;
  readonly findings: readonly Finding[];
  readonly validation?: Pick<Validation, 'command' | 'passed' | 'message'> | undefined;
  /** Present if several results were compared. */
  readonly agreement?: 'alike' | 'conflict' | undefined;
  readonly rationale?: string | undefined;
}

export interface Synthesis {
  readonly task: string;
  readonly converged: boolean;
  readonly ending: LoopEnding['why'];
  readonly accomplished: string;
  readonly contributions: readonly {
    readonly backend: string;
    readonly what: string;
    readonly used: boolean;
  }[];
  readonly rounds: readonly SynthesisRound[];
  readonly maxRounds: number;
  readonly unresolved: readonly string[];
  readonly sandbox: Sandbox;
  readonly sandboxNote: string;
  /** The best result seen; null if no round had any. */
  readonly result: string | null;
  readonly resultFrom: { readonly backend: Name; readonly round: number } | null;
  readonly notes: readonly string[];
}

export function synthesise(loop: Loop, facts: SynthesisFacts): Synthesis {
  const { best, ending } = loop;
  const why = ending?.why ?? 'error';
  const from = best === undefined ? null : { backend: best.candidate.backend, round: best.candidate.round };
  return {
    task: facts.task,
    converged: why === 'converged',
    ending: why,
    accomplished: accomplished(loop),
    contributions: [
      ...facts.backends.map((backend) => ({ backend: backend.label, what: contributed(loop, backend), used: true })),
      ...facts.skipped.map(({ backend, why: seen }) => ({
        backend: backend.label,
        what: `skipped: ${seen}`,
        used: false,
      })),
    ],
    rounds: begun(loop).map(roundOf),
    maxRounds: loop.settings.maxRounds,
    unresolved: unresolved(loop),
    sandbox: facts.sandbox.sandbox,
    sandboxNote: sandboxNote(facts, loop),
    result: best?.candidate.text ?? null,
    resultFrom: from,
    notes: [...facts.notes, ...staleNote(loop)],
  };
}

/** Rounds with at least one outcome. */
const begun = ({ rounds }: Loop): Round[] => rounds.filter(({ outcomes }) => outcomes.size > 0);

function accomplished({ best, ending }: Loop): string {
  if (best === undefined) return 'Nothing: no backend delivered a result.';
  const { candidate, review } = best;
  const said = review.kind === 'verdict' ? review.verdict.summary : `it was not reviewed (${review.why})`;
  const whole = ending?.why === 'converged' ? 'The task is done' : 'The best result so far';
  return `${whole}, by ${candidate.backend} in round ${candidate.round}: ${said}`;
}

function contributed(loop: Loop, { name }: Backend): string {
  const told = loop.rounds.flatMap(({ n, outcomes, unanswered = [] }) => {
    const outcome = outcomes.get(name);
    if (outcome === undefined)
      return unanswered.includes(name) ? [`round ${n}: was asked, and stopped before it answered`] : [];
    const what = outcome.kind === 'success' ? `delivered ${size(outcome.text)}` : `${outcome.why} (${outcome.message})`;
    return [`round ${n}: ${what}`];
  });
  return told.join('; ') || 'was not asked';
}

const size = (text: string): string => (text.trim() === '' ? 'no words' : `${text.length} characters`);

function roundOf(round: Round): SynthesisRound {
  const { n, outcomes, selection, validation } = round;
  const chosen = round.reviewed.find(({ candidate }) => candidate === selection?.chosen.candidate);
  const review = chosen?.review;
  return {
    n,
    backends: [...outcomes].map(([name, one]) => ({ name, outcome: one.kind === 'success' ? 'success' : one.why })),
    verdict: chosen === undefined ? null : verdictOf(chosen),
    findings: review?.kind === 'verdict' ? review.verdict.findings : [],
    validation: validation && { command: validation.command, passed: validation.passed, message: validation.message },
    agreement: selection === undefined || selection.agreement === 'alone' ? undefined : selection.agreement,
    rationale: selection?.rationale,
  };
}

function verdictOf({ review, standing }: Reviewed): SynthesisRound['verdict'] {
  if (review.kind === 'verdict') return standing.converged ? 'pass' : 'issues';
  return review.kind === 'unreadable' ? 'unreadable' : 'none';
}

function unresolved(loop: Loop): string[] {
  const { best, ending, backends } = loop;
  if (ending?.why === 'converged') return [];
  const failed = backends.flatMap(({ name, failed: one }) =>
    one === undefined ? [] : [`${name} failed permanently: ${one.why} (${one.message})`],
  );
  const last = best === undefined ? lastFailures(present(loop)) : [];
  const stop = ending !== undefined && 'text' in ending ? [ending.text] : [];
  return [...new Set([...stop, ...(best?.standing.unresolved ?? []), ...failed, ...(failed.length > 0 ? [] : last)])];
}

const lastFailures = ({ outcomes }: Round): string[] => {
  const told = [...outcomes].flatMap(([name, one]) =>
    one.kind === 'failed' ? [`${name}: ${one.why} (${one.message})`] : [],
  );
  return told.length > 0 ? told : ['no backend delivered a result'];
};

function sandboxNote({ sandbox: { sandbox, why }, backends }: SynthesisFacts, loop: Loop): string {
  const commands = backends.filter(({ agent }) => agent.kind === 'exec').map(({ label }) => label);
  const unenforced =
    commands.length === 0 ? '' : ` Not enforced for ${commands.join(', ')}: a command may change any file.`;
  if (sandbox === 'read-only') return `read-only: ${why}.${unenforced}`;
  const ran = begun(loop).length > 0 ? 'files could be written' : 'nothing ran';
  return `${sandbox} was used: ${why}; ${ran}.${unenforced}`;
}

/** The files are those of the last round, even if an earlier result is the best. */
function staleNote({ best, rounds, settings }: Loop): string[] {
  const last = rounds.findLast(({ reviewed }) => reviewed.length > 0)?.n;
  if (!settings.inTurn || best === undefined || last === undefined || best.candidate.round === last) return [];
  return [
    `The files are from round ${last}; the report above is from round ${best.candidate.round}, which was judged better.`,
  ];
}
