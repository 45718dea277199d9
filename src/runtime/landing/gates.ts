/**
 * Runs the gates of a plan after the work. The command of a gate comes from the plan, the configuration, or the
 * project's files.
 */
import process from 'node:process';
import { childEnvironment } from '../../agents/agent-registry.ts';
import { runCommand } from '../../agents/programs/exec.ts';
import { argvOf } from '../../model/agent/agent.ts';
import { DEFAULT_TASK_TIMEOUT_MS } from '../../model/board/task.ts';
import type { GateSetting, Plan } from '../../model/plan/plan.ts';
import { isTeamError } from '../../model/text/errors.ts';
import { notEnforcedEvent } from '../../model/team/not-enforced.ts';
import type { Gate } from '../../model/run/run-state.ts';
import { detectCommand } from '../../store/workspace/detect-command.ts';
import { LEAD } from '../../model/text/names.ts';
import { JUDGED_HINT, openJudging, type Judging } from '../isolation/judging-isolation.ts';
import { runTurn } from '../agents/run-turn.ts';
import { MemberOutput } from '../agents/member-output.ts';
import type { Config } from '../../model/config/config.ts';
import type { Lend } from '../../model/team/lend.ts';
import type { IsolationSetting } from '../../policy/sandbox/shell-isolation.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import type { ShownTree } from '../../policy/sandbox/lent-path.ts';
import type { LeadChildren } from '../lead/lead-children.ts';

/** What a plan says of gates. */
export type GatedPlan = Pick<Plan, 'gates' | 'envPass'>;

const NAMES = ['build', 'test', 'lint'] as const;

/** Nothing is judged. */
export const UNGATED: GatedPlan = { gates: { crossVerify: false }, envPass: [] };

/** For a team that was made without a plan: the gates that the configuration has. */
export const configuredGates = ({ gates }: Pick<GateSession, 'gates'>): GatedPlan => ({
  ...UNGATED,
  gates: {
    ...UNGATED.gates,
    ...Object.fromEntries(NAMES.flatMap((name) => ((gates[name] ?? false) === false ? [] : [[name, 'detect']]))),
  },
});

/** What gates need of a lead's session. */
export interface GateSession {
  readonly store: TeamStore;
  readonly children: LeadChildren;
  /** Commands by gate; they take precedence over those that are detected in the project. */
  readonly gates: Partial<Config['gates']>;
  readonly isolation: IsolationSetting;
  readonly lend: Lend | undefined;
  /** What they judge is a tree, which is shown elsewhere. */
  readonly shown?: ShownTree | undefined;
}

/**
 * Runs the gates that the plan asks for, one after the other; a gate passes, fails or is skipped.
 *
 * @param cwd the directory that they judge
 */
export async function runGates(
  plan: GatedPlan,
  session: GateSession,
  cwd: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<Gate[]> {
  const gates: Gate[] = [];
  for (const name of NAMES) {
    const asked = plan.gates[name];
    // A gate that the user has switched off is not reported, not even as skipped.
    if (asked !== undefined && !(asked === 'detect' && session.gates[name] === false))
      gates.push(await runGate({ name, asked, cwd }, plan, session, signal));
  }
  return gates;
}

interface AskedGate {
  readonly name: (typeof NAMES)[number];
  readonly asked: GateSetting;
  readonly cwd: string;
}

async function runGate(
  { name, asked, cwd }: AskedGate,
  plan: GatedPlan,
  session: GateSession,
  signal: AbortSignal,
): Promise<Gate> {
  const { store, children, gates } = session;
  const configured = typeof gates[name] === 'boolean' ? undefined : gates[name];
  const command = asked === 'detect' ? (configured ?? detectCommand(store.disk, cwd, name)) : asked.run;
  if (command === undefined)
    return { name, result: 'skipped', notes: `no ${name} command was found in ${cwd}, and none is configured` };
  const judging = await judgingOf(`gate ${name}`, cwd, session);
  if (typeof judging === 'string') return { name, result: 'fail', notes: judging };
  const output = new MemberOutput(store, LEAD);
  try {
    const environment = { parent: process.env, envPass: plan.envPass };
    const call = () => Promise.resolve({ ok: false as const, why: 'a gate calls no tools' });
    const end = await children.run((marker) => {
      const judged = judging.wrap({ argv: argvOf(command), env: childEnvironment('exec', environment) });
      const marked = marker.mark(judged.argv);
      const request = {
        argv: marked.argv,
        env: { ...judged.env, ...marked.env },
        cwd,
        signal,
        timeoutMs: DEFAULT_TASK_TIMEOUT_MS,
      };
      return runTurn(runCommand(request), { output, call, sandbox: 'full' }, signal);
    });
    const shown = typeof command === 'string' ? command : command.join(' ');
    if (end.kind === 'answered') return { name, result: 'pass', notes: shown };
    output.recordFailure({ gate: name });
    const hint = judging.isIsolated && end.kind === 'failed' ? ` (${JUDGED_HINT})` : '';
    return { name, result: 'fail', notes: `${shown}: ${end.kind === 'failed' ? end.message : 'stopped'}${hint}` };
  } finally {
    output.end();
    output.close();
  }
}

/** @returns why commands of the lead cannot run there, if isolation is required and does not work */
export async function judgingOf(
  what: string,
  cwd: string,
  { store, gates, lend, isolation: setting, shown }: GateSession,
): Promise<Judging | string> {
  const { sandbox = 'auto', network = false } = gates;
  try {
    const judging = await openJudging({
      what,
      config: store.config.readOwn(),
      cwd,
      shown,
      environment: process.env,
      rules: { setting, sandbox, network },
      lend,
      team: [store.paths.folder, store.paths.board],
    });
    if (judging.notEnforced !== undefined) store.events.append(notEnforcedEvent(judging.notEnforced));
    return judging;
  } catch (error) {
    if (!isTeamError(error)) throw error;
    return error.message;
  }
}
