/** The `teams` command, as bin/teams.js loads it. */
export { main } from './main.ts';
export { warmUp } from './cli-warm-up.ts';
