/** The desk of one who works in a team that is there: a member's agent, or a person as a member. */
import { sideOf } from '../../model/team/message.ts';
import type { Desk } from './tool-context.ts';
import { lookingMailbox, takingMailbox } from './mailboxes.ts';
import type { TeamHandle } from '../team/team-handle.ts';
import type { Workspace } from './tool-workspace.ts';

export const memberDesk = (handle: TeamHandle, workspace?: Workspace): Desk => ({
  workspace,
  side: sideOf(handle.speaker.name),
  team: handle,
  mail:
    handle.speaker.kind === 'member'
      ? lookingMailbox(handle, handle.speaker.name, () => false)
      : takingMailbox(handle, handle.speaker.name),
});
