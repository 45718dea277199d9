/**
 * The types of a discussion (docs/specification.md R10.12): one perspective's view of an artifact, and the consensus of
 * all views. A model writes a view, so it is parsed here, once; an unreadable answer is no view.
 */
import * as z from 'zod';
import { jsonAnswer, type JsonAnswer } from '../text/json-answer.ts';
import type { Perspective } from './role-spec.ts';

export const RISK_LEVELS = ['low', 'medium', 'high', 'critical'] as const;

const line = z.string().trim().min(1).max(4_000);
const lines = z.array(line).max(100).default([]);

const opinionSchema = z.object({
  /** From 1 (unusable) to 5 (nothing to add). */
  rating: z.number().int().min(1).max(5),
  missing_requirements: lines,
  risks: z
    .array(z.object({ level: z.enum(RISK_LEVELS), text: line }))
    .max(100)
    .default([]),
  /** Where it disagrees with the artifact. */
  divergences: lines,
  action_items: lines,
  summary: line,
});
export type Opinion = z.infer<typeof opinionSchema>;

/** An opinion with its perspective and agent. */
export type View = Opinion & {
  readonly perspective: Perspective;
  /** The agent that took this perspective. */
  readonly by: string;
};

/** The perspective's name in texts: `Product`. */
export const titled = (perspective: Perspective): string => perspective.charAt(0).toUpperCase() + perspective.slice(1);

export const readOpinion = (answer: string): JsonAnswer<Opinion> => jsonAnswer(opinionSchema, answer);

const common = {
  average_rating: z.number(),
  ratings: z.record(z.string(), z.number().int()),
  /** Where views disagree, the most serious first. */
  divergences: z.array(z.string()),
  /** What must be done, the most urgent first. */
  action_items: z.array(z.string()),
  recommendation: z.enum(['proceed', 'revise', 'proceed-with-caution', 'escalate']),
};

export const consensusSchema = z.discriminatedUnion('verdict', [
  z.object({ verdict: z.literal('consensus_reached'), ...common }),
  z.object({
    verdict: z.literal('consensus_blocked'),
    severity: z.enum(['HIGH', 'MEDIUM', 'LOW']),
    ...common,
  }),
]);
export type Consensus = z.infer<typeof consensusSchema>;
export type ConsensusSeverity = (Consensus & { verdict: 'consensus_blocked' })['severity'];
