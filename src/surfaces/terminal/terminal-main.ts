/**
 * The process that writes to a terminal for a lead: it carries out the orders of its channel, one after the other, and
 * confirms its start and each of them. It ends with the channel or with the terminal. See `runtime/process/terminal-process.ts`.
 */
import process from 'node:process';
import {
  parseName,
  teamPaths,
  TeamWatch,
  realClock,
  type TeamPaths,
  type TerminalNews,
  type TeamWatchOptions,
  type TerminalOrder,
} from '../../app.ts';
import { startProgress, watchTeam } from './progress-view.ts';
import type { Actions, DashboardOptions, Ending, ForegroundRun } from './watch/watch-team.ts';

type ShowOrder = Extract<TerminalOrder, { do: 'show' }>;

/** What a view of a team needs from its surroundings. */
type SurroundingsOf = (paths: TeamPaths) => {
  readonly actions: Actions;
  readonly notify: DashboardOptions['notify'];
  readonly watch: TeamWatchOptions;
};

/** Carries out the orders of this process's channel until it ends. */
export async function serveTerminal(surroundingsOf: SurroundingsOf): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      // The lead decides what a signal means; this process ends after it.
    });
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(0));
  let view: View | undefined;
  let last = Promise.resolve();
  const carryOut = async (order: TerminalOrder): Promise<void> => {
    switch (order.do) {
      case 'show':
        view ??= order.hasKeys ? new DashboardView(order, surroundingsOf) : new LinesView(order);
        break;
      case 'rest':
        await view?.close();
        view = undefined;
        break;
      case 'ask':
        view?.ask(order.seconds);
        break;
      case 'print':
        if (view?.keep(order) !== true) await printed(order);
        break;
      default:
        order satisfies never;
    }
    tellLead({ is: 'done' });
  };
  tellLead({ is: 'done' });
  await new Promise<void>((resolve) => {
    process.on('message', (order: TerminalOrder) => {
      last = last.then(() => carryOut(order));
    });
    process.once('disconnect', resolve);
  });
  await last;
  await view?.close();
}

/** The lead may be gone by now. */
const tellLead = (news: TerminalNews): void => void process.send?.(news, undefined, {}, () => {});

interface View {
  /** Asks what to do after a run that failed. */
  ask(seconds: number): void;
  /** @returns true if the view keeps the text, and prints it when it is closed */
  keep(order: Extract<TerminalOrder, { do: 'print' }>): boolean;
  close(): Promise<void>;
}

/** Lines at the bottom of the terminal: where nobody can press a key. */
class LinesView implements View {
  readonly #progress: ReturnType<typeof startProgress>;

  constructor({ root, team, color }: ShowOrder) {
    const options = { stream: process.stderr, environment: process.env, color };
    this.#progress = startProgress(teamPaths(root, parseName('team', team)), options);
  }

  ask(): void {
    tellLead({ is: 'end' });
  }

  keep(): boolean {
    return false;
  }

  close(): Promise<void> {
    return this.#progress.stop();
  }
}

/** The dashboard of `teams watch`, on the terminal of a run. */
class DashboardView implements View {
  readonly #closing = new AbortController();
  readonly #kept: Extract<TerminalOrder, { do: 'print' }>[] = [];
  readonly #run: { -readonly [Key in keyof ForegroundRun]: ForegroundRun[Key] };
  readonly #shown: Promise<void>;
  #isOpen = true;

  constructor({ root, team, color }: ShowOrder, surroundingsOf: SurroundingsOf) {
    const paths = teamPaths(root, parseName('team', team));
    this.#run = {
      stop: () => tellLead({ is: 'stop' }),
      ending: undefined,
      onChange: () => {},
      remark: '',
    };
    this.#shown = this.#show(paths, color && (process.env['NO_COLOR'] ?? '') === '', surroundingsOf(paths));
  }

  ask(seconds: number): void {
    if (!this.#isOpen) return tellLead({ is: 'end' });
    let closesAt: number | undefined = realClock.monotonic() + seconds * 1_000;
    const ending: Ending = {
      get closesAt() {
        return closesAt;
      },
      stay: () => (closesAt = undefined),
      choose: (choice) => {
        if (this.#run.ending !== ending) return;
        this.#run.ending = undefined;
        tellLead({ is: choice });
      },
    };
    this.#run.ending = ending;
    this.#run.onChange();
  }

  keep(order: Extract<TerminalOrder, { do: 'print' }>): boolean {
    if (!this.#isOpen) return false;
    this.#kept.push(order);
    const remark = order.text.trim().split('\n').at(-1) ?? '';
    if (remark !== '') this.#run.remark = remark;
    this.#run.onChange();
    return true;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#shown;
    for (const order of this.#kept) await printed(order);
  }

  async #show(
    paths: TeamPaths,
    color: boolean,
    { watch: options, ...surroundings }: ReturnType<SurroundingsOf>,
  ): Promise<void> {
    const { signal } = this.#closing;
    try {
      const watch = new TeamWatch(paths, options);
      const write = (text: string): void => void process.stderr.write(text);
      try {
        const own = { isPlain: false, color, signal, write, out: process.stderr, run: this.#run };
        await watchTeam(watch, { ...own, ...surroundings });
      } finally {
        watch.close();
      }
    } catch {
      // The team was archived, or its disk fails: its processes meet and report it. The view only ends.
    } finally {
      this.#isOpen = false;
      this.#run.ending?.choose('end');
    }
  }
}

const printed = ({ to, text }: Extract<TerminalOrder, { do: 'print' }>): Promise<void> =>
  new Promise((resolve) => {
    (to === 'stdout' ? process.stdout : process.stderr).write(text, () => resolve());
  });
