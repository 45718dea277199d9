/**
 * Programs that the lead runs by itself (a gate, an agent's turn) end with the lead. All of them carry one mark. The
 * reaper and the lead's own record know the mark before the first program starts, so that a later lead can find them.
 */
import { LEAD } from '../../model/text/names.ts';
import type { Mark } from '../../model/agent/process-mark.ts';
import { processes } from '../../os/process-table.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { createMarks, markedCommand, markEnvironment, type Marked } from '../../os/mark-environment.ts';
import type { Reaper } from '../../os/reaper-handle.ts';
import { sweep } from '../../os/sweep.ts';

interface LeadChildrenEnvironment {
  readonly store: TeamStore;
  readonly run: string;
  readonly reaper: () => Reaper;
}

export class LeadChildren {
  readonly #environment: LeadChildrenEnvironment;
  #mark: Mark | undefined;
  #running = 0;

  constructor(environment: LeadChildrenEnvironment) {
    this.#environment = environment;
  }

  /** Runs `work`. When the last running `work` ends, every process that carries the mark is ended. */
  async run<T>(work: (marked: Marked) => Promise<T>): Promise<T> {
    const mark = this.#known();
    this.#running += 1;
    try {
      return await work({
        env: mark ? markEnvironment(mark) : {},
        argv: ([file, ...args]) => {
          if (!mark || file === undefined) return file === undefined ? [] : [file, ...args];
          const command = markedCommand(mark, [file, ...args]);
          return [command.file, ...command.args];
        },
      });
    } finally {
      this.#running -= 1;
      if (mark && this.#running === 0) await sweep([mark], []);
    }
  }

  #known(): Mark | undefined {
    const { store, run, reaper } = this.#environment;
    if (this.#mark) return this.#mark;
    const [mark] = createMarks(1, processes, Math.random, run);
    const record = store.roster.read(LEAD);
    if (mark && record) store.roster.write({ ...record, mark: { ...mark } });
    if (mark) reaper().add(mark);
    this.#mark = mark;
    return mark;
  }
}
