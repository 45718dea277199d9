/** The entry point of the `teams` command, loaded by bin/teams.js. */
export { main } from './main.ts';
export { warmUp } from './cli-warm-up.ts';
