/**
 * Whether a member's sandbox is held by something that it cannot get round, or only asked for (SPEC §8 "Permissions"). A
 * program's question before it writes holds its own tools and not what its shell does: a fence does, or a wall.
 */
import type { Sandbox } from '../../model/agent/agent.ts';
import { recordOf, type AgentKind } from '../../model/agent/agent-kinds.ts';
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
  const held = recordOf(kind).sandbox;
  switch (held) {
    case 'nothing':
      return isAsked || sandbox === 'read-only' ? 'its commands are held in by nothing' : NOT_ASKED_FOR;
    case 'asks':
      return sandbox === 'read-only' ? undefined : 'its own shell is held in by nothing';
    case 'tools':
      return sandbox === 'read-only' ? undefined : 'its shell is held in by nothing';
    case 'itself':
      return undefined;
    default:
      return held satisfies never;
  }
}
