/**
 * The workspace of a model: a directory, the present permissions, and the four tools for it. A refusal is an answer
 * that a model can act on and begins with its code; only a bug throws.
 */
import { loadedInside, withoutLoader } from '../../model/agent/loader-variables.ts';
import { dirname, join, normalize } from 'node:path';
import { childEnvironment, type EnvironmentSources } from '../../agents/environment.ts';
import { isTeamError, UsageError } from '../../model/text/errors.ts';
import { parseToolInput, WORKSPACE_TOOLS, type ToolInputs } from '../../model/team/tool.ts';
import type { Lend } from '../../model/team/lend.ts';
import { hostPath, type ShownTree } from '../../policy/sandbox/lent-path.ts';
import { DEFAULT_COMMAND_S, type WorkspaceTool } from '../../model/team/workspace-tool.ts';
import { isIsolated, mayUse, effectiveSandbox, type Permissions } from '../../policy/sandbox/effective-sandbox.ts';
import { editFileTool, readFileTool, showImageTool, writeFileTool } from './file-tools.ts';
import { entriesAt, realPath } from '../../store/workspace/sandbox-host.ts';
import type { ToolAnswer } from './tool-answer.ts';
import { LastLine, reporting } from './wait-report.ts';
import { MOST_PROCESSES, Shell, type ShellEnd } from './marked-shell.ts';
import { isBelow } from '../isolation/lent-paths.ts';
import { ownProgramsIn } from '../isolation/own-programs.ts';
import { openShellIsolation, type ShellIsolationProbe } from '../isolation/open-shell-isolation.ts';
import type { IsolationSetting } from '../../policy/sandbox/shell-isolation.ts';
import { ENV } from '../../model/text/environment.ts';

export interface WorkspaceOptions {
  /** Absolute; where commands start, and the limit of file tools. */
  readonly root: string;
  /** It is a tree that commands see elsewhere. */
  readonly shown?: ShownTree | undefined;
  readonly isolation: IsolationSetting;
  /** What the user lends to isolated commands. */
  readonly lend?: Lend | undefined;
  /** The team's folders, of which nothing can be lent. */
  readonly team?: readonly string[];
  /** Files and folders elsewhere that read_file and isolated commands show: what earlier tasks of a pipeline made. */
  readonly handed?: readonly string[];
  /** The present permissions; called for each tool call. */
  readonly permissions: () => Permissions;
  /** Why a file may not be written now, besides the permissions. */
  readonly refusesWrite?: (path: string) => string | undefined;
  /** Called once, if commands are not isolated although they should be. */
  readonly onWarning: (text: string) => void;
  /** The environment of this process. A command gets only what every program needs, and no key. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Further variables that the user named. */
  readonly named?: Pick<EnvironmentSources, 'env' | 'envPass'>;
}

interface WorkspaceCall {
  readonly signal: AbortSignal;
  /** Reports that a command goes on, with the last line of its output. */
  readonly progress?: (text: string) => void;
  /** Bytes that the answer may have. */
  readonly mostBytes?: number;
  /** Whether an answer may have an image. */
  readonly showsImages?: boolean;
}

const MARKS = [ENV.mark, ENV.run];
/** Bytes of a command's output. */
const MOST_OUTPUT = 32 * 1024;

/** @throws AgentError `AGENT_UNAVAILABLE` (exit 5) if isolation is required and does not work, or for what may not be lent */
export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const probe = await openShellIsolation({ ...options, setting: options.isolation });
  if (probe.why !== undefined && options.permissions().sandbox !== 'full')
    options.onWarning(
      `Commands of models are not isolated: ${probe.why}. Only the rules of the file tools enforce their sandbox.`,
    );
  return new Workspace(options, probe);
}

export class Workspace implements AsyncDisposable {
  readonly #options: WorkspaceOptions;
  readonly #isolation: ShellIsolationProbe;
  readonly #env: Readonly<Record<string, string>>;
  readonly #shell = new Shell();
  #own: readonly string[] | undefined;

  constructor(options: WorkspaceOptions, probe: ShellIsolationProbe) {
    this.#options = options;
    this.#isolation = probe;
    this.#env = commandEnvironment(options);
  }

  /** Whether commands are isolated. */
  get isIsolated(): boolean {
    return this.#isolation.isolation === 'up';
  }

