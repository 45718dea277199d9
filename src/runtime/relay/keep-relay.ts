/**
 * The relay of a replica for as long as a process needs it: it is started if none runs, and again if it is killed. It
 * belongs to nobody: the lock of the root decides which of two stays, and it ends when no process was connected to it for
 * a while.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Clock } from '../../model/text/clock.ts';
import { ENV } from '../../model/text/environment.ts';
import { codeOf, StoreError, UsageError } from '../../model/text/errors.ts';
import { duration } from '../../policy/mail-wording.ts';
import { START_LIMIT_MS } from '../../policy/supervise/restart.ts';
import { LastingConnection } from '../../os/connection/lasting-connection.ts';
import { pauseAside } from '../../os/pause.ts';
import { openOutput } from '../../store/board/output-log.ts';
import { realDisk } from '../../store/files/disk.ts';
import { readText } from '../../store/files/file.ts';
import { rootPaths } from '../../store/files/paths.ts';
import { withScratch } from '../../store/files/scratch.ts';
import { relayFailure } from '../../store/replica/relay-failure.ts';
import { replicaOf, requireUndiverged } from '../../store/replica/replica-root.ts';
import { commandLine } from '../process/package.ts';

/** It ends when no process was connected to it for so long. */
const IDLE = '10m';
/** Within this time after a relay has ended another is started. */
const LOOK_MS = 2_000;
const POLL_MS = 20;
/** Between two that the same lock refuses. */
const REFUSED_MS = 250;
/** Between tries to start one while the store is away. */
const MOST_PAUSE_MS = 30_000;

export interface ReplicaOfStore {
  readonly root: string;
  /** The URL as it was given; it may have a password, which only the relay's environment gets. */
  readonly url: string;
  /** The same without a password. */
  readonly store: string;
}

export interface KeepOptions {
  readonly clock: Clock;
  /** That of the person: what PostgreSQL reads, such as `PGPASSFILE`, is in it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Called when none can be started, and the replica is there to be read. */
  readonly tell: (text: string) => void;
}

/**
 * Resolves when a relay serves the replica, which then is as the store is; keeps one until it is disposed of.
 *
 * @throws UsageError for the root of another store; if there is no replica yet, also StoreError as the relay says it
 */
export async function keepRelay(replica: ReplicaOfStore, options: KeepOptions): Promise<Disposable> {
  const { root, store } = replica;
  const { tell } = options;
  const known = replicaOf(realDisk, root);
  if (known !== undefined && known !== store)
    throw new UsageError('USAGE', `${root} is the replica of ${known}, not of ${store}: use another --root.`);
  const relay = LastingConnection.to(rootPaths(root).relay);
  try {
    await requireRelay(relay, replica, options);
  } catch (error) {
    if (known === undefined || !(error instanceof Error)) {
      relay.leave();
      throw error;
    }
    tell(`${error.message} What is shown may be old.`);
  }
  const over = new AbortController();
  void keep(relay, replica, options, over.signal);
  return {
    [Symbol.dispose]: () => {
      over.abort();
      relay.leave();
    },
  };
}

async function keep(
  relay: LastingConnection,
  replica: ReplicaOfStore,
  options: KeepOptions,
  over: AbortSignal,
): Promise<void> {
  // All processes of the machine lose it at once, and one of them is enough to start it.
  for (let pause = Math.random() * LOOK_MS; ;) {
    await relay.untilEnd();
    await pauseAside(pause, over);
    if (over.aborted) return;
    try {
      requireUndiverged(realDisk, rootPaths(replica.root));
      await requireRelay(relay, replica, options);
      pause = Math.random() * LOOK_MS;
    } catch (error) {
      // What was read here is not what the store has: nothing is written any more.
      if (codeOf(error) === 'ENGINE_DIVERGED') return;
      pause = Math.min(Math.max(pause * 2, LOOK_MS), MOST_PAUSE_MS);
    }
  }
}

/**
 * Waits for a relay that starts as long as its process lives: one that was started here, or one that another process
 * started and that holds the lock of the root.
 */
async function requireRelay(
  relay: LastingConnection,
  { root, url }: ReplicaOfStore,
  { clock, environment }: KeepOptions,
): Promise<void> {
  const deadline = clock.monotonic() + START_LIMIT_MS;
  while (!(await relay.isServed()))
    try {
      await startRelay(relay, root, { url, environment, clock });
    } catch (error) {
      // Another process has just started one, which does not serve yet; or it is one that just ends.
      if (codeOf(error) !== 'REFUSED' || clock.monotonic() > deadline) throw error;
      await clock.sleep(REFUSED_MS);
    }
}

interface Starting extends Pick<KeepOptions, 'clock' | 'environment'> {
  readonly url: string;
}

async function startRelay(
  relay: LastingConnection,
  root: string,
  { url, environment, clock }: Starting,
): Promise<void> {
  const [file, ...argv] = commandLine('store', 'relay', '--root', root, '--json', '--idle', IDLE);
  await withScratch(async (folder) => {
    // It goes on writing to it when it is removed: a pipe would break when this process ends.
    const path = join(folder, 'said');
    const said = openOutput(realDisk, path);
    const child = spawn(file, argv, {
      cwd: '/',
      env: { ...withoutOurs(environment), [ENV.store]: url },
      detached: true,
      stdio: ['ignore', said, said],
    });
    realDisk.closeSync(said);
    const over = new AbortController();
    child.once('error', () => over.abort()).once('exit', () => over.abort());
    const deadline = clock.monotonic() + START_LIMIT_MS;
    while (!(await relay.isServed())) {
      if (over.signal.aborted) throw relayFailure(readText(realDisk, path) ?? '');
      if (clock.monotonic() > deadline) {
        child.kill('SIGKILL');
        throw new StoreError(
          'ENGINE_UNREACHABLE',
          `The relay of ${root} did not start within ${duration(START_LIMIT_MS)}.`,
        );
      }
      await clock.sleep(POLL_MS);
    }
    child.unref();
  });
}

/** It is no process of a team, and no configuration counts for it. */
const withoutOurs = (environment: KeepOptions['environment']): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('TEAMS_')));
