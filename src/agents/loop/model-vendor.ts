/** What differs from vendor to vendor: how a model is reached, what it is called, and what its calls carry besides. */
import type { JSONValue, LanguageModel } from 'ai';
import * as z from 'zod';
import type { AgentSpec } from '../../model/agent/agent.ts';
import { UsageError } from '../../model/text/errors.ts';
import { check } from '../../model/text/document-problem.ts';
import type { TurnInput } from '../agent-contract.ts';
import type { Window } from './compaction.ts';

export interface ResolvedModel {
  readonly model: LanguageModel;
  /** In its vendor's words. */
  readonly name: string;
  readonly window: Window;
  /** Under the vendor's own name. */
  readonly providerOptions?: Readonly<Record<string, Record<string, JSONValue>>> | undefined;
}

/** Why a model cannot be reached, before anything is sent. */
export interface ModelUnavailable {
  readonly why: 'unauthorised' | 'not_installed' | 'crashed';
  readonly message: string;
}

export interface ModelVendor {
  /** For sentences: `Anthropic`. */
  readonly name: string;
  resolveModel(spec: AgentSpec, input: Pick<TurnInput, 'env' | 'signal'>): Promise<ResolvedModel | ModelUnavailable>;
  /** When nobody listens at its address. */
  readonly unreachable: 'crashed' | 'not_installed';
}

const count = z.number().int().positive();

export const loopOptionsSchema = z.strictObject({
  /** Tokens of the model's window, and of one answer. */
  contextWindow: count.optional(),
  maxOutputTokens: count.optional(),
  /** Model calls in one turn. */
  maxSteps: count.default(200),
  /** A call that failed for a moment is made so often again. */
  maxRetries: z.number().int().min(0).default(3),
  /** For this vendor alone, in its own words. */
  providerOptions: z.record(z.string(), z.json()).optional(),
});
export type LoopOptions = z.infer<typeof loopOptionsSchema>;

/** @throws UsageError `USAGE` for an option that the loop does not know */
export function loopOptions({ kind, options = {} }: AgentSpec): LoopOptions {
  const checked = check(loopOptionsSchema, options);
  if (checked.ok) return checked.value;
  const problems = checked.problems.map(({ text }) => text).join(' ');
  throw new UsageError('USAGE', `The options of a ${kind} agent are not valid: ${problems}`);
}

/** The first of these variables that is set. */
export const variable = (env: TurnInput['env'], ...names: readonly string[]): string | undefined =>
  names.map((name) => env[name]).find((value) => value !== undefined && value !== '');

export const noKey = (vendor: string, ...names: readonly string[]): ModelUnavailable => ({
  why: 'unauthorised',
  message: `${vendor} needs a key: set ${names.join(' or ')} in the environment.`,
});

/** An address with its version path, whether or not it was given with it. */
export function versioned(baseUrl: string, version: string): string {
  const bare = baseUrl.replace(/\/+$/, '');
  return bare.endsWith(`/${version}`) ? bare : `${bare}/${version}`;
}
