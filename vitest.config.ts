import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { ALONE, LongestFirst } from './test/support/longest-first.ts';

// Every process that a test starts would read and parse them, 37 ms each, and no test leaves this machine.
delete process.env['NODE_EXTRA_CA_CERTS'];

const PURE = ['test/model/**/*.test.ts', 'test/policy/**/*.test.ts'];
const OWN_PROCESS = ALONE.map((name) => `test/${name}.test.ts`);

/**
 * Each test is checked for what it left behind. The time-out catches a hang, and is long enough for a loaded machine.
 */
const ON_DISK = {
  pool: 'forks' as const,
  globalSetup: ['test/support/build-programs.ts'],
  setupFiles: ['test/support/leftovers.ts'],
  testTimeout: 60_000,
  hookTimeout: 120_000,
};

/**
 * `pure`: values in, values out. `disk`: everything with files and processes; its files share a module cache, since
 * loading our modules again costs a file more than most of its tests. `alone`: each file in its own process, as in
 * `longest-first.ts`.
 */
export default defineConfig({
  test: {
    // More than a core for each: many tests wait for leases, heartbeats and servers.
    maxWorkers: Math.max(5, availableParallelism()),
    sequence: { sequencer: LongestFirst },
    // Compiled modules are kept in node_modules/, by their content: half of the processor time of a run of one file.
    experimental: { fsModuleCache: true },
    projects: [
      { test: { name: 'pure', include: PURE, pool: 'threads', isolate: false, testTimeout: 60_000 } },
      { test: { name: 'alone', include: OWN_PROCESS, ...ON_DISK } },
      {
        test: {
          name: 'disk',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: [...PURE, ...OWN_PROCESS, 'test/hosts/**', 'test/real-agents/**', 'test/screenshots/**'],
          isolate: false,
          ...ON_DISK,
        },
      },
    ],
  },
});
