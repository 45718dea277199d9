/** What the bench takes from the product, bundled into bench/.build/product.mjs. */
export { nextClaim } from '../../src/model/board/board.ts';
export { execAgent } from '../../src/model/agent/agent.ts';
export { parseName, LEAD } from '../../src/model/text/names.ts';
export { newTaskSchema } from '../../src/model/board/task.ts';
export { realClock } from '../../src/os/system-clock.ts';
export { Mailroom } from '../../src/runtime/team/mailroom.ts';
export { sendMail } from '../../src/runtime/team/send-mail.ts';
export { createBell } from '../../src/store/mail/bell.ts';
export { BoardStore } from '../../src/store/board/board.ts';
export { realDisk } from '../../src/store/files/disk.ts';
export { Locks } from '../../src/store/lock/lock.ts';
export { lineOf } from '../../src/store/mail/outgoing.ts';
export { teamPaths } from '../../src/store/files/paths.ts';
export { pinDirectory } from '../../src/store/files/pinned.ts';
export { Reader } from '../../src/store/mail/reader.ts';
export { Sender } from '../../src/store/mail/sender.ts';
export { makeTeam } from '../../src/runtime/team/team-handle.ts';
export { openStore } from '../../src/store/team/team-store.ts';
