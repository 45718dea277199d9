/**
 * Whether a member's sandbox is held by something that it cannot get round, or only asked for (SPEC §8 "Permissions"). A
 * program's question before it writes holds its own tools and not what its shell does: a fence does, or a wall.
 */
import type { AgentKind, Sandbox } from '../../model/agent/agent.ts';
import type { Name } from '../../model/text/names.ts';
import { isReadOnlyRole } from '../task-type.ts';

/** Explorers and reviewers look, and change nothing; all others work on the workspace. */
export const defaultSandbox = (role: Name): Sandbox => (isReadOnlyRole(role) ? 'read-only' : 'workspace-write');

/** A command that its user wrote, and asked no sandbox for: told to whoever looks, and worth no line of the report. */
export const NOT_ASKED_FOR = 'nobody asked for one, and its commands are held in by nothing';

/**
 * @param isWalled bubblewrap held its commands in, or its program
 * @returns undefined where it is held, else what is not, as the end of a sentence
 */
export function unenforced(
  kind: AgentKind,
  sandbox: Sandbox,
  { isWalled, isAsked }: { isWalled: boolean; isAsked: boolean },
): string | undefined {
  if (sandbox === 'full' || isWalled) return undefined;
  switch (kind) {
    case 'exec':
      return isAsked || sandbox === 'read-only' ? 'its commands are held in by nothing' : NOT_ASKED_FOR;
    case 'claude':
    case 'gemini':
    case 'opencode':
    case 'acp':
      return sandbox === 'read-only' ? undefined : 'its own shell is held in by nothing';
    case 'anthropic':
    case 'openai':
    case 'google':
    case 'ollama':
      return sandbox === 'read-only' ? undefined : 'its shell is held in by nothing';
    case 'codex':
    case 'scripted':
      return undefined;
    default:
      return kind satisfies never;
  }
}
