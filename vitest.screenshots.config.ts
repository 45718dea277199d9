import { defineConfig } from 'vitest/config';

/** Pictures of the page: minutes, and files in docs/, so they are not part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/screenshots/**/*.test.ts'],
    pool: 'forks',
    setupFiles: ['test/support/leftovers.ts'],
    testTimeout: 600_000,
    hookTimeout: 120_000,
  },
});
