/** Events of a team as the tool calls that an editor shows. Pure. */
import type { ToolCall, ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk';
import { safeLine, safeText, type ChangedText, type Task } from '../../app.ts';

const LINE = 200;

/** What an agent's tool does, by the name that the agent gives it. */
const KINDS: readonly (readonly [RegExp, ToolKind])[] = [
  [/^(?:bash|shell|exec|execute|run|terminal)/i, 'execute'],
  [/^(?:write|edit|multiedit|notebookedit|apply_patch|patch|create)/i, 'edit'],
  [/^(?:delete|remove)/i, 'delete'],
  [/^move/i, 'move'],
  [/^(?:read|view|open|ls|list)/i, 'read'],
  [/^(?:grep|glob|search|find)/i, 'search'],
  [/^(?:web|fetch)/i, 'fetch'],
  [/^(?:think|plan|todo)/i, 'think'],
];

/** @param text `Write: in.txt`, the tool before the colon */
const kindOf = (text: string): ToolKind => KINDS.find(([pattern]) => pattern.test(text))?.[1] ?? 'other';

/** A call that an agent of a member made; it is told when it begins, and its end is not told. */
export const actedCall = (toolCallId: string, member: string, text: string): ToolCall => ({
  toolCallId,
  title: titled(member, text),
  kind: kindOf(text),
  status: 'completed',
});

/** A call that was refused, with the reason. */
export const deniedCall = (toolCallId: string, member: string, why: string): ToolCall => ({
  toolCallId,
  title: titled(member, 'refused'),
  kind: 'other',
  status: 'failed',
  content: [textContent(why)],
});

/** The attempt of a member at a task. */
export const attemptCall = (toolCallId: string, task: Task, cwd: string, member: string): ToolCall => ({
  toolCallId,
  title: titled(member, `#${task.id} ${task.subject}`),
  kind: 'other',
  status: 'in_progress',
  locations: locationsOf(task, cwd),
});

const titled = (member: string, what: string): string => safeLine(`${member}: ${what}`).slice(0, LINE);

/** The files that it names, without patterns. */
const locationsOf = ({ work }: Task, cwd: string): ToolCallLocation[] =>
  work.files.flatMap((file) =>
    /[*?[\]{}!]/.test(file) ? [] : [{ path: file.startsWith('/') ? file : `${cwd}/${file}` }],
  );

export const textContent = (text: string): ToolCallContent => ({
  type: 'content',
  content: { type: 'text', text: safeText(text) },
});

/** The protocol has no word for a file that is gone: its new text is empty. */
export const diffContent = ({ path, before, after }: ChangedText): ToolCallContent => ({
  type: 'diff',
  path,
  oldText: before ?? null,
  newText: after ?? '',
});
