/**
 * The user's hooks (docs/specification.md R12.4): a command that gets an event as JSON on its stdin. Exit code 2
 * refuses, with the output as feedback; any other end accepts. A hook is ended after 60 s.
 */
import process from 'node:process';
import { childEnvironment } from '../../agents/agent-registry.ts';
import { startProcess, type ProcessEnd } from '../../agents/programs/process.ts';
import { argvOf, type Command } from '../../model/agent/agent.ts';
import type { Config } from '../../model/config/config.ts';
import { formatDuration } from '../../model/text/duration.ts';
import type { Task } from '../../model/board/task.ts';
import type { Marker } from '../../os/mark-environment.ts';
import { cwdOf } from '../../store/team/team-reader.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { pathWithUs } from '../process/package.ts';
import { ENV } from '../../model/text/environment.ts';

export type Hooks = Config['hooks'];
export type HookName = keyof Hooks;

/** What a hook gets besides its name, the time and the team. */
export interface HookEvent {
  readonly member?: string;
  readonly [key: string]: unknown;
}

interface HookCall {
  readonly name: HookName;
  readonly command: Command;
  readonly event: HookEvent;
}

interface HookCommand {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Runs programs of the user, each with a mark by which it and all that it starts is found again. */
export interface MarkedRunner {
  run<T>(work: (marker: Marker) => Promise<T>): Promise<T>;
}

/** Where a command runs, and with which rights. */
export interface CommandPlace {
  readonly cwd: string;
  readonly path: string;
  /** Isolates it, if it runs what members wrote. */
  readonly wrap?: ((command: HookCommand) => HookCommand) | undefined;
  /** What a failure adds to its reason. */
  readonly hint?: string | undefined;
}

interface HookPlace {
  readonly store: TeamStore;
  readonly signal: AbortSignal;
  readonly at: CommandPlace;
  /** Gives it the mark that identifies it as started by this process. */
  readonly marker: Marker;
}

const TIMEOUT_MS = 60_000;
const REFUSES = 2;
const KEPT_BYTES = 8_192;

/** @returns the feedback of a refusal; undefined if the hook accepts */
export async function runHook({ name, command, event }: HookCall, place: HookPlace): Promise<string | undefined> {
  const { store } = place;
  const { paths, clock } = store;
  const payload = { hook: name, at: clock.now() / 1_000, team: paths.name, root: paths.root, ...event };
  const { refusal, trouble } = await runWithInput(command, `${JSON.stringify(payload)}\n`, place);
  const member = event.member === undefined ? {} : { member: event.member };
  if (refusal !== undefined) store.events.append({ type: 'hook.refused', ...member, hook: name, text: refusal });
  if (trouble !== undefined) store.events.append({ type: 'hook.failed', ...member, hook: name, text: trouble });
  return refusal;
}

/** How a command ended that may refuse. */
interface HookEnd {
  readonly refusal?: string;
  readonly trouble?: string;
}

/** Runs a command of the user's configuration with a text on its stdin. */
export async function runWithInput(command: Command, stdin: string, place: HookPlace): Promise<HookEnd> {
  const { store, signal, marker, at } = place;
  const { cwd, path, wrap = asIs, hint } = at;
  const { paths } = store;
  const where = { [ENV.root]: paths.root, [ENV.team]: paths.name, PATH: pathWithUs(path) };
  const env = childEnvironment('exec', { parent: process.env, add: where });
  const wrapped = wrap({ argv: argvOf(command), env });
  const marked = marker.mark(wrapped.argv);
  const started = await startProcess(
    {
      argv: marked.argv,
      env: { ...wrapped.env, ...marked.env },
      cwd,
      stdin,
      timeoutMs: TIMEOUT_MS,
      signal,
    },
    { keptBytes: KEPT_BYTES },
  );
  const end = started.ok ? await ended(started.process) : started.failure.message;
  const said = typeof end === 'string' ? { trouble: end } : judged(end);
  return said.trouble === undefined || hint === undefined ? said : { trouble: `${said.trouble} (${hint})` };
}

const asIs = (given: HookCommand): HookCommand => given;

async function ended(running: { next(): Promise<unknown>; readonly ended: Promise<ProcessEnd> }): Promise<ProcessEnd> {
  while ((await running.next()) !== undefined);
  return running.ended;
}

function judged(end: ProcessEnd): HookEnd {
  const said = [end.stdout, end.stderr]
    .map((bytes) => bytes.toString('utf8').trim())
    .filter(Boolean)
    .join('\n');
  if (end.kind === 'exited' && end.code === 0) return {};
  if (end.kind === 'exited' && end.code === REFUSES) return { refusal: said || 'The hook refused without a reason.' };
  if (end.kind === 'aborted') return {};
  const how =
    end.kind === 'exited'
      ? `exit ${end.code}`
      : end.kind === 'timeout'
        ? `not finished after ${formatDuration(TIMEOUT_MS)}`
        : end.kind;
  return { trouble: said === '' ? how : `${how}: ${said}` };
}

/** Children of a teammate inherit the teammate's own mark. */
const markedAsSelf: Marker = {
  mark: (argv) => ({
    argv,
    env: Object.fromEntries(
      [ENV.run, ENV.mark].flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
    ),
  }),
};

/** Characters of a task's result that its hook gets; the end of the result is kept. */
const LONGEST_RESULT = 4_096;

/**
 * Asks the hook on finished tasks.
 *
 * @returns the feedback of a refusal; undefined if the hook accepts
 */
export async function askHook(
  { id, subject, description, claim, attempts, work, metadata }: Task & { status: 'in_progress' },
  text: string,
  {
    hook,
    store,
    wrap,
  }: { readonly hook?: Command | undefined } & Pick<HookPlace, 'store'> & Pick<CommandPlace, 'wrap'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (hook === undefined) return undefined;
  const event = {
    member: claim.member,
    result: text.slice(-LONGEST_RESULT),
    task: { id, subject, description, attempts, metadata, files: work.files },
  };
  const at = { cwd: cwdOf(store), path: process.env['PATH'] ?? '/usr/bin:/bin', wrap };
  return runHook({ name: 'onTaskCompleted', command: hook, event }, { store, signal, at, marker: markedAsSelf });
}
