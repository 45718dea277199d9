/**
 * A verb as data, light enough that `--help` and completion load nothing else; what it does is loaded when it is asked
 * for. Its words and options arrive raw and are parsed by the verb, once, with `given.ts`.
 */
import type { CliContext } from './context.ts';

export interface Option {
  /** As commander reads it: `--timeout <duration>`, `-f, --force`. */
  readonly flags: string;
  readonly what: string;
  /** May be given several times; arrives as a list. */
  readonly many?: true;
}

export interface Example {
  readonly line: string;
  readonly what: string;
}

export interface VerbInput {
  readonly words: readonly string[];
  /** Long names in camel case, as commander makes them. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** @returns the exit code; nothing is 0 */
export type Act = (context: CliContext, given: VerbInput) => Promise<number | undefined>;

export interface Verb {
  /** `send`, or `task create`. */
  readonly name: string;
  readonly summary: string;
  /** As commander reads them: `[team] <to> [text...]`. */
  readonly words?: string;
  readonly options?: readonly Option[];
  readonly examples: readonly Example[];
  readonly load: () => Promise<{ readonly act: Act }>;
}
