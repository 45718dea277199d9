/** `codex app-server`, in both directions: what a notification means, as steps, and what is requested of it. Pure. */
import { toldNumber } from '../../model/agent/usage.ts';
import * as z from 'zod';
import type { FailureClass, Sandbox } from '../../model/agent/agent.ts';
import type { CallAnswer } from '../agent-contract.ts';
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import { faultOf } from '../vendor-fault.ts';
import type { JsonObject } from './json-lines.ts';
import type { RpcHeard } from './json-rpc.ts';
import { tellStep, type PermissionAskedEvent, type AgentStep } from './agent-step.ts';

const tokens = toldNumber;
const errorInfo = z
  .union([z.string(), z.record(z.string(), z.unknown())])
  .nullish()
  .catch(undefined);
const turnError = z.object({ message: z.string(), codexErrorInfo: errorInfo });
export type CodexError = z.infer<typeof turnError>;

const change = z.object({
  path: z.string(),
  kind: z.object({ type: z.string(), move_path: z.string().nullish() }).optional().catch(undefined),
  diff: z.string().optional().catch(undefined),
});
const item = z.discriminatedUnion('type', [
  z.object({ type: z.literal('agentMessage'), id: z.string(), text: z.string() }),
  z.object({ type: z.literal('commandExecution'), id: z.string(), command: z.string() }),
  z.object({ type: z.literal('mcpToolCall'), id: z.string(), server: z.string(), tool: z.string() }),
  z.object({
    type: z.literal('fileChange'),
    id: z.string(),
    changes: z.array(change).catch([]),
  }),
  z.object({ type: z.literal('webSearch'), id: z.string(), query: z.string().catch('') }),
  z.object({ type: z.literal('contextCompaction'), id: z.string() }),
]);
type Item = z.infer<typeof item>;

const schemas = {
  item: z.object({ item }),
  usage: z.object({
    tokenUsage: z.object({
      last: z.object({
        inputTokens: tokens,
        cachedInputTokens: tokens,
        cacheWriteInputTokens: tokens.optional(),
        outputTokens: tokens,
      }),
    }),
  }),
  error: z.object({ error: turnError, willRetry: z.boolean().catch(false) }),
  completed: z.object({
    turn: z.object({ id: z.string(), status: z.string(), error: turnError.nullish().catch(undefined) }),
  }),
  thread: z.object({ thread: z.object({ id: z.string() }) }),
  turn: z.object({ turn: z.object({ id: z.string() }) }),
};

export const threadIn = (result: unknown): string | undefined => schemas.thread.safeParse(result).data?.thread.id;
export const turnIn = (result: unknown): string | undefined => schemas.turn.safeParse(result).data?.turn.id;

export interface Completed {
  readonly turn: string;
  readonly status: string;
  readonly error: CodexError | undefined;
}

export function completedIn({ method, params }: RpcHeard): Completed | undefined {
  const parsed = method === 'turn/completed' ? schemas.completed.safeParse(params) : undefined;
  if (!parsed?.success) return undefined;
  const { id, status, error } = parsed.data.turn;
  return { turn: id, status, error: error ?? undefined };
}

/** The text of an item, when the model wrote it. */
export function saidIn({ method, params }: RpcHeard): string | undefined {
  const parsed = method === 'item/completed' ? schemas.item.safeParse(params) : undefined;
  return parsed?.data?.item.type === 'agentMessage' ? parsed.data.item.text : undefined;
}

/** Of which turn a notification about used tokens is; null for an older Codex, which does not say it. */
export function usageTurnIn({ method, params }: RpcHeard): string | null | undefined {
  if (method !== 'thread/tokenUsage/updated') return undefined;
  return typeof params['turnId'] === 'string' ? params['turnId'] : null;
}

