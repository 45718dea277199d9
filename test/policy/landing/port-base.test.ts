import { expect, it } from 'vitest';
import { portBase } from '../../../src/policy/landing/port-base.ts';

const TEAMS = ['01K9ZZZZZZZZZZZZZZZZZZZZZA', '01K9ZZZZZZZZZZZZZZZZZZZZZB', ''];

it.each(TEAMS)('the members of team %j have ten ports each, and none in common', (team) => {
  const bases = Array.from({ length: 512 }, (_, at) => portBase(team, at));
  expect(new Set(bases).size).toBe(512);
  for (const base of bases) {
    expect(base % 10).toBe(0);
    expect(base).toBeGreaterThanOrEqual(10_000);
    expect(base + 9).toBeLessThan(32_768);
  }
});

it('a member keeps its ports', () => {
  expect(portBase('01K9ZZZZZZZZZZZZZZZZZZZZZA', 3)).toBe(portBase('01K9ZZZZZZZZZZZZZZZZZZZZZA', 3));
});
