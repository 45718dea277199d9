/** The tool context in an existing team: for a member's agent, or for a person as a member. */
import { sideOf } from '../../model/team/message.ts';
import type { ToolContext } from './tool-context.ts';
import { readOnlyMailbox, consumingMailbox } from './mailboxes.ts';
import type { TeamHandle } from '../team/team-handle.ts';

export const memberToolContext = (
  handle: TeamHandle,
  given: Pick<ToolContext, 'workspace' | 'isolate' | 'prices'> = {},
): ToolContext => {
  const { speaker, store, name } = handle;
  const mail =
    speaker.kind === 'member'
      ? readOnlyMailbox(handle, speaker.name, () => false)
      : consumingMailbox(handle, speaker.name);
  // An archived team can be read as before, but nobody works in it, and another one may have its name.
  const isThere = (): boolean => store.pinned.isThere();
  return {
    ...given,
    side: sideOf(speaker.name),
    get team() {
      return isThere() ? handle : undefined;
    },
    get mail() {
      return isThere() ? mail : undefined;
    },
    get ended() {
      return isThere()
        ? undefined
        : `Team ${name} was archived, moved or removed. If there is a team ${name} now, start this server again to work in it.`;
    },
  };
};
