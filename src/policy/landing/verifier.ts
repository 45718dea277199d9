/**
 * Cross-verification (S2 "Cross_CLI_Verification"): another vendor looks at the finished work and says PASS or FAIL. Who
 * verifies whom is S2's table; what is wrong becomes tasks, three rounds at most.
 */
import type { AgentKind } from '../../model/agent/agent-kinds.ts';
import type { Name } from '../../model/text/names.ts';
import type { Task } from '../../model/board/task.ts';
import type { VerificationVerdict } from '../../model/agent/verification-verdict.ts';
import { vendorOf } from '../vendor.ts';

export const MOST_FIX_ROUNDS = 3;

/** More tasks than this come of no verdict. */
const MOST_FIXES = 10;
const SUBJECT_LENGTH = 200;

/** The programs that may verify; of several that worked equally much the first is taken. */
export const VERIFIERS = ['codex', 'gemini', 'claude'] as const;
type Verifier = (typeof VERIFIERS)[number];

/** The program by which a vendor's model verifies; work that can be anybody's, or is nobody's, has none. */
const PROGRAM_OF: ReadonlyMap<string | undefined, Verifier> = new Map([
  ['anthropic', 'claude'],
  ['openai', 'codex'],
  ['google', 'gemini'],
]);

/** S2's routing table, where all work is one vendor's. */
const OTHER: Readonly<Record<Verifier, Verifier>> = { claude: 'codex', codex: 'gemini', gemini: 'codex' };

export type VerifierChoice =
  | { readonly do: 'verify'; readonly by: Verifier; readonly why: string }
  | { readonly do: 'skip'; readonly why: string };

/** @param workers the kind of agent of each member that completed something */
export function chooseVerifier(
  workers: readonly AgentKind[],
  isAvailable: (vendor: Verifier) => boolean,
): VerifierChoice {
  const vendors = workers.flatMap((kind) => PROGRAM_OF.get(vendorOf({ kind })) ?? []);
  const [first] = vendors;
  if (first === undefined) return { do: 'skip', why: 'no vendor worked here whose work another could verify' };
  const isMixed = vendors.some((vendor) => vendor !== first);
  const by = isMixed ? leastUsed(vendors) : OTHER[first];
  if (!isAvailable(by)) return { do: 'skip', why: `${by} would verify, and is not available` };
  return { do: 'verify', by, why: isMixed ? `${by} did the least of it` : `${first} did it` };
}

/** A tie goes to the one that comes first: codex. */
const leastUsed = (vendors: readonly Verifier[]): Verifier =>
  VERIFIERS.map((vendor) => ({ vendor, used: vendors.filter((one) => one === vendor).length })).reduce((best, one) =>
    one.used < best.used ? one : best,
  ).vendor;

export interface VerifiedTask {
  readonly task: Task & { readonly status: 'completed' };
  readonly role: string;
  readonly routing: string;
}

/** S2 "Verification Prompt Template", with what a machine must be able to read at its head. */
export const verificationPrompt = (prompt: string, workers: number, done: readonly VerifiedTask[]): string =>
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
  /** Who must do it; whoever is free, without one. */
  readonly owner?: Name;
  readonly files?: readonly string[];
  /** `ownership`: files of its owner's that it settles. */
  readonly metadata: { readonly type: 'implement'; readonly fixRound: number; readonly ownership?: string[] };
}

/** The tasks that a failed verification makes; they have no follow-ups of their own. */
export function fixTasks({ result, notes, issues }: VerificationVerdict, round: number): FixTask[] {
  if (result === 'pass' || round > MOST_FIX_ROUNDS) return [];
  const found = issues.length > 0 ? issues : [notes || 'the verification failed and does not say why'];
  return found.slice(0, MOST_FIXES).map((issue) => ({
    subject: `[no-cascade] Fix: ${issue.replace(/\s+/g, ' ').slice(0, SUBJECT_LENGTH)}`,
    description: `A verification of the finished work found this (round ${round} of ${MOST_FIX_ROUNDS}):\n\n${issue}`,
    metadata: { type: 'implement', fixRound: round },
  }));
}
