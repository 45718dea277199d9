/** Does to the team at argv[2] what four busy members do, at argv[3] events a second: agent output, mail, tasks. */
import { setTimeout } from 'node:timers/promises';
import { LEAD, newTaskSchema, openStore, parseName, realClock, sendMail, teamPaths } from '../.build/product.mjs';

const [root, rate] = process.argv.slice(2);
const store = openStore(teamPaths(root, parseName('team', 'bench')), { clock: realClock });
const author = { person: LEAD, epoch: store.board.fold().lead.epoch };
const speaker = { kind: 'person', name: LEAD, epoch: author.epoch };

const DEEDS = [
  (n) => store.events.append({ type: 'agent.printed', member: `m${n % 4}`, text: `line ${n} of a long build` }),
  (n) => store.events.append({ type: 'agent.said', member: `m${n % 4}`, text: `I look at file ${n} next` }),
  (n) => sendMail(store, speaker, parseName('member', `m${n % 4}`), `Please look at file ${n}.`),
  (n) =>
    store.board.append(author, (board) => ({
      type: 'task.created',
      task: String(board.lastTaskId + 1),
      fields: newTaskSchema.parse({ subject: `Look at file ${n}`, owner: `m${n % 4}` }),
    })),
  (n) =>
    store.board.append(author, (board) => ({
      type: 'task.skipped',
      task: String(board.lastTaskId),
      cascade: false,
      why: `file ${n} is well`,
    })),
];

const began = performance.now();
for (let n = 0; ; n += 1) {
  await DEEDS[n % DEEDS.length](n);
  const ahead = (n + 1) * (1_000 / Number(rate)) - (performance.now() - began);
  if (ahead > 0) await setTimeout(ahead);
}
