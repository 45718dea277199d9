/**
 * Cross-verification (docs/specification.md R8.17): an agent of another vendor reads the finished work and answers PASS
 * or FAIL. A table decides who verifies whom. Each issue becomes a task, in at most three rounds.
 */
import type { AgentKind } from '../../model/agent/agent-kinds.ts';
import type { Name } from '../../model/text/names.ts';
import type { Task } from '../../model/board/task.ts';
import type { VerificationVerdict } from '../../model/agent/verification-verdict.ts';
import { vendorOf } from '../vendor.ts';

export const MOST_FIX_ROUNDS = 3;

/** At most this many tasks from one verdict. */
const MOST_FIXES = 10;
const SUBJECT_LENGTH = 200;

/** The programs that may verify; of several that worked equally much the first is taken. */
export const VERIFIERS = ['codex', 'gemini', 'claude'] as const;
type Verifier = (typeof VERIFIERS)[number];

/** The program that verifies with a vendor's model. A vendor that is unknown, or none, has no program. */
const PROGRAM_OF: ReadonlyMap<string | undefined, Verifier> = new Map([
  ['anthropic', 'claude'],
  ['openai', 'codex'],
  ['google', 'gemini'],
]);

/** The verifier if all work is one vendor's (docs/specification.md R8.17). */
const OTHER: Readonly<Record<Verifier, Verifier>> = { claude: 'codex', codex: 'gemini', gemini: 'codex' };

type VerifierChoice =
  | { readonly do: 'verify'; readonly by: Verifier; readonly why: string }
  | { readonly do: 'skip'; readonly why: string };

/** @param workers the kind of agent of each member that completed something */
export function chooseVerifier(
  workers: readonly AgentKind[],
  isAvailable: (vendor: Verifier) => boolean,
): VerifierChoice {
  const vendors = workers.flatMap((kind) => PROGRAM_OF.get(vendorOf({ kind })) ?? []);
  const [first] = vendors;
  if (first === undefined) return { do: 'skip', why: 'no work is of a vendor that another vendor could verify' };
  const isMixed = vendors.some((vendor) => vendor !== first);
  const by = isMixed ? leastUsed(vendors) : OTHER[first];
  if (!isAvailable(by)) return { do: 'skip', why: `${by} should verify but is not available` };
  return { do: 'verify', by, why: isMixed ? `${by} did the least of the work` : `${first} did all of the work` };
}

/** In a tie the first of VERIFIERS wins: codex. */
const leastUsed = (vendors: readonly Verifier[]): Verifier =>
  VERIFIERS.map((vendor) => ({ vendor, used: vendors.filter((one) => one === vendor).length })).reduce((best, one) =>
    one.used < best.used ? one : best,
  ).vendor;

export interface VerifiedTask {
  readonly task: Task & { readonly status: 'completed' };
  readonly role: string;
  readonly routing: string;
  /** Its diff, or a sentence why that is not known. */
  readonly change: string;
}

/** Characters of all diffs in one prompt. */
const MOST_CHANGE = 60_000;

/** Cuts diffs to what is left of the limit; what is left out is said. */
function changesOf(done: readonly VerifiedTask[], team: string): string[] {
  let left = MOST_CHANGE;
  return done.flatMap(({ task, change }) => {
    const shown = change.slice(0, left);
    left -= shown.length;
    const cut = change.length - shown.length;
    const rest =
      cut === 0 ? '' : `\n[${cut} characters are left out: \`teams diff ${team} ${task.id}\` shows the whole change]`;
    return [`CHANGE of #${task.id}:\n${shown.trimEnd()}${rest}`, ''];
  });
}

/**
 * The verification prompt (docs/specification.md R8.17). Its output format puts PASS or FAIL on the first line, for the
 * parser.
 */
export const verificationPrompt = (
  { prompt, team, workers }: { readonly prompt: string; readonly team: string; readonly workers: number },
  done: readonly VerifiedTask[],
): string =>
  [
    `You are performing cross-CLI verification for a team of ${workers} workers.`,
    '',
    `ORIGINAL TASK: ${prompt}`,
    '',
    'COMPLETED SUBTASKS:',
    ...done.flatMap(({ task, role, routing }) => [
      `  #${task.id}: ${task.subject}`,
      `  Worker: ${task.by.member} (${role}/${routing})`,
      `  Summary: ${task.result.summary}`,
      `  Files modified: ${task.result.files.join(', ') || 'not recorded'}`,
    ]),
    '',
    ...changesOf(done, team),
    'VERIFICATION CHECKLIST:',
    '1. CORRECTNESS: Do all changes correctly implement the requirements?',
    '2. COMPLETENESS: Are any requirements from the original task missing?',
    '3. CONSISTENCY: Do changes across different workers integrate properly?',
    '4. QUALITY: Any anti-patterns, missing error handling, dead code, or debug artifacts?',
    '5. FILE CONFLICTS: Did any worker modify files outside their ownership scope?',
    '',
    'OUTPUT FORMAT: the first line is exactly PASS or FAIL, and nothing else.',
    '- PASS: All checks pass. Summary of what looks good.',
    '- FAIL: List specific issues found, one a line, each beginning with "- ".',
  ].join('\n');

export interface FixTask {
  readonly subject: string;
  readonly description: string;
  /** The member that must do it; without an owner any free member may. */
  readonly owner?: Name;
  readonly files?: readonly string[];
  /** `ownership`: files of its owner whose stray changes this task settles. */
  readonly metadata: { readonly type: 'implement'; readonly fixRound: number; readonly ownership?: string[] };
}

/** The tasks of a failed verification; they have no follow-ups. */
export function fixTasks({ result, notes, issues }: VerificationVerdict, round: number): FixTask[] {
  if (result === 'pass' || round > MOST_FIX_ROUNDS) return [];
  const found = issues.length > 0 ? issues : [notes || 'the verification failed and does not say why'];
  return found.slice(0, MOST_FIXES).map((issue) => ({
    subject: `[no-cascade] Fix: ${issue.replace(/\s+/g, ' ').slice(0, SUBJECT_LENGTH)}`,
    description: `A verification of the finished work found this (round ${round} of ${MOST_FIX_ROUNDS}):\n\n${issue}`,
    metadata: { type: 'implement', fixRound: round },
  }));
}