  /** The tools that may be used now. */
  tools(): WorkspaceTool[] {
    return WORKSPACE_TOOLS.filter((tool) => this.#refusal(tool) === undefined);
  }

  /**
   * Executes one call.
   *
   * @param input as it came; it is parsed here
   */
  async call(tool: WorkspaceTool, input: unknown, call: WorkspaceCall): Promise<ToolAnswer> {
    const denied = this.#refusal(tool);
    if (denied) return { ok: false, why: `POLICY_DENIED: ${denied.why}` };
    try {
      return await this.#carryOut(tool, input, call);
    } catch (error) {
      if (!isTeamError(error)) throw error;
      return { ok: false, why: `${error.code}: ${error.message}` };
    }
  }

  /** Idempotent. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#shell.close();
  }

  #refusal(tool: WorkspaceTool): { why: string } | undefined {
    return mayUse(tool, this.#options.permissions(), this.#isolation.isolation);
  }

  async #carryOut(tool: WorkspaceTool, input: unknown, call: WorkspaceCall): Promise<ToolAnswer> {
    const { root } = this.#options;
    const refusesWrite = (path: string): string | undefined => this.#refusesWrite(path);
    const here = <T extends { readonly path: string }>(given: T): T => ({ ...given, path: this.#placeOf(given.path) });
    switch (tool) {
      case 'bash':
        return this.#bash(inputOf(tool, input), call);
      case 'read_file':
        return this.#read(inputOf(tool, input), call);
      case 'write_file':
        return { ok: true, ...writeFileTool(root, here(inputOf(tool, input)), refusesWrite) };
      case 'edit_file':
        return { ok: true, ...editFileTool(root, here(inputOf(tool, input)), refusesWrite) };
    }
  }

  /** A path as commands see it is meant by its tree. */
  #placeOf(path: string): string {
    const { root, shown, permissions } = this.#options;
    const isHeld = isIsolated(permissions(), this.#isolation.isolation);
    return shown !== undefined && isHeld ? hostPath(normalize(path), root, shown) : path;
  }

  #refusesWrite(path: string): string | undefined {
    const { root, refusesWrite, environment, shown } = this.#options;
    const real = realPath(root);
    this.#own ??= ownProgramsIn(real, environment, shown);
    return this.#own.some((own) => isBelow(join(real, path), own))
      ? `${path} is in your home directory or belongs to teams itself, and is not written by this tool.`
      : refusesWrite?.(path);
  }

  #read(input: ToolInputs['read_file'], { mostBytes, showsImages = false }: WorkspaceCall): ToolAnswer {
    const { handed = [] } = this.#options;
    const asked = normalize(input.path);
    const from = handed.find((one) => isBelow(asked, one));
    const [found] = from === undefined ? [] : entriesAt([from]);
    // A link of a folder that is handed leads nowhere else.
    const given = found?.isDirectory === true ? from : from && dirname(from);
    const { root, path } =
      given === undefined
        ? { root: this.#options.root, path: this.#placeOf(input.path) }
        : { root: given, path: asked.slice(given.length + 1) || '.' };
    const image = showsImages ? showImageTool(root, { ...input, path }) : undefined;
    return { ok: true, ...(image ?? readFileTool(root, { ...input, path }, mostBytes)) };
  }

  async #bash({ command, timeout = DEFAULT_COMMAND_S }: ToolInputs['bash'], call: WorkspaceCall): Promise<ToolAnswer> {
    const { root, shown, permissions } = this.#options;
    const now = permissions();
    const shell = ['/bin/sh', '-c', command];
    const isHeld = isIsolated(now, this.#isolation.isolation);
    const isWritable = effectiveSandbox(now) !== 'read-only';
    const argv = isHeld ? this.#isolation.around(root, isWritable, loadedInside(shell, this.#env), { shown }) : shell;
    const env = isHeld ? withoutLoader(this.#env) : this.#env;
    const most = Math.min(MOST_OUTPUT, call.mostBytes ?? MOST_OUTPUT);
    const { signal, progress: report = () => undefined } = call;
    const last = new LastLine();
    const onOutput = (bytes: Buffer): void => last.push(bytes);
    const running = this.#shell.run({ argv, env, cwd: root, timeoutMs: timeout * 1_000, signal, most, onOutput });
    const end = await reporting({ report, what: 'the command runs', line: () => last.text }, running);
    return bashAnswer(end, timeout);
  }
}

/** The variables of a command. It inherits the mark of this process, so that a sweep for that mark finds it, too. */
const commandEnvironment = ({ environment, named = {} }: WorkspaceOptions): Record<string, string> =>
  childEnvironment('exec', { parent: environment, ...named, envPass: [...(named.envPass ?? []), ...MARKS] });

/** @throws UsageError `USAGE` */
function inputOf<T extends WorkspaceTool>(tool: T, given: unknown): ToolInputs[T] {
  const parsed = parseToolInput(tool, given);
  if (parsed.ok) return parsed.value;
  throw new UsageError('USAGE', parsed.problems.map(({ text }) => text).join(' '));
}

function bashAnswer(end: ShellEnd, timeoutS: number): ToolAnswer {
  if (end.kind === 'not started') return { ok: false, why: `NOT_STARTED: ${end.why}` };
  const { kind: how, code, output } = end;
  if (how === 'exited' && code === 0)
    return { ok: true, text: output === '' ? 'It printed nothing.' : output, data: { output, exitCode: code } };
  return { ok: false, why: [verdictOf(how, code, timeoutS), output].filter(Boolean).join('\n') };
}

function verdictOf(how: Exclude<ShellEnd['kind'], 'not started'>, code: number | undefined, timeoutS: number): string {
  switch (how) {
    case 'exited':
      return `EXIT: exit ${code ?? 'unknown'}.`;
    case 'signalled':
      return 'EXIT: ended by a signal.';
    case 'timeout':
      return `TIMEOUT: stopped after ${timeoutS} s, with all that it had started; a longer timeout can be given.`;
    case 'aborted':
      return 'STOPPED: the call was cancelled.';
    case 'flooded':
      return 'QUOTA: stopped because it printed without end.';
    case 'crowded':
      return `QUOTA: stopped because it had more than ${MOST_PROCESSES} processes.`;
  }
}
