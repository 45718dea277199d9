/** The lead's tools: teams, teammates, subagents, skills. */
import { runningLimit } from '../../os/work-timer.ts';
import { ConflictError, StoreError, UsageError } from '../../model/text/errors.ts';
import type { ToolInputs } from '../../model/team/tool.ts';
import type { ToolOutputs } from '../../model/team/tool-output.ts';
import type { ToolResult } from './tool-answer.ts';
import type { ToolContext, ToolHandler, LeadToolContext } from './tool-context.ts';
import { teamOf } from './mail-tools.ts';
import type { SubagentEnd } from './subagents.ts';
import { reporting } from './wait-report.ts';

export function leadOf({ lead }: ToolContext): LeadToolContext {
  if (lead === undefined)
    throw new UsageError('POLICY_DENIED', 'This process does not lead a team; only `teams mcp` does.');
  return lead;
}

export const teamCreate: ToolHandler<'TeamCreate'> = async ({ description: about, ...input }, context) => {
  const { name: team, isolation } = await leadOf(context).create({ ...input, about });
  const trees = isolation === 'trees' ? ` ${HOW_WORK_LANDS}` : '';
  const text = `Team ${team} was created, and this process leads it. Task with team_name and name starts a teammate.${trees}`;
  return { text, data: { team, isolation } };
};

const HOW_WORK_LANDS =
  'Its members have trees of their own: give work that changes files as a task (TaskCreate), because only the change of a task lands. TeamDiff shows it, and TeamApply brings it into the files of the project. A subagent (Task without a name) only reads these files.';

export const teamDelete: ToolHandler<'TeamDelete'> = async ({ name, force = false }, context, call) => {
  const removal = leadOf(context).remove(name, force);
  const { stopped, completed, total } = await reporting(
    { report: call.progress, what: `team ${name} is being stopped` },
    removal,
  );
  const who = stopped.length === 0 ? 'No process had to be stopped.' : `Stopped: ${stopped.join(', ')}.`;
  return {
    text: `Team ${name} was put into the archive; ${completed} of ${total} tasks were completed. ${who}`,
    data: { team: name, stopped: [...stopped], completed, total },
  };
};

export const task: ToolHandler<'Task'> = async (input, context, { signal, progress }) => {
  const { prompt, subagent_type: role, team_name, name, run_in_background = false } = input;
  const lead = leadOf(context);
  if ((team_name === undefined) !== (name === undefined))
    throw new UsageError('USAGE', 'A teammate needs both team_name and name; a subagent has neither.');
  if (name !== undefined)
    return reporting({ report: progress, what: `${name} is being started` }, hire(input, name, context));
  const spec = await lead.agent(input.agent, input.model);
  const given = lead.subagentContext(spec, role);
  if (given.sandbox !== 'read-only') await lead.noteWriter(spec);
  const about = role === undefined ? 'a subagent' : `a subagent as ${role}`;
  const subagentTask = { about, spec, prompt, ...given };
  if (run_in_background) {
    const task_id = lead.subagents.start(subagentTask);
    return { text: `Started ${task_id}; TaskOutput collects its result.`, data: { kind: 'background', task_id } };
  }
  let line: string | undefined;
  const running = lead.subagents.run(subagentTask, signal, (last) => (line = last));
  const end = await reporting({ report: progress, what: 'the subagent works', line: () => line }, running);
  const { text, data } = resultOf(end, lead.untold());
  return { text, data: { kind: 'subagent', ...data } };
};

async function hire(
  { prompt, ...input }: ToolInputs['Task'],
  name: string,
  context: ToolContext,
): Promise<ToolResult<ToolOutputs['Task']>> {
  const { subagent_type: role, agent, model, plan_approval: planApproval = false } = input;
  const lead = leadOf(context);
  const team = teamOf(context, input.team_name);
  const who = { name, prompt, planApproval, agent: await lead.agent(agent, model) };
  const member = await lead.spawnMember({ ...who, role });
  return {
    text: `${member} works for team ${team.name}; the prompt is its first message. Write to it with SendMessage.`,
    data: { kind: 'teammate', name: member, team: team.name },
  };
}

export const taskOutput: ToolHandler<'TaskOutput'> = async ({ task_id, wait = 0 }, context, call) => {
  const { subagents } = leadOf(context);
  const enough = AbortSignal.any([call.signal, runningLimit(wait * 1_000)]);
  const output = subagents.output(task_id, wait === 0 ? AbortSignal.abort() : enough);
  const line = (): string | undefined => subagents.lineOf(task_id);
  const end = await reporting({ report: call.progress, what: `${task_id} works`, line }, output);
  if (end === undefined) return { text: `${task_id} still runs.`, data: { task_id, state: 'running' } };
  const { text, data } = resultOf(end, leadOf(context).untold());
  return { text, data: { task_id, state: 'answered', ...data } };
};

export const taskStop: ToolHandler<'TaskStop'> = async ({ task_id }, context) => {
  const end = await leadOf(context).subagents.stop(task_id);
  if (end.kind === 'aborted') return { text: `${task_id} was stopped.`, data: { task_id, state: 'stopped' } };
  const { text, data } = resultOf(end);
  return { text: `${task_id} had ended already.\n${text}`, data: { task_id, state: 'answered', ...data } };
};

export const skill: ToolHandler<'Skill'> = ({ name }, context) => {
  const skills = leadOf(context).skills();
  // Even the first line of a text that the user has not seen may be meant for the model.
  const list =
    skills.map((one) => `${one.name}: ${one.isTrusted ? one.about : 'not trusted'}`).join('\n') ||
    'There are no skills.';
  if (name === undefined)
    return Promise.resolve({
      text: list,
      data: {
        skills: skills.map((one) => ({
          name: one.name,
          ...(one.isTrusted ? { about: one.about } : {}),
          isTrusted: one.isTrusted,
        })),
      },
    });
  const wanted = skills.find((one) => one.name === name);
  if (wanted === undefined) throw new UsageError('USAGE', `There is no skill ${JSON.stringify(name)}. ${list}`);
  const { text } = wanted;
  if (wanted.isTrusted) return Promise.resolve({ text, data: { name, text } });
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
function resultOf(
  end: SubagentEnd,
  untold: readonly string[] = [],
): ToolResult<{ result: string; notEnforced?: string[] }> {
  const notes = untold.map((text) => `\n\nNot enforced: ${text}.`).join('');
  if (end.kind === 'answered')
    return {
      text: `${end.text || 'The subagent answered nothing.'}${notes}`,
      data: { result: end.text, ...(untold.length === 0 ? {} : { notEnforced: [...untold] }) },
    };
  const what = end.kind === 'failed' ? `failed: ${end.message}` : 'was stopped';
  throw new ConflictError(
    'REFUSED',
    `The subagent ${what}.${end.kind === 'failed' && end.text ? `\n${end.text}` : ''}${notes}`,
  );
}
