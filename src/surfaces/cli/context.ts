/**
 * What every verb has: the common flags, and a voice. Data goes to stdout, talk to stderr; whatever goes through here is
 * made safe for a terminal, so that no verb need think of it.
 */
import { safeText } from '../../app.ts';
import type { CliIo } from './io.ts';
import { jsonLine } from './output/json-line.ts';

export interface CommonFlags {
  readonly root?: string | undefined;
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

  constructor(io: CliIo, flags: CommonFlags) {
    this.io = io;
    this.flags = flags;
  }

  /** The answer of a verb: one object with `--json`, else the text. An empty text prints nothing. */
  result(value: object, text: string): void {
    if (this.flags.json) this.io.stdout.write(jsonLine(value));
    else if (text !== '') this.print(text);
  }

  /** Data, as text; ends with a newline. */
  print(text: string): void {
    const safe = safeText(text);
    this.io.stdout.write(safe.endsWith('\n') ? safe : `${safe}\n`);
  }

  /** Data with colours of ours in it: its maker made the rest of it safe. */
  printPainted(text: string): void {
    this.io.stdout.write(`${text}\n`);
  }

  /** Talk. */
  info(text: string): void {
    if (!this.flags.quiet) this.io.stderr.write(`${safeText(text)}\n`);
  }

  /** Talk for those who want all of it. */
  debug(text: string): void {
    if (this.flags.verbose) this.info(text);
  }

  /** A warning, which `--quiet` does not silence. */
  warn(text: string): void {
    this.io.stderr.write(`teams: ${safeText(text)}\n`);
  }

  /** Somebody is there to answer a question. */
  get isInteractive(): boolean {
    const { stdin, stderr, environment } = this.io;
    return stdin.isTTY === true && stderr.isTTY === true && environment['TERM'] !== 'dumb' && !this.flags.json;
  }

  /** May what is written to stdout have colours? */
  get isColorful(): boolean {
    const { stdout, environment } = this.io;
    if (!this.flags.color || (environment['NO_COLOR'] ?? '') !== '' || environment['TERM'] === 'dumb') return false;
    return stdout.isTTY === true || (environment['FORCE_COLOR'] ?? '0') !== '0';
  }
}