/** What a notification means in the middle of a turn. */
export function stepsOf({ method, params }: RpcHeard): AgentStep[] {
  switch (method) {
    case 'item/started':
    case 'item/completed': {
      const parsed = schemas.item.safeParse(params);
      return parsed.success ? itemSteps(parsed.data.item, method === 'item/started') : [];
    }
    case 'thread/tokenUsage/updated':
      return usageSteps(params);
    case 'error': {
      const parsed = schemas.error.safeParse(params);
      if (!parsed.success || !parsed.data.willRetry) return [];
      const { message } = parsed.data.error;
      return [tellStep({ type: 'retrying', why: faultIn(parsed.data.error), text: message.slice(0, 300) })];
    }
    default:
      return [];
  }
}

/** Codex found no network, and waits for one without a limit. */
export function isOffline({ method, params }: RpcHeard): boolean {
  const parsed = method === 'error' ? schemas.error.safeParse(params) : undefined;
  return parsed?.data?.willRetry === true && /waiting for network/i.test(parsed.data.error.message);
}

function itemSteps(one: Item, isStart: boolean): AgentStep[] {
  if (one.type === 'agentMessage') return isStart ? [] : [tellStep({ type: 'said', text: one.text })];
  if (one.type === 'contextCompaction')
    return isStart ? [] : [tellStep({ type: 'noted', text: 'Its conversation was compacted.' })];
  const busy: AgentStep = { do: 'busy', with: one.id, is: isStart };
  return isStart ? [busy, tellStep({ type: 'used', ...toolOf(one) })] : [busy];
}

const LINE = 200;

function toolOf(one: Exclude<Item, { type: 'agentMessage' | 'contextCompaction' }>): { tool: string; text: string } {
  switch (one.type) {
    case 'commandExecution':
      return { tool: 'shell', text: `shell ${(one.command.split('\n', 1)[0] ?? '').slice(0, LINE)}` };
    case 'mcpToolCall':
      return { tool: one.tool, text: `${one.server}.${one.tool}` };
    case 'fileChange':
      return {
        tool: 'apply_patch',
        text: `apply_patch ${one.changes.map(({ path }) => path).join(' ')}`.slice(0, LINE),
      };
    case 'webSearch':
      return { tool: 'web_search', text: `web_search ${one.query}`.slice(0, LINE) };
  }
}

function usageSteps(params: JsonObject): AgentStep[] {
  const parsed = schemas.usage.safeParse(params);
  if (!parsed.success) return [];
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteInputTokens = 0 } = parsed.data.tokenUsage.last;
  if (inputTokens === 0 && outputTokens === 0) return [];
  const cache = { cacheReadTokens: cachedInputTokens, cacheWriteTokens: cacheWriteInputTokens };
  return [tellStep({ type: 'usage', usage: { inputTokens, outputTokens, ...cache } })];
}

const CLASSES: ReadonlyMap<string, FailureClass> = new Map([
  ['contextWindowExceeded', 'overflow'],
  ['sessionBudgetExceeded', 'unauthorised'],
  ['usageLimitExceeded', 'unauthorised'],
  ['rateLimitExceeded', 'rate_limited'],
  ['serverOverloaded', 'rate_limited'],
  ['modelNotFound', 'not_installed'],
  ['unauthorized', 'unauthorised'],
  ['internalServerError', 'crashed'],
]);

/** The class of an error: by the status if there is one, else by Codex's own code, else by the text. */
function faultIn({ message, codexErrorInfo: info }: CodexError): FailureClass {
  const word = typeof info === 'string' ? info : Object.keys(info ?? {})[0];
  const detail = typeof info === 'object' && info !== null && word !== undefined ? info[word] : undefined;
  const status = z.object({ httpStatusCode: z.number() }).safeParse(detail).data?.httpStatusCode;
  if (status !== undefined) return faultOf({ text: message, status });
  const named = word === undefined ? undefined : CLASSES.get(word);
  if (named !== undefined) return named;
  if (word === 'badRequest') return faultOf({ text: message, status: 400 });
  const isNet = word === 'httpConnectionFailed' || word?.startsWith('responseStream') === true;
  return isNet && !/timeout|timed out/i.test(message) ? 'crashed' : faultOf({ text: message });
}

