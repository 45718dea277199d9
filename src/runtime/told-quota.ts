/** The quota of inboxes, as a lead tells it to its teammates: in their environment, under the configuration's own names. */
import { DEFAULT_QUOTA } from '../store/team-store.ts';
import type { Quota } from '../store/sender.ts';

const MESSAGES = 'TEAMS_INBOX_MAX_MESSAGES';
const BYTES = 'TEAMS_INBOX_MAX_BYTES';

export const quotaVariables = ({ inboxMaxMessages, inboxMaxBytes }: Quota = DEFAULT_QUOTA): Record<string, string> => ({
  [MESSAGES]: String(inboxMaxMessages),
  [BYTES]: String(inboxMaxBytes),
});

/** What was told; the default for what was not, or makes no sense. */
export const quotaFrom = (environment: Readonly<Record<string, string | undefined>>): Quota => ({
  inboxMaxMessages: limit(environment[MESSAGES]) ?? DEFAULT_QUOTA.inboxMaxMessages,
  inboxMaxBytes: limit(environment[BYTES]) ?? DEFAULT_QUOTA.inboxMaxBytes,
});

const limit = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : undefined;
