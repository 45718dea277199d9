/** What the lead sends, also one that takes over from one that died while sending it; and what it logs of its mail. */
import { appendFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { logFact } from '../../../src/model/team/shown-event.ts';
import { LEAD } from '../../../src/model/text/names.ts';
import { LeadMail } from '../../../src/runtime/lead/lead-mail.ts';
import { LeadMemory } from '../../../src/runtime/lead/lead-memory.ts';
import { MessageFlow } from '../../../src/policy/view/message-flow.ts';
import { sendMail } from '../../../src/runtime/team/send-mail.ts';
import { BoardStore } from '../../../src/store/board/board.ts';
import { waitingMail } from '../../../src/store/mail/inbox-view.ts';
import { name } from '../../support/team.ts';
import { ToldTeam } from '../../support/told-team.ts';

/** bob's #3 waits for #1 and #2, which are ada's; #4 was bob's and is carla's now. */
function unblocked(): ToldTeam {
  const on = new ToldTeam({ ada: 'executor', bob: 'executor', carla: 'executor' }).led().started('ada', 'bob', 'carla');
  on.add('One', { owner: 'ada' }).add('Two', { owner: 'ada' });
  on.add('Three', { owner: 'bob', blockedBy: ['1', '2'] }).add('Four', { owner: 'bob', blockedBy: ['1'] });
  on.work('1', 'ada', 1_000).work('2', 'ada', 1_000).wait(1_000);
  return on.say({ type: 'task.assigned', task: '4', owner: name('carla') });
}

function mailOf({ store }: ToldTeam): LeadMail {
  const { epoch, incarnation } = store.board.fold().lead;
  const post = new LeadMail({
    store,
    speaker: { kind: 'lead', name: LEAD, epoch, incarnation: incarnation ?? '' },
    leads: () => true,
    memory: new LeadMemory(store.clock),
    readsMail: false,
    sharedFiles: () => [],
    onSpawn: () => {},
    onIdle: () => {},
    onNews: () => {},
  });
  onTestFinished(() => post.close());
  return post;
}

/** A lead takes over: it reads the history, sends what is unsent, and ends. */
async function tookOver(on: ToldTeam): Promise<void> {
  const { store } = on;
  const post = mailOf(on);
  const log = new BoardStore(store.paths.log, { disk: store.disk, clock: store.clock, keepsPast: true });
  log.fold();
  post.sendAgain(log.past.unblocked.values());
  log.close();
  await post.notify();
}

const told = ({ store }: ToldTeam, member: string): string[] =>
  [...waitingMail(store.disk, store.paths.inbox(name(member)))].map(({ content }) => content);

it('the next lead sends UNBLOCKED for the last blocker, and it is read once however many leads send it', async () => {
  const on = unblocked();
  await tookOver(on);
  await tookOver(on);
  expect(told(on, 'bob')).toEqual(['UNBLOCKED: Task #3 is now ready. Blocker #2 completed.']);
  expect(told(on, 'carla')).toEqual([]);
});

it('UNBLOCKED is not sent for a task that was started meanwhile', async () => {
  const on = unblocked().claim('3', 'bob');
  await tookOver(on);
  expect(told(on, 'bob')).toEqual([]);
});

it('mail to the lead in its own name is in the log under that name, and counts once; mail of a stranger has no name', async () => {
  const on = new ToldTeam({ ada: 'executor' }).led().started('ada');
  const { store } = on;
  await sendMail(store, { kind: 'person', name: LEAD }, LEAD, 'remember the deadline');
  appendFileSync(store.paths.inbox(LEAD).inbox, '{"type":"message","sender":"lead","content":"as if","timestamp":1}\n');
  const post = mailOf(on);
  await post.mail.look();
  const flow = new MessageFlow();
  const events = [...store.events.read()].flatMap(({ event }, number) => flow.add({ ...logFact(event), number }) ?? []);
  expect(events.map(({ from, to, text }) => `${from}>${to} ${text}`)).toEqual([
    'lead>lead remember the deadline',
    'unknown>lead as if',
  ]);
});
