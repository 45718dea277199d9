/**
 * Who reviews the work of a backend (docs/specification.md R9.5). First the reviewer that the user asked for; then an
 * agent of another vendor, first from this run, then any available one; then a new session of the same agent. A command
 * cannot review itself: with `--validate` only the exit code decides.
 */
import type { AgentSpec } from '../../model/agent/agent.ts';
import { vendorOf } from '../vendor.ts';

/** A possible reviewer. */
export interface LabelledReviewer {
  readonly label: string;
  readonly agent: AgentSpec;
}

export type ReviewerChoice =
  | { readonly by: 'agent'; readonly reviewer: LabelledReviewer; readonly why: string }
  | { readonly by: 'validation'; readonly why: string };

export interface ReviewerRequest {
  readonly backend: LabelledReviewer;
  readonly asked?: LabelledReviewer | undefined;
  /** All backends of the run. */
  readonly used: readonly LabelledReviewer[];
  /** Other available agents, the first choice first. */
  readonly available: readonly LabelledReviewer[];
  readonly hasValidation: boolean;
}

/** The model's vendor; a gateway does not change it. */
const makerOf = ({ agent: { kind } }: LabelledReviewer): string => vendorOf({ kind }) ?? kind;

/** @returns undefined if no reviewer is available */
export function chooseReviewer(request: ReviewerRequest): ReviewerChoice | undefined {
  const { backend, asked, used, available, hasValidation } = request;
  if (asked !== undefined) return { by: 'agent', reviewer: asked, why: 'asked for by --reviewer' };
  const isCommand = backend.agent.kind === 'exec';
  if (isCommand && hasValidation)
    return { by: 'validation', why: 'no reviewer was asked for, and a command did the work' };
  const other = [...used, ...available].find((one) => one.agent.kind !== 'exec' && makerOf(one) !== makerOf(backend));
  if (other !== undefined) return { by: 'agent', reviewer: other, why: `from another vendor than ${backend.label}` };
  if (isCommand) return undefined;
  return { by: 'agent', reviewer: backend, why: 'a new session: no agent of another vendor is available' };
}
