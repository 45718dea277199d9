/** The four profiles, and who may write to whom under each (docs/specification.md R5.1). */
import { describe, expect, it } from 'vitest';
import { PROFILES } from '../../src/model/board/event.ts';
import { MESSAGE_TYPES } from '../../src/model/team/message.ts';
import { mayAsk, mayMessage, profiles } from '../../src/policy/profiles.ts';

describe('the table of profiles', () => {
  it.each([
    ['v8', 'auto', 'any', 'any', 15_000, 'at shutdown', 'reassign'],
    ['forge', 'assigned', 'any', 'lead', 15_000, 'at shutdown', 'reassign'],
    ['relay', 'assigned', 'lead', 'lead', 30_000, 'at shutdown', 'leave'],
    ['pipeline', 'prefix', 'lead', 'lead', 15_000, 'when its work is done', 'reset'],
  ] as const)('%s claims by %s', (profile, claimMode, peerMessages, broadcast, shutdownWaitMs, leaves, whenSilent) => {
    expect(profiles[profile]).toMatchObject({ claimMode, peerMessages, broadcast, shutdownWaitMs, leaves, whenSilent });
    expect(profiles[profile].idleTimeoutMs).toBeNull();
  });
});

describe('mayMessage', () => {
  it.each([
    ['v8', 'message', 'ada', 'bob', true],
    ['v8', 'broadcast', 'ada', 'bob', true],
    ['forge', 'message', 'ada', 'bob', true],
    ['forge', 'broadcast', 'ada', 'bob', false],
    ['forge', 'broadcast', 'lead', 'bob', true],
    ['relay', 'message', 'ada', 'bob', false],
    ['relay', 'message', 'ada', 'lead', true],
    ['relay', 'broadcast', 'ada', 'lead', false],
    ['pipeline', 'message', 'ada', 'coordinator', true],
    ['pipeline', 'message', 'ada', 'bob', false],
    ['pipeline', 'message', 'team-lead', 'bob', true],
    ['pipeline', 'broadcast', 'main', 'bob', true],
  ] as const)('%s: %s from %s to %s → %s', (profile, type, from, to, allowed) => {
    expect(mayMessage(profile, type, from, to) === undefined).toBe(allowed);
  });

  it('a refused message names the rule', () => {
    const rules = [
      mayMessage('v8', 'shutdown_request', 'ada', 'bob'),
      mayMessage('forge', 'broadcast', 'ada', 'bob'),
      mayMessage('relay', 'message', 'ada', 'bob'),
    ].map((refused) => /\(rule: (.*)\)/.exec(refused?.why ?? '')?.[1]);
    expect(rules).toEqual(['role × type', 'broadcast', 'peer messages']);
  });

  it('a refused message names what the profile allows instead', () => {
    expect(mayMessage('forge', 'broadcast', 'ada', 'bob')?.why).toContain('only the lead broadcasts');
    expect(mayMessage('relay', 'message', 'ada', 'bob')?.why).toContain('to the lead only, not to bob');
  });

  it.each(PROFILES)('under %s no teammate may control another, by any alias of the lead', (profile) => {
    for (const alias of ['lead', 'team-lead', 'coordinator', 'main']) {
      for (const type of MESSAGE_TYPES) {
        const isControl = type === 'shutdown_request' || type === 'plan_approval_response';
        if (isControl) expect(mayMessage(profile, type, 'ada', alias)).toBeDefined();
        if (isControl) expect(mayMessage(profile, type, 'ada', 'bob')).toBeDefined();
        if (isControl) expect(mayMessage(profile, type, alias, 'ada')).toBeUndefined();
      }
      expect(mayMessage(profile, 'shutdown_response', 'ada', alias)).toBeUndefined();
      expect(mayMessage(profile, 'shutdown_response', alias, 'ada')).toBeDefined();
    }
  });
});

it.each(PROFILES)('under %s questions to the lead are refused if it is unattended', (profile) => {
  expect(mayAsk(profile, 'question') === undefined).toBe(profile !== 'relay');
  for (const kind of [undefined, 'alert', 'idle', 'task_failed']) expect(mayAsk(profile, kind)).toBeUndefined();
});
