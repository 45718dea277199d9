/**
 * What a member's agent may do by itself (docs/specification.md R7.6): the one table behind every permission request of
 * a program.
 *
 *                     reads   writes inside   writes outside   runs   reaches   unknown
 *   read-only         yes     no              no               no     no        no
 *   workspace-write   yes     yes             no               yes    yes       yes
 *   full              yes     yes             yes              yes    yes       yes
 *
 * Paths that make programs run something, or hold keys (`workspace-path.ts`), are written with `full` only. The text of
 * a command is not examined: what it writes is limited by its isolation, if there is one.
 */
import type { Sandbox } from '../../model/agent/agent.ts';
import { protectedBy } from './workspace-path.ts';

export interface PermissionRequest {
  /** The tool's name in the sentence. */
  readonly tool: string;
  readonly effect: 'reads' | 'writes' | 'runs' | 'reaches' | 'unknown';
  /** The affected paths: relative if below the workspace, else absolute. */
  readonly paths: readonly string[];
}

type Permission = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

const YES: Permission = { ok: true, text: '' };

export function judgePermission({ tool, effect, paths }: PermissionRequest, sandbox: Sandbox): Permission {
  if (sandbox === 'full' || effect === 'reads') return YES;
  if (sandbox === 'read-only') return no(tool, 'this member is read-only');
  if (effect !== 'writes') return YES;
  if (paths.length === 0) return no(tool, 'it does not say which file it writes');
  const outside = paths.find(leavesWorkspace);
  if (outside !== undefined) return no(tool, `${outside} is outside of the workspace`);
  const kept = paths.find((path) => protectedBy(path, 'write') !== undefined);
  return kept === undefined ? YES : no(tool, `${kept} may not be written by a member`);
}

const no = (tool: string, why: string): Permission => ({ ok: false, why: `${tool} is denied: ${why}.` });

const leavesWorkspace = (path: string): boolean => path.startsWith('/') || path.split('/').includes('..');
