import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

// Every process that a test starts would read and parse them, 37 ms each, and no test leaves this machine.
delete process.env['NODE_EXTRA_CA_CERTS'];

const PURE = ['test/model/**/*.test.ts', 'test/policy/**/*.test.ts'];

/**
 * `pure`: values in, values out, so its files share one world and cost almost nothing each. `disk`: all that touches
 * files and processes, each file in a process of its own, checked after every test for what it left behind.
 */
export default defineConfig({
  test: {
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { name: 'pure', include: PURE, pool: 'threads', isolate: false, testTimeout: 60_000 } },
      {
        test: {
          name: 'disk',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: [...PURE, 'test/hosts/**', 'test/real-agents/**'],
          pool: 'forks',
          globalSetup: ['test/support/build-programs.ts'],
          setupFiles: ['test/support/leftovers.ts'],
          // A hang is caught; a loaded machine is no failure.
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
