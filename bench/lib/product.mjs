/** What the bench takes from the product, bundled into bench/.build/product.mjs. */
export { nextClaim } from '../../src/model/board.ts';
export { execAgent } from '../../src/model/agent.ts';
export { parseName, LEAD } from '../../src/model/names.ts';
export { newTaskSchema } from '../../src/model/task.ts';
export { realClock } from '../../src/runtime/clock.ts';
export { Mailroom } from '../../src/runtime/mailroom.ts';
export { sendMail } from '../../src/runtime/mail.ts';
export { hangBell } from '../../src/store/bell.ts';
export { BoardStore } from '../../src/store/board.ts';
export { realDisk } from '../../src/store/disk.ts';
export { Locks } from '../../src/store/lock.ts';
export { lineOf } from '../../src/store/outgoing.ts';
export { teamPaths } from '../../src/store/paths.ts';
export { pinDirectory } from '../../src/store/pinned.ts';
export { Reader } from '../../src/store/reader.ts';
export { Sender } from '../../src/store/sender.ts';
export { makeTeam } from '../../src/runtime/team.ts';
export { openStore } from '../../src/store/team-store.ts';
