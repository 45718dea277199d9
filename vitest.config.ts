import { defineConfig } from 'vitest/config';
import { LONGEST, LongestFirst } from './test/support/longest-first.ts';

// Every process that a test starts would read and parse them, 37 ms each, and no test leaves this machine.
delete process.env['NODE_EXTRA_CA_CERTS'];

const PURE = ['test/model/**/*.test.ts', 'test/policy/**/*.test.ts'];
/** Besides the long ones those that put modules of their own in the place of ours. */
const ALONE = [...LONGEST.map((name) => `test/${name}.test.ts`), 'test/store/mutants.test.ts'];

/** Checked after every test for what it left behind. A hang is caught; a loaded machine is no failure. */
const ON_DISK = {
  pool: 'forks' as const,
  globalSetup: ['test/support/build-programs.ts'],
  setupFiles: ['test/support/leftovers.ts'],
  testTimeout: 60_000,
  hookTimeout: 120_000,
};

/**
 * `pure`: values in, values out. `disk`: all that touches files and processes. Their files share a world, since to read
 * our modules anew costs a file more than most of its tests. `alone`: each file in a process of its own.
 */
export default defineConfig({
  test: {
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { name: 'pure', include: PURE, pool: 'threads', isolate: false, testTimeout: 60_000 } },
      { test: { name: 'alone', include: ALONE, ...ON_DISK } },
      {
        test: {
          name: 'disk',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: [...PURE, ...ALONE, 'test/hosts/**', 'test/real-agents/**'],
          isolate: false,
          ...ON_DISK,
        },
      },
    ],
  },
});
