/** A plan as text for people: the output of `validate` and `run --dry-run`. */
import { lendText } from '../team/lend.ts';
import type { AgentSpec, Command } from '../agent/agent.ts';
import { formatDuration } from '../text/duration.ts';
import type { GateSetting, Plan, PlanMember, PlanTask } from './plan.ts';

/**
 * Plain text, a few lines for each part, without a final newline. Environment values are never shown.
 *
 * @param expected lines about what the run adds and costs
 */
export function describePlan(plan: Plan, expected: readonly string[] = []): string {
  return [
    `Plan ${plan.name} (${plan.profile}): ${count(plan.members, 'member')}, ${count(plan.tasks, 'task')}`,
    ...(plan.cwd === undefined ? [] : [`  working directory: ${plan.cwd}`]),
    '',
    'Members',
    ...plan.members.map(describeMember),
    '',
    'Tasks',
    ...plan.tasks.flatMap((task, at) => describeTask(task, at, plan)),
    '',
    `Gates: ${describeGates(plan)}`,
    `Cascade: ${plan.cascade ? 'on' : 'off'}`,
    ...expected,
    ...(plan.lead === undefined ? [] : [`Lead: ${describeAgent(plan.lead)}`]),
    ...(plan.sharedFiles.length === 0 ? [] : [`Shared files: ${plan.sharedFiles.join(', ')}`]),
    ...(plan.lend === undefined ? [] : [`Lent to isolated programs: ${lendText(plan.lend)}`]),
    ...describeTrees(plan),
    ...(plan.envPass.length === 0 ? [] : [`Environment passed on: ${plan.envPass.join(', ')}`]),
  ].join('\n');
}

function describeTrees({ trees }: Plan): string[] {
  const { lend = [], setup = [], teardown = [] } = trees ?? {};
  return [
    ...(lend.length === 0 ? [] : [`Lent to trees: ${lend.join(', ')}`]),
    ...(setup.length === 0 ? [] : [`Setup of a tree: ${setup.join('; ')}`]),
    ...(teardown.length === 0 ? [] : [`Teardown of a tree: ${teardown.join('; ')}`]),
  ];
}

const count = (list: readonly unknown[], noun: string): string =>
  `${list.length} ${noun}${list.length === 1 ? '' : 's'}`;

function describeMember({ name, role, agent, sandbox, env, planApproval, approvals, where }: PlanMember): string {
  const notes = [
    agent === undefined ? 'default agent' : describeAgent(agent),
    ...(sandbox === undefined ? [] : [sandbox]),
    ...(planApproval ? ['plan approval'] : []),
    ...(where === undefined ? [] : [`on a host with ${where.join(', ')}`]),
    ...(approvals === 'ask' ? ['asks you before it acts'] : []),
    ...(Object.keys(env).length === 0 ? [] : [`sets ${Object.keys(env).join(', ')}`]),
  ];
  return `  ${name} (${role}): ${notes.join(', ')}`;
}

/** An agent in a few words: its kind and everything that differs from the plain kind. */
function describeAgent({ kind, model, tier, command, args, baseUrl }: AgentSpec): string {
  return [
    kind,
    ...(model === undefined ? [] : [model]),
    ...(tier === undefined ? [] : [`tier ${tier}`]),
    ...(command === undefined ? [] : [describeCommand([...command, ...(args ?? [])])]),
    ...(baseUrl === undefined ? [] : [`at ${baseUrl}`]),
  ].join(' ');
}

function describeTask(
  { key, subject, owner, role, blockedBy, work, retries, required }: PlanTask,
  at: number,
  plan: Plan,
): string[] {
  const names = plan.members.filter(
    (member) => (owner ?? member.name) === member.name && (role ?? member.role) === member.role,
  );
  const routes = owner ?? (role === undefined ? 'any member' : `any ${role}`);
  const facts = [
    `by ${routes}${owner === undefined ? ` (${names.map(({ name }) => name).join(', ')})` : ''}`,
    ...(blockedBy.length === 0 ? [] : [`after ${blockedBy.map((blocker) => `#${blocker + 1}`).join(', ')}`]),
    ...(work.timeoutMs === undefined ? [] : [`timeout ${formatDuration(work.timeoutMs)}`]),
    ...(retries === 0 ? [] : [`retries ${retries}`]),
    ...(required ? [] : ['not required']),
  ];
  return [
    `  #${at + 1} ${subject}${key === undefined ? '' : ` [${key}]`}`,
    `     ${facts.join(' · ')}`,
    ...(work.run === undefined ? [] : [`     run: ${describeCommand(work.run)}`]),
    ...work.verify.map((command) => `     verify: ${describeCommand(command)}`),
    ...(work.files.length === 0 ? [] : [`     files: ${work.files.join(', ')}`]),
    ...(work.artifact === undefined ? [] : [`     artifact: ${work.artifact}`]),
  ];
}

function describeGates({ gates }: Plan): string {
  const asked = [
    ...(gates.ownership ? ['ownership of files'] : []),
    ...describeGate('build', gates.build),
    ...describeGate('test', gates.test),
    ...describeGate('lint', gates.lint),
    ...(gates.crossVerify ? ['cross-verification'] : []),
  ];
  return asked.join(' · ') || 'none';
}

const describeGate = (name: string, gate: GateSetting | undefined): string[] =>
  gate === undefined ? [] : [`${name} (${gate === 'detect' ? 'configured or detected' : describeCommand(gate.run)})`];

/** A command on one line; escaped if it has several lines or characters that could disturb a terminal. */
function describeCommand(command: Command): string {
  const [shell, flag, text, ...rest] = typeof command === 'string' ? ['/bin/sh', '-c', command] : command;
  const isText = shell === '/bin/sh' && flag === '-c' && text !== undefined && rest.length === 0;
  return isText && !/[^\x20-\x7e]/.test(text) ? text : JSON.stringify(isText ? text : command);
}
