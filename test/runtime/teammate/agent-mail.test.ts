/** Mail of an agent: how fast, how far, and which orders the runtime accepts. Teammates run in this process. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { codeOf } from '../../../src/model/text/errors.ts';
import { MAX_HOPS } from '../../../src/model/team/message.ts';
import { LEAD } from '../../../src/model/text/names.ts';
import { join } from '../../../src/runtime/teammate/join.ts';
import { SendRate } from '../../../src/runtime/team/send-rate.ts';
import { openHandle, TeamHandle } from '../../../src/runtime/team/team-handle.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { pastMail } from '../../../src/store/mail/inbox-view.ts';
import { FakeClock } from '../../support/clock.ts';
import { asMember } from '../../support/member.ts';
import { lead, reopened, scripted, team, type Team } from '../../support/session.ts';
import { name } from '../../support/team.ts';

/** Runs a member in this process until the test ends. */
async function atWork(on: Team, member: string, environment: Record<string, string> = {}): Promise<void> {
  const teammate = await join(reopened(on.paths), name(member), { byHand: true, environment });
  const left = teammate.run();
  onTestFinished(async () => {
    teammate.stop('signal');
    await left;
  });
}

const says = (recipient: string, content: string) => ({ tool: 'SendMessage', input: { recipient, content } });
const history = (on: Team, member: string) => [...pastMail(realDisk, on.paths.inbox(name(member)))];
const containing = (text: string): unknown => expect.stringContaining(text);

describe('mail that answers mail', () => {
  it('two agents that always answer exchange eight messages, then the runtime stops them and reports it', async () => {
    const echo = (to: string) => scripted({ repeat: true, match: 'mail from', calls: [says(to, 'And you?')] });
    const members = [
      { name: 'ada', agent: echo('bob') },
      { name: 'bob', agent: echo('ada') },
    ];
    const on = await team({ members });
    await atWork(on, 'ada');
    await atWork(on, 'bob');
    await on.handle.send('ada', 'How are you?');
    await on.until('it is refused', () => on.events('message.refused').length > 0);
    expect(on.events('message.refused')).toMatchObject([{ text: containing(`${MAX_HOPS} are the limit`) }]);
    const hops = [...history(on, 'ada'), ...history(on, 'bob')].flatMap((message) => message.hops ?? []);
    expect(Math.max(...hops)).toBeLessThanOrEqual(MAX_HOPS);
    expect(on.events('message.sent').length).toBe(1 + MAX_HOPS);
  });

  it('the hop count goes on in processes that an agent starts: its command line answers the mail of its turn', async () => {
    const on = await team({ members: ['ada', 'bob'] });
    const { store } = on.handle;
    const environment = await asMember(
      { root: on.root, environment: { XDG_STATE_HOME: `${on.root}/state` } },
      'crew',
      'ada',
    );
    const said = async (): Promise<string | undefined> => {
      await using ada = openHandle('crew', { root: on.root, environment });
      return await ada.send('bob', 'And you?').then(() => undefined, codeOf);
    };
    const turn = (hops: number | undefined): void => {
      const record = store.roster.read(name('ada'));
      if (record) store.roster.write({ ...record, hops });
    };
    turn(MAX_HOPS);
    expect(await said()).toBeUndefined();
    expect([...on.handle.inbox('bob')]).toMatchObject([{ hops: MAX_HOPS }]);
    turn(MAX_HOPS + 1);
    expect(await said()).toBe('POLICY_DENIED');
    expect(on.events('message.refused')).toMatchObject([{ member: 'ada' }]);
    turn(undefined);
    expect(await said()).toBeUndefined();
  });

  it('the hop count is recorded for those processes while a turn lasts', async () => {
    const waits = scripted({ match: 'mail from', waitsFor: 'go', answers: 'ok' });
    const on = await team({ members: [{ name: 'ada', agent: waits }] });
    await atWork(on, 'ada');
    const hops = (): number | undefined => on.handle.store.roster.read(name('ada'))?.hops;
    await on.handle.send('ada', 'x', { hops: 3 });
    await vi.waitUntil(() => hops() === 4, 5_000);
    writeFileSync(`${on.root}/go`, '');
    await vi.waitUntil(() => hops() === undefined, 5_000);
  });

  it('mail of a person resets the hop count, and mail of a turn without mail is no answer', async () => {
    const ada = scripted({ calls: [says('lead', 'Begun.')] });
    const on = await team({ members: [{ name: 'ada', agent: ada }], tasks: [{ subject: 'Begin' }] });
    await atWork(on, 'ada');
    await on.until('it is done', (board) => board.tasks.get('1')?.status === 'completed');
    const said = [...on.handle.inbox('lead')].find(({ content }) => content === 'Begun.');
    expect(said).toBeDefined();
    expect(said).not.toHaveProperty('hops');
  });
});

