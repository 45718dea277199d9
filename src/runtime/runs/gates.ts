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
import type { Gate } from '../../model/team/team-config.ts';
import { detectCommand } from '../../store/workspace/detect-command.ts';
import { LEAD } from '../../model/text/names.ts';
import { runTurn } from '../agents/run-turn.ts';
import { MemberOutput } from '../views/member-output.ts';
import type { RunSession } from './session.ts';
import { cwdOf } from '../../store/team/team-reader.ts';

const NAMES = ['build', 'test', 'lint'] as const;

/** Runs the gates that the plan asks for, one after the other; a gate passes, fails or is skipped. */
export async function runGates(
  plan: Plan,
  session: Pick<RunSession, 'store' | 'children' | 'gates'>,
  signal: AbortSignal = new AbortController().signal,
): Promise<Gate[]> {
  const gates: Gate[] = [];
  for (const name of NAMES) {
    const asked = plan.gates[name];
    // A gate that the user has switched off is not reported, not even as skipped.
    if (asked !== undefined && !(asked === 'detect' && session.gates[name] === false))
      gates.push(await runGate(name, asked, plan, session, signal));
  }
  return gates;
}

async function runGate(
  name: (typeof NAMES)[number],
  asked: GateSetting,
  plan: Plan,
  { store, children, gates }: Pick<RunSession, 'store' | 'children' | 'gates'>,
  signal: AbortSignal,
): Promise<Gate> {
  const cwd = cwdOf(store);
  const configured = typeof gates[name] === 'boolean' ? undefined : gates[name];
  const command = asked === 'detect' ? (configured ?? detectCommand(store.disk, cwd, name)) : asked.run;
  if (command === undefined)
    return { name, result: 'skipped', notes: `no ${name} command was found in ${cwd}, and none is configured` };
  const output = new MemberOutput(store, LEAD);
  try {
    const environment = { parent: process.env, envPass: plan.envPass };
    const call = () => Promise.resolve({ ok: false as const, why: 'a gate calls no tools' });
    const end = await children.run((marker) => {
      const marked = marker.mark(argvOf(command));
      const env = childEnvironment('exec', { ...environment, add: marked.env });
      const request = { argv: marked.argv, env, cwd, signal, timeoutMs: DEFAULT_TASK_TIMEOUT_MS };
      return runTurn(runCommand(request), { output, call, sandbox: 'full' }, signal);
    });
    const shown = typeof command === 'string' ? command : command.join(' ');
    if (end.kind === 'answered') return { name, result: 'pass', notes: shown };
    output.recordFailure({ gate: name });
    return { name, result: 'fail', notes: `${shown}: ${end.kind === 'failed' ? end.message : 'stopped'}` };
  } finally {
    output.end();
    output.close();
  }
}
