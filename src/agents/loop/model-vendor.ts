/** What differs between vendors: how a model is reached, its name, and the extra options of its calls. */
import type { JSONValue, LanguageModel } from 'ai';
import * as z from 'zod';
import type { AgentSpec } from '../../model/agent/agent.ts';
import { UsageError } from '../../model/text/errors.ts';
import { check } from '../../model/text/document-problem.ts';
import type { TurnInput } from '../agent-contract.ts';
import type { Window } from './compaction.ts';

export interface ResolvedModel {
  readonly model: Extract<LanguageModel, { readonly specificationVersion: 'v3' }>;
  /** The vendor's name of the model. */
  readonly name: string;
  readonly window: Window;
  readonly seesImages: boolean;
  /** Keyed by the vendor's name. */
  readonly providerOptions?: Readonly<Record<string, Record<string, JSONValue>>> | undefined;
}

/** Why a model cannot be reached, before anything is sent. */
export interface ModelUnavailable {
  readonly why: 'unauthorised' | 'not_installed' | 'crashed';
  readonly message: string;
}

export interface ModelVendor {
  /** The name in messages: `Anthropic`. */
  readonly name: string;
  resolveModel(spec: AgentSpec, input: Pick<TurnInput, 'env' | 'signal'>): Promise<ResolvedModel | ModelUnavailable>;
  /** The fault when no server listens at its address. */
  readonly unreachable: 'crashed' | 'not_installed';
}

const count = z.number().int().positive();

export const loopOptionsSchema = z.strictObject({
  /** Tokens of the model's window, and of one answer. */
  contextWindow: count.optional(),
  maxOutputTokens: count.optional(),
  /** The limit of model calls in one turn. */
  maxSteps: count.default(200),
  /** Whether the model sees images; known for known models. */
  images: z.boolean().optional(),
  /** How often a call is tried again after a fault that may pass. */
  maxRetries: z.number().int().min(0).default(3),
  /** Options for this vendor only, in its own format. */
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

/** The value of the first of these variables that is set and not empty. */
export const variable = (env: TurnInput['env'], ...names: readonly string[]): string | undefined =>
  names.map((name) => env[name]).find((value) => value !== undefined && value !== '');

export const noKey = (vendor: string, ...names: readonly string[]): ModelUnavailable => ({
  why: 'unauthorised',
  message: `${vendor} needs a key: set ${names.join(' or ')} in the environment.`,
});

/** An address with its version path, whether or not it was given with one. */
export function versioned(baseUrl: string, version: string): string {
  const bare = baseUrl.replace(/\/+$/, '');
  return bare.endsWith(`/${version}`) ? bare : `${bare}/${version}`;
}