/** @param text the model's last text */
export function turnEnd({ status, error }: Completed, text: string): TurnEnd {
  if (status === 'completed') return { kind: 'answered', text };
  if (error === undefined)
    return { kind: 'failed', why: 'crashed', text, message: `Codex ended the turn as ${status}.` };
  return { kind: 'failed', why: faultIn(error), text, message: error.message.replace(/\s+/g, ' ').slice(0, 500) };
}

const approvalSchema = z.object({
  itemId: z.string().nullish(),
  command: z.string().nullish(),
  cwd: z.string().nullish(),
  grantRoot: z.string().nullish(),
  networkApprovalContext: z.unknown().optional(),
  additionalPermissions: z.unknown().optional(),
});

/** The files that a `fileChange` item is about to change, by the item's id. */
type Changed = Extract<Item, { type: 'fileChange' }>['changes'];
export type CodexChanges = ReadonlyMap<string, Changed>;

/** The changes of an item that begins. */
export function changesIn({ method, params }: RpcHeard): [id: string, changes: Changed] | undefined {
  const parsed = method === 'item/started' ? schemas.item.safeParse(params) : undefined;
  const item = parsed?.data?.item;
  return item?.type === 'fileChange' ? [item.id, item.changes] : undefined;
}

/**
 * A request to do more than its sandbox allows, or anything where a person is asked; `undefined` for every other message.
 *
 * @param begun what its items are about to change: the request itself does not say it
 */
export function approvalIn(
  { method, params }: RpcHeard,
  begun: CodexChanges,
): Omit<PermissionAskedEvent, 'type'> | undefined {
  const asked = approvalSchema.safeParse(params);
  if (!asked.success) return undefined;
  const { itemId, command, cwd, grantRoot, ...more } = asked.data;
  const wants = Object.entries(more).filter(([, value]) => value !== undefined && value !== null);
  const beside = wants.length > 0 ? [JSON.stringify(Object.fromEntries(wants))] : [];
  if (method === 'item/commandExecution/requestApproval')
    return {
      tool: `shell ${command ?? ''}`.slice(0, LINE),
      effect: 'runs',
      paths: typeof cwd === 'string' ? [cwd] : [],
      input: [command ?? '', ...beside].join('\n'),
    };
  if (method !== 'item/fileChange/requestApproval') return undefined;
  const changes = begun.get(itemId ?? '') ?? [];
  const changed = changes.flatMap(({ path, kind }) => [path, ...(kind?.move_path ? [kind.move_path] : [])]);
  const texts = changes.map(({ path, kind, diff = '' }) => {
    const to = kind?.move_path ? ` → ${kind.move_path}` : '';
    return `${kind?.type ?? 'change'} ${path}${to}\n${diff}`;
  });
  const granted = typeof grantRoot === 'string' ? [grantRoot] : [];
  const all = granted.map((root) => `and every later write below ${root}`);
  return {
    tool: 'apply_patch',
    effect: 'writes',
    paths: [...changed, ...granted],
    input: [...texts, ...all, ...beside].join('\n'),
  };
}

export const approval = (answer: CallAnswer): JsonObject => ({ decision: answer.ok ? 'accept' : 'decline' });

/** Codex's own sandbox policy for ours (docs/specification.md R7.6). */
export function sandboxPolicy(sandbox: Sandbox, mayReach: boolean): JsonObject {
  switch (sandbox) {
    case 'read-only':
      return { type: 'readOnly', networkAccess: false };
    case 'workspace-write':
      return {
        type: 'workspaceWrite',
        writableRoots: [],
        networkAccess: mayReach,
        excludeTmpdirEnvVar: false,
        excludeSlashTmp: false,
      };
    case 'full':
      return { type: 'dangerFullAccess' };
  }
}

export const textInput = (text: string): JsonObject[] => [{ type: 'text', text, text_elements: [] }];
