/** The tool context in an existing team: for a member's agent, or for a person as a member. */
import { sideOf } from '../../model/team/message.ts';
import type { ToolContext } from './tool-context.ts';
import { readOnlyMailbox, consumingMailbox } from './mailboxes.ts';
import type { TeamHandle } from '../team/team-handle.ts';
import type { Workspace } from './tool-workspace.ts';

export const memberToolContext = (
  handle: TeamHandle,
  workspace?: Workspace,
  isolate?: ToolContext['isolate'],
): ToolContext => ({
  isolate,
  workspace,
  side: sideOf(handle.speaker.name),
  team: handle,
  mail:
    handle.speaker.kind === 'member'
      ? readOnlyMailbox(handle, handle.speaker.name, () => false)
      : consumingMailbox(handle, handle.speaker.name),
});
