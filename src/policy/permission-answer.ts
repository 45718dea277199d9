/** What a person may answer to a permission: `yes`, `no`, with a reason, `always`, or `always tool`. Pure. */
import type { OpenRequest, Request } from '../model/board/request.ts';
import type { AllowedAlways } from '../model/team/team-config.ts';

interface PermissionAnswer {
  readonly approve: boolean;
  /** It holds from now on: for exactly this call, or for every call of the tool. */
  readonly always?: 'call' | 'tool';
  /** What the agent is told. */
  readonly note: string;
}

export const PERMISSION_WORDS = 'yes, no REASON, always (this call again), or always tool (every call of this tool)';

const WORDS =
  /^(?:(?<yes>y|yes|allow)|(?<no>n|no|deny|refuse)|(?<always>always)(?<tool> tool)?)(?:[\s,:;.]+(?<note>[^]*))?$/i;

/** @returns undefined for other words */
export function parsePermissionAnswer(text: string): PermissionAnswer | undefined {
  const said = WORDS.exec(text.trim())?.groups;
  if (said === undefined) return undefined;
  const note = said['note']?.trim() ?? '';
  if (said['no'] !== undefined) return { approve: false, note };
  if (said['yes'] !== undefined) return { approve: true, note };
  return { approve: true, always: said['tool'] === undefined ? 'call' : 'tool', note };
}

/** The permission for always that covers a call. */
export const allowedBy = (
  allowed: readonly AllowedAlways[],
  { tool, hash }: { readonly tool: string; readonly hash: string },
): AllowedAlways | undefined =>
  allowed.find((one) => one.tool === tool && (one.hash === undefined || one.hash === hash));

/** What `always` adds. */
export const allowedFor = (
  { tool = '', hash, text }: Pick<OpenRequest, 'tool' | 'hash' | 'text'>,
  always: 'call' | 'tool',
  at: string,
): AllowedAlways =>
  always === 'tool' ? { tool, text: `every call of ${tool}`, at } : { tool, hash, text: text.slice(0, 1_000), at };

/** One permission that was asked for, and what came of it. */
export interface AskedPermission {
  readonly id: string;
  readonly member: string;
  readonly task: string | null;
  readonly tool: string;
  readonly text: string;
  readonly at: string;
  readonly outcome: 'open' | 'allowed' | 'refused' | 'withdrawn';
  readonly answer: string | null;
}

/** Every permission that was asked for in a team, oldest first. */
export const askedPermissions = ({
  requests,
}: {
  readonly requests: ReadonlyMap<string, Request>;
}): AskedPermission[] =>
  [...requests.values()]
    .filter(({ kind }) => kind === 'permission')
    .map((request) => {
      const { id, from, task = null, tool = '', text, at } = request;
      const asked = { id, member: from, task, tool, text, at };
      if (request.state === 'open') return { ...asked, outcome: 'open', answer: null };
      if (request.state === 'withdrawn') return { ...asked, outcome: 'withdrawn', answer: request.why };
      return { ...asked, outcome: request.approve ? 'allowed' : 'refused', answer: request.answer };
    });
