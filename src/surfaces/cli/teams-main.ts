/** The `teams` command, as bin/teams.js loads it. */
export { main } from './main.ts';
export { warmUp } from './warm-up.ts';
