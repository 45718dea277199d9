/** The lead's tools: teams, teammates, subagents, skills. */
import { runningLimit } from '../../os/work-timer.ts';
import { ConflictError, StoreError, UsageError } from '../../model/text/errors.ts';
import type { ToolInputs } from '../../model/team/tool.ts';
import type { ToolContext, ToolHandler, LeadToolContext } from './tool-context.ts';
import { teamOf } from './mail-tools.ts';
import type { SubagentEnd } from './subagents.ts';

/** Milliseconds between two progress messages of a wait. */
const PROGRESS_MS = 5_000;

function leadOf({ lead }: ToolContext): LeadToolContext {
  if (lead === undefined)
    throw new UsageError('POLICY_DENIED', 'This process does not lead a team; only `teams mcp` does.');
  return lead;
}

export const teamCreate: ToolHandler<ToolInputs['TeamCreate']> = async ({ name, profile, description }, context) => {
  const team = await leadOf(context).create(name, profile, description);
  return `Team ${team} was created, and this process leads it. Task with team_name and name starts a teammate.`;
};

export const teamDelete: ToolHandler<ToolInputs['TeamDelete']> = async ({ name, force = false }, context, call) => {
  const removal = leadOf(context).remove(name, force);
  const { stopped, completed, total } = await reporting(call.progress, `team ${name} is being stopped`, removal);
  const who = stopped.length === 0 ? 'No process had to be stopped.' : `Stopped: ${stopped.join(', ')}.`;
  return `Team ${name} was put into the archive; ${completed} of ${total} tasks were completed. ${who}`;
};

export const task: ToolHandler<ToolInputs['Task']> = async (input, context, { signal, progress }) => {
  const { prompt, subagent_type: role, team_name, name, run_in_background = false } = input;
  const lead = leadOf(context);
  if ((team_name === undefined) !== (name === undefined))
    throw new UsageError('USAGE', 'A teammate needs both team_name and name; a subagent has neither.');
  if (name !== undefined) return reporting(progress, `${name} is being started`, hire(input, name, context));
  const spec = await lead.agent(input.agent, input.model);
  const about = role === undefined ? 'a subagent' : `a subagent as ${role}`;
  const subagentTask = { about, spec, prompt, ...lead.subagentContext(spec, role) };
  if (run_in_background) return `Started ${lead.subagents.start(subagentTask)}; TaskOutput collects its result.`;
  const end = await reporting(progress, 'the subagent works', lead.subagents.run(subagentTask, signal));
  return resultOf(end, lead.untold());
};

async function hire({ prompt, ...input }: ToolInputs['Task'], name: string, context: ToolContext): Promise<string> {
  const { subagent_type: role, agent, model, plan_approval: planApproval = false } = input;
  const lead = leadOf(context);
  const team = teamOf(context, input.team_name);
  const who = { name, prompt, planApproval, agent: await lead.agent(agent, model) };
  const member = await lead.spawnMember({ ...who, role });
  return `${member} works for team ${team.name}; the prompt is its first message. Write to it with SendMessage.`;
}

export const taskOutput: ToolHandler<ToolInputs['TaskOutput']> = async ({ task_id, wait = 0 }, context, call) => {
  const { subagents } = leadOf(context);
  const enough = AbortSignal.any([call.signal, runningLimit(wait * 1_000)]);
  const output = subagents.output(task_id, wait === 0 ? AbortSignal.abort() : enough);
  const end = await reporting(call.progress, `${task_id} works`, output);
  return end === undefined ? `${task_id} still runs.` : resultOf(end, leadOf(context).untold());
};

export const taskStop: ToolHandler<ToolInputs['TaskStop']> = async ({ task_id }, context) => {
  const end = await leadOf(context).subagents.stop(task_id);
  return end.kind === 'aborted' ? `${task_id} was stopped.` : `${task_id} had ended already.\n${resultOf(end)}`;
};

export const skill: ToolHandler<ToolInputs['Skill']> = ({ name }, context) => {
  const skills = leadOf(context).skills();
  // Even the first line of a text that the user has not seen may be meant for the model.
  const list =
    skills.map((one) => `${one.name}: ${one.isTrusted ? one.about : 'not trusted'}`).join('\n') ||
    'There are no skills.';
  if (name === undefined) return Promise.resolve(list);
  const wanted = skills.find((one) => one.name === name);
  if (wanted === undefined) throw new UsageError('USAGE', `There is no skill ${JSON.stringify(name)}. ${list}`);
  if (wanted.isTrusted) return Promise.resolve(wanted.text);
  throw new StoreError(
    'UNTRUSTED',
    `${wanted.file} is not trusted to say what agents do: look at it, then run \`teams doctor --trust\`.`,
    { path: wanted.file },
  );
};

/**
 * The answer of a subagent; its failure is an error for the caller.
 *
 * @param untold sandboxes that were not enforced, and that no team keeps
 */
function resultOf(end: SubagentEnd, untold: readonly string[] = []): string {
  const notes = untold.map((text) => `\n\nNot enforced: ${text}.`).join('');
  if (end.kind === 'answered') return `${end.text || 'The subagent answered nothing.'}${notes}`;
  const what = end.kind === 'failed' ? `failed: ${end.message}` : 'was stopped';
  throw new ConflictError(
    'REFUSED',
    `The subagent ${what}.${end.kind === 'failed' && end.text ? `\n${end.text}` : ''}${notes}`,
  );
}

/** Reports progress at once and then every {@link PROGRESS_MS} while it waits. */
async function reporting<T>(progress: (text: string) => void, what: string, wait: Promise<T>): Promise<T> {
  progress(what);
  const timer = setInterval(() => progress(what), PROGRESS_MS);
  try {
    return await wait;
  } finally {
    clearInterval(timer);
  }
}
