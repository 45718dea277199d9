/** The packages of the benchmark: npm leaves out an optional one that refuses the Node that runs, and says nothing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '../..');
const manifestSchema = z.looseObject({ engines: z.looseObject({ node: z.string() }) });
const lockSchema = z.looseObject({
  packages: z.record(
    z.string(),
    z.looseObject({ engines: z.union([z.record(z.string(), z.string()), z.array(z.string())]).optional() }),
  ),
});

const contentOf = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

/** @returns major and minor of the oldest Node that a range such as `>=18.2 || 20` names */
function oldest(range: string): number[] {
  const numbers = range.split('||').map((part) => /(\d+)(?:\.(\d+))?/.exec(part) ?? ['0', '0', '0']);
  const sorted = numbers.map((found) => [Number(found[1]), Number(found[2] ?? 0)]).toSorted(later);
  return sorted[0] ?? [0, 0];
}
const later = ([major = 0, minor = 0]: number[], [otherMajor = 0, otherMinor = 0]: number[]): number =>
  major - otherMajor || minor - otherMinor;

describe('the packages of the benchmark', () => {
  it('have none that refuses the oldest Node of the product', () => {
    const floor = oldest(manifestSchema.parse(contentOf('package.json')).engines.node);
    const refusing = Object.entries(lockSchema.parse(contentOf('bench/package-lock.json')).packages)
      .map(([path, { engines }]) => ({ path, range: Array.isArray(engines) ? undefined : engines?.['node'] }))
      .filter(({ range }) => range !== undefined && later(oldest(range), floor) > 0);
    expect(refusing).toEqual([]);
  });
});
