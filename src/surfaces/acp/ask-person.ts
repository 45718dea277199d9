/**
 * Asks the person at the editor. What is asked is shown as a tool call, since the protocol asks for permission of those:
 * a decision has two options; a question gets its words by a form where the editor shows forms, else by the next prompt.
 */
import type { AgentContext, PermissionOption, ToolCall, ToolCallContent } from '@agentclientprotocol/sdk';
import { longestRun, newId, realClock, safeLine, safeText } from '../../app.ts';
import type { PersonQuestion } from '../person/waiting-questions.ts';
import type { TellEditor } from './show-team.ts';

export interface AskedEditor {
  readonly editor: AgentContext;
  readonly sessionId: string;
  /** Whether it shows forms (elicitation). */
  readonly showsForms: boolean;
  readonly tell: TellEditor;
}

/** What the person did: answered, or left it to the next prompt. */
type PersonAnswer = { readonly do: 'answer'; readonly content: unknown } | { readonly do: 'leave' };

interface Choice {
  readonly option: PermissionOption;
  readonly means: PersonAnswer;
}

const choice = (id: string, name: string, kind: PermissionOption['kind'], means: PersonAnswer): Choice => ({
  option: { optionId: id, name, kind },
  means,
});

const decision = (yes: string, no: string): Choice[] => [
  choice('allow', yes, 'allow_once', { do: 'answer', content: { approve: true } }),
  choice('reject', no, 'reject_once', { do: 'answer', content: { approve: false } }),
];

const DECIDE_YOURSELF = 'Decide by yourself, and state your assumptions in your result.';

const CHOICES: Readonly<Record<PersonQuestion['kind'], readonly Choice[]>> = {
  question: [
    choice('decide', 'Decide yourself', 'allow_once', { do: 'answer', content: { answer: DECIDE_YOURSELF } }),
    choice('leave', 'I answer with my next message', 'reject_once', { do: 'leave' }),
  ],
  plan: decision('Approve the plan', 'Refuse the plan'),
  consensus: decision('Accept the result', 'Have it done again'),
  review: decision('Let it land', 'Send it back'),
  checkpoint: decision('Go on', 'Stop here'),
  permission: [
    choice('allow', 'Allow once', 'allow_once', { do: 'answer', content: { answer: 'yes' } }),
    choice('always', 'Allow this call always', 'allow_always', { do: 'answer', content: { answer: 'always' } }),
    choice('tool', 'Allow this tool always', 'allow_always', { do: 'answer', content: { answer: 'always tool' } }),
    choice('reject', 'Refuse', 'reject_once', { do: 'answer', content: { answer: 'no' } }),
  ],
};

/** Whether the person agrees to the division of the work. */
export async function agreesTo(asked: AskedEditor, plan: string, stop: AbortSignal): Promise<boolean> {
  const call = { id: newId(realClock.now()), title: 'Start this team?', text: fenced(plan) };
  let isAllowed = false;
  try {
    isAllowed = (await choose(asked, call, decision('Start', 'Do not start'), stop))?.option.optionId === 'allow';
    return isAllowed;
  } finally {
    await ended(asked, call.id, isAllowed);
  }
}

/**
 * Asks for what a team waits for.
 *
 * @param stop aborts when it was answered elsewhere, or the prompt was cancelled
 * @param carryOut carries an answer out; returns why it could not be
 */
export async function askQuestion(
  asked: AskedEditor,
  question: PersonQuestion,
  stop: AbortSignal,
  carryOut: (content: unknown) => Promise<string | undefined>,
): Promise<'left' | 'over'> {
  const { kind, message } = question;
  const [title = ''] = message.split('\n', 1);
  const text = kind === 'question' ? message : `${title}\n${fenced(message.slice(title.length).trim())}`;
  const call = { id: newId(realClock.now()), title: safeLine(title), text };
  let isAnswered = false;
  try {
    const answer =
      question.kind === 'question' && asked.showsForms
        ? await fill(asked, call, question, stop)
        : (await choose(asked, call, CHOICES[question.kind], stop))?.means;
    if (answer === undefined) return 'over';
    if (answer.do === 'leave') return 'left';
    const problem = await carryOut(answer.content);
    if (problem !== undefined) await remark(asked, `Answered in vain: ${problem}\n`);
    isAnswered = problem === undefined;
    return 'over';
  } finally {
    await ended(asked, call.id, isAnswered);
  }
}

interface ShownCall {
  readonly id: string;
  readonly title: string;
  /** Markdown. */
  readonly text: string;
}

async function choose(
  asked: AskedEditor,
  call: ShownCall,
  choices: readonly Choice[],
  stop: AbortSignal,
): Promise<Choice | undefined> {
  const { editor, sessionId } = asked;
  const toolCall = await begun(asked, call);
  const { outcome } = await editor.request(
    'session/request_permission',
    { sessionId, toolCall, options: choices.map(({ option }) => option) },
    { cancellationSignal: stop, stopWaitingOnCancel: true },
  );
  return choices.find(({ option }) => outcome.outcome === 'selected' && option.optionId === outcome.optionId);
}

/** A form that is declined leaves the question to the next prompt. */
async function fill(
  asked: AskedEditor,
  call: ShownCall,
  { message, form }: PersonQuestion,
  stop: AbortSignal,
): Promise<PersonAnswer> {
  const { editor, sessionId } = asked;
  await begun(asked, call);
  const end = await editor.request(
    'elicitation/create',
    { mode: 'form', sessionId, toolCallId: call.id, message, requestedSchema: form },
    { cancellationSignal: stop, stopWaitingOnCancel: true },
  );
  return end.action === 'accept' && 'content' in end ? { do: 'answer', content: end.content } : { do: 'leave' };
}

async function begun({ tell }: AskedEditor, { id, title, text }: ShownCall): Promise<ToolCall> {
  const content: ToolCallContent[] = [{ type: 'content', content: { type: 'text', text } }];
  const toolCall: ToolCall = { toolCallId: id, title, kind: 'other', status: 'pending', content };
  await tell({ sessionUpdate: 'tool_call', ...toolCall });
  return toolCall;
}

const ended = ({ tell }: AskedEditor, toolCallId: string, isDone: boolean): Promise<void> =>
  tell({ sessionUpdate: 'tool_call_update', toolCallId, status: isDone ? 'completed' : 'failed' });

const remark = ({ tell }: AskedEditor, text: string): Promise<void> =>
  tell({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } });

/**
 * A text that an editor shows as it is. Plans and reports have columns; and a comment or a link of Markdown in what a
 * person decides on would not be seen.
 */
export function fenced(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}\n${safeText(text).trimEnd()}\n${fence}\n`;
}
