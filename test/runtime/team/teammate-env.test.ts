import { describe, expect, it } from 'vitest';
import { decodeQuota, encodeQuota } from '../../../src/runtime/team/teammate-env.ts';
import { DEFAULT_QUOTA } from '../../../src/store/team/team-store.ts';

describe('the quota that a lead tells its teammates', () => {
  it('arrives as it was told', () => {
    const quota = { inboxMaxMessages: 7, inboxMaxBytes: 4_096 };
    expect(decodeQuota(encodeQuota(quota))).toEqual(quota);
  });

  it.each([undefined, '', '0', '-1', '1e9', 'many'])('is the default where %j was told', (text) => {
    expect(decodeQuota({ TEAMS_INBOX_MAX_MESSAGES: text, TEAMS_INBOX_MAX_BYTES: text })).toEqual(DEFAULT_QUOTA);
  });
});
