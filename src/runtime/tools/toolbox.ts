/**
 * Executes tool calls: parse → rule → handler → answer. A refusal is an answer that a model can act on and begins with
 * its code; only a bug throws.
 */
import { isTeamError } from '../../model/text/errors.ts';
import type { Checked } from '../../model/text/document-problem.ts';
import {
  isToolName,
  isWorkspaceTool,
  parseToolInput,
  TOOL_NAMES,
  type TeamTool,
  type ToolInputs,
  type ToolName,
} from '../../model/team/tool.ts';
import { mayCall } from '../../policy/sandbox/tool-rules.ts';
import type { ToolAnswer } from './tool-answer.ts';
import type { ToolCall, ToolContext, ToolHandler } from './tool-context.ts';
import { skill, task, taskOutput, taskStop, teamCreate, teamDelete } from './lead-tools.ts';
import { announcement, checkInbox, sendMessage } from './mail-tools.ts';
import { taskCreate, taskGet, taskList, taskUpdate } from './task-tools.ts';
import { taskReview, teamApply, teamDiff } from './tree-tools.ts';

const handlers: { readonly [T in TeamTool]: ToolHandler<T> } = {
  SendMessage: sendMessage,
  CheckInbox: checkInbox,
  TaskCreate: taskCreate,
  TaskGet: taskGet,
  TaskUpdate: taskUpdate,
  TaskList: taskList,
  TaskReview: taskReview,
  TeamCreate: teamCreate,
  TeamDelete: teamDelete,
  TeamDiff: teamDiff,
  TeamApply: teamApply,
  Task: task,
  TaskOutput: taskOutput,
  TaskStop: taskStop,
  Skill: skill,
};

/** The tools that a context offers now. */
export function toolsOf({ side, workspace }: Pick<ToolContext, 'side' | 'workspace'>): ToolName[] {
  const here = new Set<ToolName>(workspace?.tools());
  return TOOL_NAMES.filter((tool) => mayCall(side, tool) === undefined && (!isWorkspaceTool(tool) || here.has(tool)));
}

/**
 * Executes one call.
 *
 * @param input as it came; it is parsed here
 */
export async function useTool(context: ToolContext, tool: string, input: unknown, call: ToolCall): Promise<ToolAnswer> {
  if (!isToolName(tool) || (isWorkspaceTool(tool) && context.workspace === undefined))
    return refusal('USAGE', `There is no tool ${tool}; there are: ${toolsOf(context).join(', ')}.`);
  const denied = mayCall(context.side, tool);
  if (denied) return refusal('POLICY_DENIED', denied.why);
  const answer = await answerTo(tool, input, context, { isolate: context.isolate, ...call });
  const news = tool === 'CheckInbox' ? '' : await announcement(context.mail);
  if (news === '') return answer;
  if (!answer.ok) return { ok: false, why: `${answer.why}\n\n${news}` };
  return { ...answer, text: `${answer.text}\n\n${news}`, data: { ...answer.data, notice: news } };
}

async function answerTo(tool: ToolName, input: unknown, context: ToolContext, call: ToolCall): Promise<ToolAnswer> {
  if (!isWorkspaceTool(tool)) return carryOut(tool, parseToolInput(tool, input), context, call);
  return context.workspace?.call(tool, input, call) ?? refusal('USAGE', `There is no tool ${tool} here.`);
}

async function carryOut<T extends TeamTool>(
  tool: T,
  parsed: Checked<ToolInputs[T]>,
  context: ToolContext,
  call: ToolCall,
): Promise<ToolAnswer> {
  if (!parsed.ok) return refusal('USAGE', parsed.problems.map(({ text }) => text).join(' '));
  try {
    return { ok: true, ...(await handlers[tool](parsed.value, context, call)) };
  } catch (error) {
    if (!isTeamError(error)) throw error;
    return refusal(error.code, error.message);
  }
}

const refusal = (code: string, sentence: string): ToolAnswer => ({ ok: false, why: `${code}: ${sentence}` });
