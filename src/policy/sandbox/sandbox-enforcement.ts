/**
 * Whether a member's sandbox is enforced or only requested (docs/specification.md R7.7). A program's permission
 * question limits its own tools, but not its shell; isolation limits both.
 */
import type { Sandbox } from '../../model/agent/agent.ts';
import { bringsSandbox, recordOf, type AgentKind } from '../../model/agent/agent-kinds.ts';
import type { Name } from '../../model/text/names.ts';
import { isReadOnlyRole } from '../task-type.ts';

/** Explorers and reviewers only read; all other roles may write the workspace. */
export const defaultSandbox = (role: Name): Sandbox => (isReadOnlyRole(role) ? 'read-only' : 'workspace-write');

/** For a user's own command without a requested sandbox; views show it, the report does not. */
export const NOT_ASKED_FOR = 'nobody asked for one, and its commands are held in by nothing';

/** Whether a command that a person allows may leave the program's own sandbox. What only reads is allowed nothing. */
export const leavesOwnSandbox = (kind: AgentKind, sandbox: Sandbox): boolean =>
  bringsSandbox(kind) && sandbox === 'workspace-write';

/**
 * @param isIsolated bubblewrap isolated its commands or its program
 * @param asksPerson a person is asked before it changes something
 * @returns undefined if the sandbox is enforced, else what is not enforced, as the end of a sentence
 */
export function unenforced(
  kind: AgentKind,
  sandbox: Sandbox,
  {
    isIsolated,
    isAsked,
    asksPerson = false,
  }: { readonly isIsolated: boolean; readonly isAsked: boolean; readonly asksPerson?: boolean },
): string | undefined {
  if (sandbox === 'full' || isIsolated) return undefined;
  const held = recordOf(kind).sandbox;
  switch (held) {
    case 'nothing':
      return isAsked || sandbox === 'read-only' ? 'its commands are held in by nothing' : NOT_ASKED_FOR;
    case 'asks':
      return sandbox === 'read-only' ? undefined : 'its own shell is held in by nothing';
    case 'tools':
      return sandbox === 'read-only' ? undefined : 'its shell is held in by nothing';
    case 'itself':
      return asksPerson && leavesOwnSandbox(kind, sandbox)
        ? 'what its own sandbox refuses runs without it if a person allows the command'
        : undefined;
    default:
      return held satisfies never;
  }
}
