/**
 * The types of a round (docs/specification.md R9.6): a backend's result, a reviewer's verdict, a command's result. A
 * model writes a verdict, so it is parsed here, once; an unreadable answer is no verdict.
 */
import * as z from 'zod';
import type { FailureClass } from '../agent/agent.ts';
import { jsonAnswer } from '../text/json-answer.ts';
import type { Name } from '../text/names.ts';

/** Critical and major findings must be put right; minor ones need not be. */
const SEVERITIES = ['critical', 'major', 'minor'] as const;

const findingSchema = z.object({
  severity: z.enum(SEVERITIES),
  text: z.string().trim().min(1).max(20_000),
  /** The deliverable of the finding; absent if it concerns the whole work. */
  deliverable: z.string().max(1_000).optional(),
  /** File and line, if there is one. */
  where: z.string().max(1_000).optional(),
});
export type Finding = z.infer<typeof findingSchema>;

/** The rubric for one deliverable (docs/specification.md R9.6). */
const critiqueSchema = z.object({
  name: z.string().trim().min(1).max(1_000),
  /** It accomplishes the task as described. */
  accepted: z.boolean(),
  /** It is free of bugs, security issues, logical errors and significant omissions. */
  safe: z.boolean(),
  /** Whether it was checked; `skipped` passes only with a reason. */
  validation: z.enum(['passed', 'failed', 'skipped']),
  reason: z.string().max(20_000).default(''),
  critique: z.string().max(20_000).default(''),
});
export type Critique = z.infer<typeof critiqueSchema>;

export const verdictSchema = z.object({
  deliverables: z.array(critiqueSchema).min(1).max(200),
  findings: z.array(findingSchema).max(1_000).default([]),
  summary: z.string().trim().min(1).max(20_000),
});
export type ReviewVerdict = z.infer<typeof verdictSchema>;

/** The outcome of one call of a backend. */
export type RelayOutcome =
  | { readonly kind: 'success'; readonly text: string }
  | {
      readonly kind: 'failed';
      readonly why: FailureClass;
      readonly message: string;
      readonly retryAfterMs?: number | undefined;
    };

/** The outcome of one review. */
export type Review =
  | {
      readonly kind: 'verdict';
      readonly by: string;
      readonly verdict: ReviewVerdict;
      /** The verdict comes from a command's exit code, which applies to every deliverable. */
      readonly isMechanical: boolean;
      /** The end of that command's output. */
      readonly evidence?: { readonly command: string; readonly printed: string };
    }
  /** The reviewer's answer is no verdict. */
  | { readonly kind: 'unreadable'; readonly by: string; readonly why: string }
  /** The reviewer did not answer; `forGood`: asking again cannot help. */
  | { readonly kind: 'failed'; readonly by: string; readonly why: string; readonly forGood: boolean };

/** The result of `--validate`. */
export interface Validation {
  readonly command: string;
  readonly passed: boolean;
  /** How it ended, in one line. */
  readonly message: string;
  /** The end of its output. */
  readonly printed: string;
}

/** A result that can be reviewed and chosen. */
export interface Candidate {
  readonly backend: Name;
  readonly round: number;
  readonly text: string;
}

type ReadVerdict =
  { readonly ok: true; readonly verdict: ReviewVerdict } | { readonly ok: false; readonly why: string };

/** The verdict in a reviewer's answer. Never throws. */
export function readReviewVerdict(answer: string): ReadVerdict {
  const read = jsonAnswer(verdictSchema, answer);
  return read.ok ? { ok: true, verdict: read.value } : read;
}
