/**
 * What a member's agent may do by itself (SPEC §8): the one table behind every permission that a program asks for.
 *
 *                   reads   writes inside   writes outside   runs   reaches   unknown
 * read-only         yes     no              no               no     no        no
 * workspace-write   yes     yes             no               yes    yes       yes
 * full              yes     yes             yes              yes    yes       yes
 *
 * A command is not looked into: what it writes is the sandbox's to hold, where there is one.
 */
import type { Sandbox } from '../../model/agent/agent.ts';

export interface PermissionRequest {
  /** For the sentence. */
  readonly tool: string;
  readonly effect: 'reads' | 'writes' | 'runs' | 'reaches' | 'unknown';
  /** What it is about: relative to the workspace when it is below, else absolute. */
  readonly paths: readonly string[];
}

export type Permission = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

/** Nobody's to write but the team's, a program's own, or their user's: what stands there is obeyed, or secret. */
const PROTECTED =
  /^(?:\.git\/(?:hooks|config)|\.teams|\.tasks|\.claude|\.codex|\.gemini|\.opencode|\.env(?:\.[^/]*)?)(?:\/|$)/i;

const YES: Permission = { ok: true, text: '' };

export function judgePermission({ tool, effect, paths }: PermissionRequest, sandbox: Sandbox): Permission {
  if (sandbox === 'full' || effect === 'reads') return YES;
  if (sandbox === 'read-only') return no(tool, 'this member only reads');
  if (effect !== 'writes') return YES;
  if (paths.length === 0) return no(tool, 'it does not say which file it writes');
  const outside = paths.find(leavesWorkspace);
  if (outside !== undefined) return no(tool, `${outside} is outside of the workspace`);
  const kept = paths.find((path) => PROTECTED.test(path));
  return kept === undefined ? YES : no(tool, `${kept} is not a member's to write`);
}

const no = (tool: string, why: string): Permission => ({ ok: false, why: `${tool} is denied: ${why}.` });

const leavesWorkspace = (path: string): boolean => path.startsWith('/') || path.split('/').includes('..');
