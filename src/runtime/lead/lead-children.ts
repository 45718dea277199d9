/**
 * Programs that the lead runs by itself (a hook, a gate, git) end with the lead. Each start has a mark of its own: the
 * sweep after one program lasts, and would end another that starts meanwhile under the same mark. The reaper and the
 * lead's own record know a mark before its program starts, so that a later lead can find the program.
 */
import { LEAD } from '../../model/text/names.ts';
import type { Mark } from '../../model/agent/process-mark.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { marks } from '../../os/draw-marks.ts';
import { markedCommand, markEnvironment, type MarkedStart, type Marker } from '../../os/mark-environment.ts';
import type { Reaper } from '../../os/reaper-handle.ts';
import { JointSweep } from '../../os/sweep.ts';
import { recordedMarks } from './recorded-marks.ts';

interface LeadChildrenEnvironment {
  readonly store: TeamStore;
  readonly run: string;
  readonly reaper: () => Reaper;
  /** Ends all processes of some marks. */
  readonly end?: (marks: readonly Mark[]) => Promise<unknown>;
}

export class LeadChildren {
  readonly #environment: LeadChildrenEnvironment;
  /** Marks of programs that run or are being ended. */
  readonly #marks = new Set<Mark>();
  readonly #sweeps: JointSweep;

  constructor(environment: LeadChildrenEnvironment) {
    this.#environment = environment;
    this.#sweeps = new JointSweep(environment.end);
  }

  /** Runs `work`. When it ends, every process that it started by its marker is ended. */
  async run<T>(work: (marker: Marker) => Promise<T>): Promise<T> {
    const drawn: Mark[] = [];
    try {
      return await work({ mark: (argv) => this.#mark(argv, drawn) });
    } finally {
      await this.#end(drawn);
    }
  }

  #mark([file, ...args]: readonly string[], drawn: Mark[]): MarkedStart {
    const { store, run, reaper } = this.#environment;
    const [mark] = file === undefined ? [] : marks.draw(1, run, () => recordedMarks(store.paths.root));
    if (mark === undefined || file === undefined) return { argv: [], env: {} };
    this.#marks.add(mark);
    drawn.push(mark);
    const record = store.roster.read(LEAD);
    if (record) store.roster.write({ ...record, marks: [...this.#marks].map((one) => ({ ...one })) });
    reaper().add(mark);
    const command = markedCommand(mark, [file, ...args]);
    return { argv: [command.file, ...command.args], env: markEnvironment(mark) };
  }

  async #end(drawn: readonly Mark[]): Promise<void> {
    await this.#sweeps.end(drawn);
    for (const mark of drawn) {
      this.#environment.reaper().remove(mark);
      this.#marks.delete(mark);
      marks.giveBack(mark);
    }
  }
}
