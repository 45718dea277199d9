import { describe, expect, it } from 'vitest';
import { decodeQuota, encodeQuota } from '../../../src/runtime/team/teammate-env.ts';
import { DEFAULT_QUOTA } from '../../../src/store/team/team-store.ts';

describe('the quota that a lead gives to its teammates', () => {
  it('the quota arrives unchanged', () => {
    const quota = { inboxMaxMessages: 7, inboxMaxBytes: 4_096 };
    expect(decodeQuota(encodeQuota(quota))).toEqual(quota);
  });

  it.each([undefined, '', '0', '-1', '1e9', 'many'])('the quota is the default for the value %j', (text) => {
    expect(decodeQuota({ TEAMS_INBOX_MAX_MESSAGES: text, TEAMS_INBOX_MAX_BYTES: text })).toEqual(DEFAULT_QUOTA);
  });
});
