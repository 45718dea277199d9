/**
 * The nouns of a round (SPEC §10): what a backend delivered, what a reviewer said of it, what a command showed. A
 * verdict comes out of a model's words, so it is parsed here, once, and what cannot be read is no verdict.
 */
import * as z from 'zod';
import type { FailureClass } from '../agent/agent.ts';
import { jsonAnswer } from '../text/json-answer.ts';
import type { Name } from '../text/names.ts';

/** Critical and major findings must be put right; minor ones need not be. */
export const SEVERITIES = ['critical', 'major', 'minor'] as const;
export type FindingSeverity = (typeof SEVERITIES)[number];

const findingSchema = z.object({
  severity: z.enum(SEVERITIES),
  text: z.string().trim().min(1).max(20_000),
  /** The deliverable that it is about; without one it is about the work as a whole. */
  deliverable: z.string().max(1_000).optional(),
  /** A file and line, where there is one. */
  where: z.string().max(1_000).optional(),
});
export type Finding = z.infer<typeof findingSchema>;

/** S0's rubric, for one deliverable. */
const critiqueSchema = z.object({
  name: z.string().trim().min(1).max(1_000),
  /** Does it accomplish the task as described? */
  accepted: z.boolean(),
  /** Is it free of bugs, security issues, logical errors, significant omissions? */
  safe: z.boolean(),
  /** Was it checked? `skipped` passes only with a reason. */
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

/** What became of one call of a backend. */
export type RelayOutcome =
  | { readonly is: 'success'; readonly text: string }
  | {
      readonly is: 'failed';
      readonly why: FailureClass;
      readonly message: string;
      readonly retryAfterMs?: number | undefined;
    };

/** What became of one review. */
export type Review =
  | {
      readonly is: 'verdict';
      readonly by: string;
      readonly verdict: ReviewVerdict;
      /** Made of a command's exit code, which stands for every deliverable. */
      readonly isMechanical: boolean;
      /** The end of what that command printed. */
      readonly evidence?: { readonly command: string; readonly printed: string };
    }
  /** The reviewer answered, and its answer is no verdict. */
  | { readonly is: 'unreadable'; readonly by: string; readonly why: string }
  /** It did not answer; `forGood` when asking again is pointless. */
  | { readonly is: 'failed'; readonly by: string; readonly why: string; readonly forGood: boolean };

/** What `--validate` showed. */
export interface Validation {
  readonly command: string;
  readonly passed: boolean;
  /** How it ended, in one line. */
  readonly message: string;
  /** The end of what it printed. */
  readonly printed: string;
}

/** A result that can be reviewed and chosen. */
export interface Candidate {
  readonly backend: Name;
  readonly round: number;
  readonly text: string;
}

export type ReadVerdict =
  { readonly ok: true; readonly verdict: ReviewVerdict } | { readonly ok: false; readonly why: string };

/** The verdict in a reviewer's answer. Never throws. */
export function readReviewVerdict(answer: string): ReadVerdict {
  const read = jsonAnswer(verdictSchema, answer);
  return read.ok ? { ok: true, verdict: read.value } : read;
}
