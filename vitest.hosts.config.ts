import { defineConfig } from 'vitest/config';

/** The real programs, one after the other: hundreds of megabytes each, so they are not part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/hosts/**/*.test.ts', 'test/real-agents/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    setupFiles: ['test/support/leftovers.ts'],
    testTimeout: 300_000,
    hookTimeout: 600_000,
  },
});
