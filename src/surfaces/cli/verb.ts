/**
 * A verb as data, so that `--help` and completion load no implementation: `load` imports it when the verb runs. Words
 * and options arrive as strings; the verb parses them once, with `input/options.ts`.
 */
import type { CliContext } from './context.ts';

export interface Option {
  /** In commander's syntax: `--timeout <duration>`, `-f, --force`. */
  readonly flags: string;
  readonly what: string;
  /** The option may be repeated; its value is a list. */
  readonly many?: true;
}

export interface Example {
  readonly line: string;
  readonly what: string;
}

export interface VerbInput {
  readonly words: readonly string[];
  /** Keys are long option names in camel case, as commander makes them. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** @returns the exit code; undefined means 0 */
export type Act = (context: CliContext, given: VerbInput) => Promise<number | undefined>;

/** Refuses what is given before the store of the verb is asked. @throws UsageError */
type Check = (context: CliContext, given: VerbInput) => void;

export interface Verb {
  /** For example `send` or `task create`. */
  readonly name: string;
  readonly summary: string;
  /** In commander's syntax: `[team] <to> [text...]`. */
  readonly words?: string;
  readonly options?: readonly Option[];
  readonly examples: readonly Example[];
  /** It works on no team of a store: TEAMS_STORE means nothing to it. */
  readonly storeless?: true;
  readonly load: () => Promise<{ readonly act: Act; readonly check?: Check }>;
}
