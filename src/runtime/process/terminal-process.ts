/**
 * The process that writes to the terminal for a lead. A terminal may take nothing for hours (Ctrl-S, a copy mode, a hung
 * connection), and Node waits in a write to it; so the lead sends what it has to say through a channel that never
 * waits. The process shows the live view by itself and confirms each order when the terminal has it.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { realClock } from '../../os/system-clock.ts';
import { commandLine } from './package.ts';

/** What a lead orders of its terminal. */
export type TerminalOrder =
  /** `hasKeys`: the person at the terminal can press keys there. */
  | {
      readonly do: 'show';
      readonly root: string;
      readonly team: string;
      readonly color: boolean;
      readonly hasKeys: boolean;
    }
  /** Asks what to do after a run that failed; the answer comes as news, after so many seconds at the latest. */
  | { readonly do: 'ask'; readonly seconds: number }
  /** Draws the last state and ends the view. */
  | { readonly do: 'rest' }
  | { readonly do: 'print'; readonly to: 'stdout' | 'stderr'; readonly text: string };

/** What comes back: an order was carried out, or what the person at the terminal wants. */
export interface TerminalNews {
  readonly is: 'done' | 'stop' | 'end' | 'again';
}

/** The verb of `teams` that is this process (`surfaces/cli/main.ts`); a person has no use for it. */
const TERMINAL_VERB = 'internal-terminal';

/** A terminal takes nothing if an order is not confirmed within this time; a start may take longer. */
const TAKING_MS = 2_000;
const STARTING_MS = 5_000;
const LOOK_MS = 10;
/** An order to a process that died is given to one more. */
const MOST_STARTS = 2;

export class TerminalProcess {
  readonly #environment: Readonly<Record<string, string | undefined>>;
  /** Orders that are not confirmed yet, the oldest first. */
  readonly #open: TerminalOrder[] = [];
  #child: ChildProcess | undefined;
  #starts = 0;
  #isClosing = false;
  /** When the process last confirmed or began something. */
  #seen = realClock.monotonic();
  #patience = STARTING_MS;
  /** Called with what the person wants; `end` also when the process is lost. */
  onWish: (wish: Exclude<TerminalNews['is'], 'done'>) => void = () => {};

  constructor(environment: Readonly<Record<string, string | undefined>>) {
    this.#environment = environment;
    this.#start();
  }

  /** @returns false if there is no process that could take the order */
  order(order: TerminalOrder): boolean {
    if (this.#child === undefined) return false;
    if (this.#open.length === 0) this.#seen = realClock.monotonic();
    this.#open.push(order);
    this.#send(order);
    return true;
  }

  print(to: 'stdout' | 'stderr', text: string): boolean {
    return this.order({ do: 'print', to, text });
  }

  /** Resolves when every order was carried out, or the terminal takes nothing. Never rejects. */
  async settled(): Promise<void> {
    while (this.#open.length > 0 && this.#isTaking()) await sleep(LOOK_MS);
  }

  /**
   * Ends the process. If the terminal takes nothing, the process stays without us: it writes the rest when the terminal
   * goes on, and ends then, or when the terminal is closed.
   */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.settled();
    if (this.#open.length === 0) {
      this.#seen = realClock.monotonic();
      if (this.#child?.connected === true) this.#child.disconnect();
    }
    while (this.#child !== undefined && this.#isTaking()) await sleep(LOOK_MS);
    this.#child?.channel?.unref();
  }

  #isTaking(): boolean {
    if (this.#child === undefined) return false;
    return realClock.monotonic() - this.#seen < this.#patience;
  }

  #start(): void {
    this.#starts += 1;
    this.#patience = STARTING_MS;
    const [file, ...args] = commandLine(TERMINAL_VERB);
    // In our process group: Ctrl-Z stops it together with us, and a new window size reaches it.
    const child = spawn(file, args, {
      cwd: '/',
      env: { ...this.#environment },
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    });
    this.#child = child;
    child.once('message', () => {
      this.#heard();
      child.on('message', ({ is }: TerminalNews) => (is === 'done' ? this.#confirmed() : this.onWish(is)));
    });
    child.once('error', () => this.#lost(child));
    child.once('exit', () => this.#lost(child));
    child.unref();
    child.channel?.unref();
  }

  #confirmed(): void {
    this.#open.shift();
    this.#heard();
  }

  #heard(): void {
    this.#seen = realClock.monotonic();
    this.#patience = TAKING_MS;
  }

  #lost(child: ChildProcess): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.onWish('end');
    if (this.#isClosing && this.#open.length === 0) return;
    if (this.#starts >= MOST_STARTS) return;
    this.#start();
    for (const order of this.#open) this.#send(order);
  }

  #send(order: TerminalOrder): void {
    // A broken channel means that the process is gone; its `exit` reports that.
    this.#child?.send(order, () => {});
  }
}
