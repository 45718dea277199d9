/**
 * What every verb has: the common flags, and a voice. Data goes to stdout, talk to stderr; whatever goes through here is
 * made safe for a terminal, so that no verb need think of it.
 */
import { safeJson, safeText } from '../../index.ts';
import type { Outside } from './io.ts';

export interface CommonFlags {
  readonly root?: string | undefined;
  readonly as?: string | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly yes: boolean;
  readonly color: boolean;
}

export class Frame {
  readonly outside: Outside;
  readonly flags: CommonFlags;

  constructor(outside: Outside, flags: CommonFlags) {
    this.outside = outside;
    this.flags = flags;
  }

  /** The answer of a verb: one object with `--json`, else the text. An empty text prints nothing. */
  answer(value: object, text: string): void {
    if (this.flags.json) this.record({ schemaVersion: 1, ...value });
    else if (text !== '') this.print(text);
  }

  /** One line of NDJSON. */
  record(value: object): void {
    this.outside.stdout.write(`${safeJson(value)}\n`);
  }

  /** Data, as text; ends with a newline. */
  print(text: string): void {
    const safe = safeText(text);
    this.outside.stdout.write(safe.endsWith('\n') ? safe : `${safe}\n`);
  }

  /** Data with colours of ours in it: its maker made the rest of it safe. */
  printPainted(text: string): void {
    this.outside.stdout.write(`${text}\n`);
  }

  /** Talk. */
  say(text: string): void {
    if (!this.flags.quiet) this.outside.stderr.write(`${safeText(text)}\n`);
  }

  /** Talk for those who want all of it. */
  mutter(text: string): void {
    if (this.flags.verbose) this.say(text);
  }

  /** A warning, which `--quiet` does not silence. */
  warn(text: string): void {
    this.outside.stderr.write(`teams: ${safeText(text)}\n`);
  }

  /** Somebody is there to answer a question. */
  get isInteractive(): boolean {
    const { stdin, stderr, environment } = this.outside;
    return stdin.isTTY === true && stderr.isTTY === true && environment['TERM'] !== 'dumb' && !this.flags.json;
  }

  /** May what is written to stdout have colours? */
  get isColorful(): boolean {
    const { stdout, environment } = this.outside;
    if (!this.flags.color || (environment['NO_COLOR'] ?? '') !== '' || environment['TERM'] === 'dumb') return false;
    return stdout.isTTY === true || (environment['FORCE_COLOR'] ?? '0') !== '0';
  }
}
