/**
 * When to look again at what a tool context shows: at once when its team's files change or {@link ring} is called, and
 * at least once a second. The team may change meanwhile.
 */
import { realDisk } from '../../store/files/disk.ts';
import { realClock } from '../../os/system-clock.ts';
import type { ToolContext } from './tool-context.ts';
import type { TeamHandle } from '../team/team-handle.ts';
import { Waker } from '../process/waker.ts';

/** Milliseconds between two looks; changes that come together are looked at together. */
const GAP_MS = 50;

export class MailboxWatch {
  readonly #context: Pick<ToolContext, 'team'>;
  readonly #signal: AbortSignal;
  #team: TeamHandle | undefined;
  #waker: Waker;

  /** @param signal ends the looks */
  constructor(context: Pick<ToolContext, 'team'>, signal: AbortSignal) {
    this.#context = context;
    this.#signal = signal;
    this.#waker = new Waker({ disk: realDisk, clock: realClock }, [], signal);
  }

  /** Causes a look, even if no file changed. */
  ring(): void {
    this.#waker.ring();
  }

  /** Yields whenever it is time to look, the first time at once. */
  async *looks(): AsyncGenerator<void> {
    try {
      while (!this.#signal.aborted) {
        this.#follow();
        yield;
        await realClock.sleep(GAP_MS, this.#signal);
        await this.#waker.wait();
      }
    } finally {
      this.#waker.close();
    }
  }

  /** Watches the files of the present team. */
  #follow(): void {
    const { team } = this.#context;
    if (team === this.#team) return;
    this.#team = team;
    this.#waker.close();
    const paths = team === undefined ? [] : [team.paths.log, team.paths.folder];
    this.#waker = new Waker({ disk: realDisk, clock: realClock }, paths, this.#signal);
  }
}
