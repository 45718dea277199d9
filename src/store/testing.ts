/**
 * What tools outside this repository need to attack the store: stress programs, simulated disks, foreign writers. These
 * names are stable; new arguments are optional. No module in `src` imports this one, and the package does not export
 * it.
 */
export { ulid } from 'ulid';
export { realClock } from '../os/system-clock.ts';
export { BoardStore } from './board/board.ts';
export { realDisk } from './files/disk.ts';
export { rootPaths, teamPaths } from './files/paths.ts';
export { Locks } from './lock/lock.ts';
export { Reader } from './mail/reader.ts';
export { createStore } from './team/create-store.ts';
export { takeLease } from './team/lease.ts';
export { openStore } from './team/team-store.ts';
