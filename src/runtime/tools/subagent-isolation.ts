/**
 * The isolation of a subagent's program. A subagent is isolated as a member of the same kind and sandbox is, but it has
 * no team: its socket answers nothing, and its home ends with it.
 */
import { isAbsolute } from 'node:path';
import { loginFiles } from '../../agents/agent-registry.ts';
import { bringsSandbox, hasToolLoop } from '../../model/agent/agent-kinds.ts';
import { UsageError } from '../../model/text/errors.ts';
import { wantsIsolation } from '../../policy/sandbox/program-isolation.ts';
import { unenforced } from '../../policy/sandbox/sandbox-enforcement.ts';
import type { IsolationSetting } from '../../policy/sandbox/shell-isolation.ts';
import { realPath } from '../../store/workspace/sandbox-host.ts';
import type { CommandLine } from '../isolation/broker.ts';
import type { SubagentTask } from './subagent-message.ts';
import type { HeldProgram } from '../isolation/open-program-isolation.ts';
import type { Lend } from '../../model/team/lend.ts';
import type { NotEnforced } from '../../model/team/not-enforced.ts';

/** What the process that opens subagents decides about their isolation. */
export interface SubagentSurroundings {
  readonly setting: IsolationSetting;
  /** What the user lends to isolated programs. */
  readonly lend?: Lend | undefined;
  /** The environment of this process: where programs and the user's home are. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The team's folders, which are not there inside. */
  readonly team: () => readonly string[];
  /** Called with each sandbox that is not enforced. */
  readonly onNotEnforced: (told: NotEnforced) => void;
}

/**
 * Tries whether programs can be isolated in a directory, before anything is started there.
 *
 * @throws AgentError `AGENT_UNAVAILABLE` (exit 5) if isolation is required and does not work
 */
export async function requireIsolation(
  cwd: string,
  { setting, environment }: Pick<SubagentSurroundings, 'setting' | 'environment'>,
): Promise<void> {
  if (setting !== 'required') return;
  const trial = { about: 'a trial', spec: { kind: 'claude' as const }, prompt: '', cwd, env: {}, timeoutMs: 0 };
  const surroundings = { setting, environment, team: () => [], onNotEnforced: () => {} };
  const isolation = await isolateSubagent({ ...trial, sandbox: 'read-only' }, surroundings);
  await isolation?.close();
}

/**
 * @returns the isolation of its program, which the caller closes; undefined if it has none of ours
 * @throws AgentError `AGENT_UNAVAILABLE` (exit 5) if isolation is required and does not work
 */
export async function isolateSubagent(
  { spec, cwd, shown, env, sandbox, about, isAsked = sandbox === 'read-only' }: SubagentTask,
  { setting, lend, environment, team, onNotEnforced }: SubagentSurroundings,
): Promise<HeldProgram | undefined> {
  const { kind } = spec;
  const tell = (isIsolated: boolean, cause?: string): void => {
    const what = unenforced(kind, sandbox, { isIsolated, isAsked });
    if (what === undefined || (!isAsked && kind === 'exec')) return;
    onNotEnforced({ what: `${about} (${kind})`, sandbox, why: cause === undefined ? what : `${what}: ${cause}` });
  };
  if (hasToolLoop(kind)) {
    const { openShellIsolation } = await import('../isolation/open-shell-isolation.ts');
    const { isolation, why } = await openShellIsolation({
      setting: sandbox === 'full' ? 'off' : setting,
      root: cwd,
      environment,
      lend,
      team: team(),
    });
    tell(isolation === 'up', why);
    const { isHome, HOME_IS_OPEN } = await import('../isolation/own-programs.ts');
    if (isolation === 'up' && sandbox === 'workspace-write' && isHome(realPath(cwd), environment))
      onNotEnforced({ what: `${about} (${kind})`, sandbox, why: HOME_IS_OPEN });
    return undefined;
  }
  if (!wantsIsolation(kind, { sandbox, isAsked, setting })) {
    tell(false, setting === 'off' ? 'sandbox.bwrap is off' : undefined);
    if (bringsSandbox(kind) && sandbox === 'workspace-write' && shown === undefined) {
      const { programOfOwnSandbox } = await import('../isolation/own-programs.ts');
      const { weakness } = programOfOwnSandbox(spec, realPath(cwd), { ...environment, ...env });
      if (weakness !== undefined) onNotEnforced({ what: `${about} (${kind})`, sandbox, why: weakness });
    }
    return undefined;
  }
  const { openProgramIsolation } = await import('../isolation/open-program-isolation.ts');
  const logins = loginFiles(kind, env);
  const isolation = await openProgramIsolation({
    setting,
    root: cwd,
    shown,
    isWritable: sandbox !== 'read-only',
    shared: logins.writable,
    lend,
    team: team(),
    readable: logins.readable,
    handed: [],
    programs: (spec.command ?? []).filter((word) => isAbsolute(word)),
    member: { name: about, team: 'none', environment: {} },
    commandLine: noTeam,
    environment,
  });
  tell(isolation.kind === 'up', isolation.kind === 'up' ? undefined : isolation.why);
  return isolation.kind === 'up' ? isolation : undefined;
}

const noTeam: CommandLine = () => Promise.reject(new UsageError('POLICY_DENIED', 'A subagent has no team.'));