describe('the rate of an agent', () => {
  it('an agent may send one second’s messages at once, then as many as the rate allows', () => {
    const clock = new FakeClock();
    const rate = new SendRate(clock, 50);
    const sent = (tries: number): number => {
      let through = 0;
      for (let n = 0; n < tries; n += 1) {
        try {
          rate.spend();
          through += 1;
        } catch (error) {
          expect(error).toMatchObject({ code: 'QUOTA', exitCode: 3, retryable: true });
        }
      }
      return through;
    };
    expect(sent(1_000)).toBe(50);
    clock.advance(100);
    expect(sent(1_000)).toBe(5);
    clock.advance(3_600_000);
    expect(sent(1_000)).toBe(50);
  });

  it('the rate may be less than one a second', () => {
    const clock = new FakeClock();
    const rate = new SendRate(clock, 0.5);
    rate.spend();
    expect(() => rate.spend()).toThrow('at most 0.5');
    clock.advance(2_000);
    rate.spend();
  });

  it('the rate limits what a member’s process sends, and neither persons nor the lead', async () => {
    const on = await team({ members: ['ada', 'bob'] });
    const member = { kind: 'member', name: name('ada'), incarnation: 'x' } as const;
    const person = { kind: 'person', name: name('ada') } as const;
    const many = async (handle: TeamHandle): Promise<number> => {
      const sent = await Promise.allSettled(Array.from({ length: 60 }, () => handle.send('bob', 'x')));
      return sent.filter(({ status }) => status === 'fulfilled').length;
    };
    const rate = (): SendRate => new SendRate(new FakeClock(), 50);
    expect(await many(new TeamHandle(on.handle.store, member, rate()))).toBe(50);
    expect(await many(new TeamHandle(on.handle.store, person, rate()))).toBe(60);
    expect(await many(on.handle)).toBe(60);
  });

  it('a refusal by the rate is an answer that the agent can act on, and never ends its work', async () => {
    const ada = scripted({ calls: Array.from({ length: 60 }, () => says('lead', 'x')), answers: 'done' });
    const on = await team({ members: [{ name: 'ada', agent: ada }], tasks: [{ subject: 'Shout' }] });
    await atWork(on, 'ada', { TEAMS_AGENT_SEND_RATE: '5' });
    await on.until('it is done', (board) => board.tasks.get('1')?.status === 'completed');
    const said = [...on.handle.inbox('lead')].filter(({ content }) => content === 'x');
    expect(said.length).toBeGreaterThanOrEqual(5);
    expect(said.length).toBeLessThan(60);
    // The runtime's own mail is not delayed by the agent's mail.
    await vi.waitUntil(() => [...on.handle.inbox('lead')].some(({ kind }) => kind === 'task_completed'));
  });
});

describe('a line that no program of ours wrote', () => {
  const foreign = (line: object): string =>
    `${JSON.stringify({ type: 'message', sender: 'lead', content: 'x', timestamp: 1, ...line })}\n`;

  it('a line of a foreign writer stops no teammate, though it is addressed and signed as the lead’s order', async () => {
    const on = await team({ members: ['ada'] });
    await atWork(on, 'ada');
    appendFileSync(on.paths.inbox(name('ada')).inbox, foreign({ type: 'shutdown_request', recipient: 'ada' }));
    await on.until('it is denied', () => on.events('message.denied').length > 0);
    expect(on.events('message.denied')).toMatchObject([{ text: containing('a foreign shutdown_request') }]);
  });

  it('a line of a foreign writer neither ends a team nor starts a member', async () => {
    const on = await team({ members: ['ada', 'bob'] });
    const session = await lead(on, { endsWhenDone: false });
    const loop = session.run();
    const orders = [{ kind: 'close' }, { kind: 'spawn', data: { member: 'bob' } }];
    for (const order of orders) appendFileSync(on.paths.inbox(LEAD).inbox, foreign({ recipient: 'lead', ...order }));
    await on.until('both are read', () => on.events('message.received').length === 2);
    expect(on.find('bob')).toBeUndefined();
    session.halt();
    expect((await loop).why).toBe('stopped');
  });
});
