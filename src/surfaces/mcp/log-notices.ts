/**
 * Tells a host what happens in the team as log messages: alerts, restarts, pauses of a vendor, failures. In protocol
 * 2025-11-25 a host sets the level of its connection. In protocol 2026-07-28 each request names the level of the
 * messages that may come while it is answered, and there are none otherwise.
 */
import {
  eventLine,
  isTeamError,
  LOG_LEVELS,
  logLevelOf,
  MailboxWatch,
  safeText,
  TwoLogs,
  type Fact,
  type LogLevel,
  type TeamHandle,
  type ToolContext,
} from '../../app.ts';

/** What is told. */
interface LogMessage {
  readonly level: LogLevel;
  readonly data: Record<string, unknown>;
}

/** A log message as the protocol has it. */
const logNotification = ({ level, data }: LogMessage) => ({
  method: 'notifications/message' as const,
  params: { level, logger: 'teams', data },
});

type LogNotification = ReturnType<typeof logNotification>;

interface LogListener {
  /** The least level, in the words of the protocol. */
  readonly least: string;
  readonly tell: (message: LogNotification) => Promise<void>;
}

/** Events that are read before other work of the process goes on. */
const PORTION = 500;

export class LogNotices {
  readonly #context: ToolContext;
  readonly #closing = new AbortController();
  readonly #watch: MailboxWatch;
  readonly #listeners = new Set<LogListener>();
  /** Ids of alerts that were told. */
  readonly #alerts = new Set<string>();
  /** Messages on their way to a host. */
  readonly #told = new Set<Promise<void>>();
  #followed: { readonly team: TeamHandle; readonly logs: TwoLogs } | undefined;
  #isOn = false;

  constructor(context: ToolContext) {
    this.#context = context;
    this.#watch = new MailboxWatch(context, this.#closing.signal);
  }

  /**
   * Tells what happens from now on.
   *
   * @param least the level of the least message that is told
   * @returns a function that ends it, after it told what happened until then
   */
  listen(least: string, tell: LogListener['tell']): () => void {
    const listener = { least, tell };
    if (!this.#isOn) {
      this.#isOn = true;
      this.#lookSafely();
      // A problem with the team is reported in the answers of the tools.
      this.#follow().catch(() => undefined);
    }
    this.#listeners.add(listener);
    return () => {
      this.#lookSafely();
      this.#listeners.delete(listener);
    };
  }

  /** Looks soon, after one of our tools changed something. */
  ring(): void {
    if (this.#isOn) this.#watch.ring();
  }

  close(): void {
    this.#closing.abort();
  }

  async #follow(): Promise<void> {
    try {
      for await (const _ of this.#watch.looks()) {
        this.#lookSafely();
        await this.#lookForAlerts();
        // What a host does not read waits in the logs, not in memory.
        await Promise.all(this.#told);
      }
    } finally {
      this.#leave();
    }
  }

  #lookSafely(): void {
    try {
      this.#look();
    } catch (error) {
      // The team was deleted, or is damaged; another one may follow.
      if (!isTeamError(error)) throw error;
      this.#leave();
    }
  }

  #look(): void {
    const { team } = this.#context;
    if (team !== this.#followed?.team) {
      this.#leave();
      if (team !== undefined) this.#followed = { team, logs: logsFromNow(team) };
    }
    const logs = this.#followed?.logs;
    if (logs === undefined) return;
    if (!logs.readSome(PORTION)) this.#watch.ring();
    for (const fact of logs.take()) this.#tell(fact);
  }

  #tell(event: Fact): void {
    const { side, team } = this.#context;
    // A member hears of itself and of the team, not of the others.
    if (team === undefined || (side === 'teammate' && event.member !== team.speaker.name && !isOfTeam(event))) return;
    const task = 'task' in event ? event.task : undefined;
    this.#send(logLevelOf(event), {
      team: team.name,
      event: event.type,
      member: event.member,
      task: typeof task === 'object' ? task.id : task,
      text: eventLine(event),
    });
  }

  /** Alerts are mail that no event tells. */
  async #lookForAlerts(): Promise<void> {
    const { side, team, mail } = this.#context;
    if (side !== 'lead' || team === undefined || mail === undefined) return;
    await mail.look();
    for (const { id, kind, sender, task_id, content } of mail.waiting()) {
      if (kind !== 'alert' || this.#alerts.has(id)) continue;
      this.#alerts.add(id);
      const text = safeText(content.slice(0, 1_000));
      this.#send('warning', { team: team.name, event: 'alert', member: sender, task: task_id, text });
    }
  }

  #send(level: LogLevel, data: LogMessage['data']): void {
    const message = logNotification({ level, data });
    for (const { least, tell } of this.#listeners) if (isWanted(level, least)) this.#wait(tell(message));
  }

  #wait(told: Promise<void>): void {
    // A host that is gone needs no messages.
    const done = told.catch(() => undefined).then(() => void this.#told.delete(done));
    this.#told.add(done);
  }

  #leave(): void {
    this.#followed?.logs.close();
    this.#followed = undefined;
  }
}

const logsFromNow = ({ store: { paths, disk, clock } }: TeamHandle): TwoLogs =>
  new TwoLogs({ paths, disk, clock, from: 'now' });

const isOfTeam = ({ type }: Fact): boolean => type.startsWith('team.');

/** Whether a host that asked for a level gets a message. */
function isWanted(level: LogLevel, wanted: string): boolean {
  // The levels above ours want less than our highest.
  const least = LOG_LEVELS.findIndex((one) => one === wanted);
  return least >= 0 && LOG_LEVELS.indexOf(level) >= least;
}
