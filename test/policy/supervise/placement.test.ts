/** On which host a member starts. */
import { describe, expect, it } from 'vitest';
import { chooseHost, type HostOffer } from '../../../src/policy/supervise/placement.ts';

const host = (name: string, slots: number, used = 0, ...labels: string[]): HostOffer => ({ name, slots, used, labels });

describe('the host of a member', () => {
  it.each<[string, HostOffer[], Record<string, number>, string | undefined]>([
    ['none without hosts', [], {}, undefined],
    ['the only one', [host('a', 1)], {}, 'a'],
    ['none if all are full', [host('a', 1, 1), host('b', 2, 3)], {}, undefined],
    ['the one with the most free slots', [host('a', 8, 7), host('b', 4, 1)], {}, 'b'],
    ['the first by name among equals', [host('b', 2), host('a', 2)], {}, 'a'],
    ['another one for the second member of a moment', [host('a', 2), host('b', 2)], { a: 1 }, 'b'],
    ['none if what was asked for fills it', [host('a', 2, 1)], { a: 1 }, undefined],
  ])('is %s', (_what, hosts, asked, chosen) => {
    expect(chooseHost(hosts, new Map(Object.entries(asked)))).toBe(chosen);
  });

  it.each<[string, HostOffer[], string[], string | undefined]>([
    ['one with the label', [host('a', 8), host('b', 1, 0, 'gpu')], ['gpu'], 'b'],
    ['one with all labels', [host('a', 8, 0, 'gpu'), host('b', 1, 0, 'arm64', 'gpu')], ['gpu', 'arm64'], 'b'],
    ['none if that one is full', [host('a', 8), host('b', 1, 1, 'gpu')], ['gpu'], undefined],
    ['any for a member that needs none', [host('a', 1, 0, 'gpu')], [], 'a'],
  ])('is %s', (_what, hosts, needed, chosen) => {
    expect(chooseHost(hosts, new Map(), needed)).toBe(chosen);
  });
});
