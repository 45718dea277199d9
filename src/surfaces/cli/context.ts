/**
 * What every verb gets: the streams, the common flags, and methods to print. Data goes to stdout, remarks to stderr.
 * All text printed here is made safe for a terminal, so that verbs need not do it.
 */
import { isInForeground, safeText, type ReplicaOfStore } from '../../app.ts';
import type { CliIo } from './io.ts';
import { jsonLine } from './output/json-line.ts';

export interface CommonFlags {
  readonly root?: string | undefined;
  readonly store?: string | undefined;
  readonly as?: string | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly yes: boolean;
  readonly color: boolean;
}

export class CliContext {
  readonly io: CliIo;
  readonly flags: CommonFlags;
  /** The store that was named, whose teams the verb works on; set before the verb begins. */
  store: ReplicaOfStore | undefined;
  /** Public keys that this process was told by `--trust` and `TEAMS_TRUST`; undefined without `--trust`. */
  trust: readonly string[] | undefined;

  constructor(io: CliIo, flags: CommonFlags) {
    this.io = io;
    this.flags = flags;
  }

  /** Prints the result of a verb: one object with `--json`, else the text. An empty text prints nothing. */
  result(value: object, text: string): void {
    if (this.flags.json) this.io.stdout.write(jsonLine(value));
    else if (text !== '') this.print(text);
  }

  /** Prints data as text, with a newline at its end. */
  print(text: string): void {
    const safe = safeText(text);
    this.io.stdout.write(safe.endsWith('\n') ? safe : `${safe}\n`);
  }

  /** Prints data with our colour codes in it. The caller has made all other text safe. */
  printPainted(text: string): void {
    this.io.stdout.write(`${text}\n`);
  }

  /** A remark on stderr. */
  info(text: string): void {
    if (!this.flags.quiet) this.io.stderr.write(`${safeText(text)}\n`);
  }

  /** A remark for `--verbose` only. */
  debug(text: string): void {
    if (this.flags.verbose) this.info(text);
  }

  /** A warning, which `--quiet` does not silence. */
  warn(text: string): void {
    this.io.stderr.write(`teams: ${safeText(text)}\n`);
  }

  /** True if a person can answer a question. */
  get isInteractive(): boolean {
    const { stdin, stderr, environment } = this.io;
    if (stdin.isTTY !== true || stderr.isTTY !== true || environment['TERM'] === 'dumb') return false;
    return !this.flags.json && isInForeground();
  }

  /** True if stdout may have colours. */
  get isColorful(): boolean {
    const { stdout, environment } = this.io;
    if (!this.flags.color || (environment['NO_COLOR'] ?? '') !== '' || environment['TERM'] === 'dumb') return false;
    return stdout.isTTY === true || (environment['FORCE_COLOR'] ?? '0') !== '0';
  }
}
