/** Why a team, a member or a task waits: what for, since when, who must act, what comes next and when. */
import { describe, expect, it } from 'vitest';
import { resolveTask } from '../../../src/model/board/task-reference.ts';
import { explainTask } from '../../../src/policy/explain/explain-task.ts';
import { explainMember, explainTeam } from '../../../src/policy/explain/explain-team.ts';
import type { Explanation, Facts, LeadFacts } from '../../../src/policy/explain/explanation.ts';
import { memberFacts, type SeenNow } from '../../../src/policy/explain/member-facts.ts';
import { describeMember, type MemberNote } from '../../../src/policy/supervise/progress.ts';
import { Evidence } from '../../../src/policy/view/evidence.ts';
import { StateTimes } from '../../../src/policy/view/state-times.ts';
import { MINUTE, name, seen, world, type TaskSketch, type World } from '../world.ts';

const SECOND = 1_000;
const START = Date.parse('2026-01-01T00:00:00.000Z');
/** The time `ms` milliseconds after the start. */
const after = (ms: number): string => new Date(START + ms).toISOString();
const Q = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

type Sight = Partial<Omit<SeenNow, 'status' | 'seen'>> & {
  readonly seen?: Partial<NonNullable<SeenNow['seen']>>;
  readonly note?: MemberNote;
  readonly unread?: number;
};

/** A team at one moment: its log, and the observed state of its members and its lead. */
class Scene {
  readonly team: World;
  readonly #sights = new Map<string, Sight | null>();
  #lead: LeadFacts = { alive: true, pid: 7 };

  constructor(tasks: readonly TaskSketch[], profile: 'v8' | 'forge' | 'relay' = 'v8') {
    this.team = world({ profile, claim: profile === 'v8' ? 'auto' : 'assigned', members: ['ada', 'bob'], tasks });
  }

  do(deed: (team: World) => unknown): this {
    deed(this.team);
    return this;
  }

  wait(ms: number): this {
    this.team.now += ms;
    return this;
  }

  see(member: string, snapshot: Sight): this {
    this.#sights.set(member, snapshot);
    return this;
  }

  led(lead: LeadFacts): this {
    this.#lead = lead;
    return this;
  }

  asks(kind: 'question' | 'plan' | 'consensus'): this {
    return this.do((team) =>
      team.member('ada', { type: 'request.made', request: Q, kind, about: '1', text: 'May I?' }),
    );
  }

  facts(): Facts {
    const { board, now, shown } = this.team;
    const since = new StateTimes();
    for (const event of shown) since.add(event);
    return {
      team: name('alpha'),
      board,
      since,
      now,
      lead: this.#lead,
      warnAfterMs: 5 * MINUTE,
      reassignAfterMs: 10 * MINUTE,
      shutdownWaitMs: 15 * SECOND,
      members: new Map([...board.members.keys()].map((one) => [one, this.#memberFacts(one, since)])),
    };
  }

  #memberFacts(member: string, since: StateTimes) {
    const { board, now } = this.team;
    const of = board.members.get(name(member));
    if (!of) throw new Error(member);
    const { seen: change = {}, note, unread = 0, ...rest } = this.#sights.get(member) ?? {};
    const stalledAfterMs = rest.agent === 'exec' ? Infinity : 5 * MINUTE;
    const look = { ...seen(member, { beatAge: 0, progressAge: 0 }), ...change };
    const told = describeMember(board, of, { seen: look, stalledAfterMs, note });
    const task = board.busy.get(of.name) ?? null;
    const status = { name: of.name, role: of.role, ...told, pid: null, task, unread };
    return memberFacts({ status, seen: look, ...rest }, { board, since, now });
  }

  why(subject?: string): Explanation {
    const facts = this.facts();
    if (subject === undefined) return explainTeam(facts);
    const member = facts.board.members.get(name(subject === '' || /^[0-9]/.test(subject) ? 'nobody' : subject));
    return member ? explainMember(facts, member.name) : explainTask(facts, resolveTask(facts.board, subject));
  }
}

/** #1 ← #2 ← #3: ada works on the first, bob owns the others. */
const chain = (): Scene =>
  new Scene([{ owner: 'ada' }, { owner: 'bob', blockedBy: ['1'] }, { owner: 'bob', blockedBy: ['2'] }]).do((team) =>
    team.claim('ada', '1'),
  );
const pair = (...tasks: TaskSketch[]): Scene => new Scene(tasks);
const dies = (scene: Scene, restarts = 0): Scene => {
  const died = new Date(scene.team.now).toISOString();
  return scene.see('ada', { seen: { process: 'dead', death: 'signal SIGKILL', restarts }, died });
};
/** Tasks of ada and bob that ended, before a lead ended the team. */
const ended = (work: (team: World) => unknown, first: TaskSketch = {}, ...others: TaskSketch[]): Scene =>
  new Scene([{ owner: 'ada', ...first }, ...others])
    .do((team) => team.claim('ada', '1'))
    .do(work)
    .do((team) => team.lead({ type: 'team.closing' }))
    .led({ alive: false, pid: null });
const failed = (): Scene => chain().do((team) => team.fail('ada', '1'));

type Row = [about: string, subject: string | undefined, scene: () => Scene, wanted: object];

const ROWS: Row[] = [
  [
    'a running task after the clock was set back, by what its time-out is at most',
    '1',
    () =>
      chain()
        .see('ada', { agent: 'exec' })
        .wait(-60 * MINUTE),
    { limit: { text: `The time-out of #1 ends the attempt in 10m00s.` } },
  ],
  [
    'a running task, by its time-out',
    '1',
    () => chain().see('ada', { agent: 'exec' }).wait(MINUTE),
    {
      waitingFor: 'ada to finish it',
      since: after(0),
      who: 'ada',
      next: 'When #1 completes, #2 can go on.',
      limit: {
        at: START + 10 * MINUTE,
        text: `The time-out of #1 ends the attempt in 9m00s.`,
      },
    },
  ],
  [
    'a running task, by its own time-out',
    '1',
    () => pair({ owner: 'ada', work: { timeoutMs: 20 * SECOND } }).do((team) => team.claim('ada', '1')),
    { next: 'Nothing else waits for #1.', limit: { at: START + 20 * SECOND } },
  ],
  [
    'work whose time is over and which is being checked',
    '1',
    () =>
      chain()
        .see('ada', { agent: 'exec' })
        .wait(11 * MINUTE),
    { waitingFor: 'ada to finish it', limit: undefined },
  ],
  [
    'a turn after an answer, by the time-out of the turn',
    '1',
    () =>
      chain()
        .see('ada', { agent: 'exec' })
        .asks('question')
        .wait(MINUTE)
        .do((team) => team.lead({ type: 'request.answered', request: Q, approve: false, text: 'You may.' })),
    { limit: { at: START + 11 * MINUTE } },
  ],
  [
    'a silent agent, by the time of its status check',
    '1',
    () =>
      chain()
        .wait(MINUTE)
        .see('ada', { agent: 'claude', seen: { progressAge: MINUTE } }),
    { limit: { text: `Without progress of ada the lead sends a STATUS CHECK in 4m00s.` } },
  ],
  [
    'the dependant of a running task',
    '2',
    chain,
    {
      waitingFor: '#1 (ada works on it)',
      since: after(0),
      who: 'ada',
      next: 'When #1 completes, #2 can go on. Then bob can begin it.',
      limit: { at: START + 5 * MINUTE },
      about: { tasks: ['1', '1'] },
    },
  ],
  [
    'a dependant that was added later, since its creation',
    '4',
    () =>
      chain()
        .wait(MINUTE)
        .do((team) => team.add({ blockedBy: ['1'] })),
    { since: after(MINUTE), next: 'When #1 completes, #2, #4 can go on. Then any member may claim it.' },
  ],
  [
    'the end of a chain, by the first task of the chain',
    '3',
    chain,
    { waitingFor: '#2, in the end for #1', who: 'ada', about: { tasks: ['2', '1'] } },
  ],
  [
    'a task behind two running ones, by every member that it waits for',
    '3',
    () =>
      pair({ owner: 'ada' }, { owner: 'bob' }, { blockedBy: ['1', '2'] }).do((team) => {
        team.claim('ada', '1');
        team.claim('bob', '2');
      }),
    { who: 'ada, bob', waitingFor: '#1 (ada works on it), #2 (bob works on it), in the end for #1, #2' },
  ],
  [
    'a task whose worker died, by the time of the restart',
    '1',
    () => dies(chain()).wait(2 * SECOND),
    {
      waitingFor: 'a new process of ada: the last one died (signal SIGKILL; it will be restarted)',
      since: after(0),
      who: 'lead',
      nextAt: after(5 * SECOND),
      about: { members: ['ada'] },
      next: `ada is restarted in 3s.`,
    },
  ],
  [
    'a dependant of a blocked worker, by what blocks the worker',
    '2',
    () => dies(chain()).wait(2 * SECOND),
    {
      waitingFor:
        '#1 (ada works on it); #1 waits for a new process of ada: the last one died (signal SIGKILL; it will be restarted)',
      next: `ada is restarted in 3s. Then bob can begin it.`,
      nextAt: after(5 * SECOND),
      about: { members: ['ada'] },
    },
  ],
  ['a second death, by the longer pause', 'ada', () => dies(chain(), 1), { nextAt: after(10 * SECOND) }],
  [
    'a member that dies again and again',
    'ada',
    () => dies(chain(), 3),
    { next: 'ada is not restarted again; its tasks go to others.', nextAt: undefined },
  ],
  [
    'a death without a lead',
    'ada',
    () => dies(chain()).led({ alive: false, pid: null }),
    { who: null, next: 'The team has no lead: `teams resume alpha` continues it.', nextAt: undefined },
  ],
  [
    'a stalled worker, by the time when its task is taken away',
    '1',
    () =>
      chain()
        .wait(400 * SECOND)
        .see('ada', { agent: 'claude', seen: { progressAge: 400 * SECOND } }),
    {
      since: after(0),
      who: 'ada',
      nextAt: after(10 * MINUTE),
      next: `Without it, ada's task goes to another member in 3m20s.`,
    },
  ],
  [
    'a stopped process, by the time when it counts as dead',
    'ada',
    () =>
      chain()
        .wait(MINUTE)
        .see('ada', { seen: { beatAge: MINUTE } }),
    {
      waitingFor: 'a heartbeat of ada, whose process lives but has had none for 1m00s',
      since: after(0),
      who: 'ada',
      nextAt: after(2 * MINUTE),
      next: `Without one, it counts as dead and its task goes to another member in 1m00s.`,
    },
  ],
  [
    'a rate-limited member, by the end of the pause',
    'ada',
    () =>
      chain().see('ada', {
        note: { state: 'rate-limited', reason: 'its vendor asked for a pause', forMs: 30 * SECOND },
        noted: START,
        until: START + 30 * SECOND,
      }),
    {
      waitingFor: "the limit of ada's agent to pass (its vendor asked for a pause (30s more))",
      since: after(0),
      who: 'ada',
      nextAt: after(30 * SECOND),
      next: `ada continues by itself in 30s.`,
    },
  ],
  [
    'a starting member, by the time when it must be ready',
    'bob',
    () => chain().see('bob', { seen: { process: 'starting' }, forked: START }),
    { since: after(0), nextAt: after(300 * SECOND) },
  ],
  [
    'a quarantined member',
    'ada',
    () => pair().see('ada', { seen: { quarantined: true, consecutiveFailures: 3 }, quarantined: after(0) }),
    {
      since: after(0),
      who: 'lead',
      waitingFor: 'another member in place of ada (3 failed tasks in a row; it gets no new tasks)',
      next: 'The lead gives its tasks to others; it stays so until `teams spawn alpha ada`.',
    },
  ],
  [
    'a member that stopped',
    'ada',
    () =>
      pair()
        .wait(SECOND)
        .see('ada', { seen: { process: 'none' } })
        .do((team) => team.note('member.stopped', { member: 'ada' })),
    { since: after(SECOND), waitingFor: 'ada, which does not run (its process ended in order)' },
  ],
  [
    'a question to the lead',
    '1',
    () => chain().asks('question'),
    {
      waitingFor: "an answer to ada's question",
      since: after(0),
      who: 'lead',
      next: `ada continues when the lead answers: \`teams answer alpha ${Q} TEXT\`.`,
    },
  ],
  [
    'a plan that waits for approval',
    'ada',
    () => chain().asks('plan'),
    {
      waitingFor: "the approval of ada's plan",
      who: 'lead',
      next: 'ada continues when the lead answers: `teams task approve alpha 1`.',
    },
  ],
  [
    'a question in a team without a lead',
    undefined,
    () => chain().asks('question').led({ alive: false, pid: null }),
    {
      waitingFor: "an answer to ada's question",
      next: `ada continues when the lead answers: \`teams answer alpha ${Q} TEXT\`. The team has no lead: \`teams resume alpha\` continues it.`,
    },
  ],
  [
    'a failed task with dependants',
    '1',
    failed,
    {
      waitingFor: 'a decision, because it failed (it broke) and #2 waits for it',
      since: after(0),
      who: 'lead',
      about: { members: ['ada'] },
    },
  ],
  [
    'a dependant of a failed task',
    '3',
    failed,
    {
      waitingFor: '#2, in the end for #1',
      who: 'lead',
      next: '`teams task retry alpha 1`, or `teams task unblock alpha 3`, or skip it.',
    },
  ],
  [
    'a failed task without dependants',
    '1',
    () => pair({ owner: 'ada' }).do((team) => team.attempt('ada', '1')),
    {
      waitingFor: null,
      next: 'It failed (it broke), and nothing happens by itself. `teams task retry alpha 1` tries again.',
    },
  ],
  [
    'a completed task',
    '1',
    () => chain().do((team) => team.complete('ada', '1')),
    { waitingFor: null, who: null, next: 'It is completed: nothing more will happen.' },
  ],
  [
    'a ready task of a busy member',
    '2',
    () => pair({}, { owner: 'bob' }).do((team) => team.claim('bob', '1')),
    { waitingFor: 'bob, who works on #1', about: { tasks: ['1'] } },
  ],
  ['a ready task of an idle member', '1', () => pair({ owner: 'bob' }), { waitingFor: 'bob to claim it', who: 'bob' }],
  [
    'a task whose agent failed, by the time of the next try',
    '1',
    () =>
      chain().do((team) => {
        team.note('agent.failed', { member: 'ada', task: '1', retry_after_ms: 9 * SECOND });
        team.member('ada', { type: 'task.released', task: '1', epoch: 1, reason: 'agent', why: '429' });
      }),
    {
      waitingFor: 'ada to try again after a fault of its agent',
      who: 'ada',
      nextAt: after(9 * SECOND),
      next: `ada begins it again in 9s.`,
    },
  ],
  ['a task for a role', '1', () => pair({ role: 'designer' }), { waitingFor: 'an idle member of the role designer' }],
  ['an unowned task', '1', () => pair({}), { waitingFor: 'an idle member', who: null }],
  [
    'an unowned task that the lead must assign',
    '1',
    () => new Scene([{}], 'forge'),
    { waitingFor: 'the lead to assign it', who: 'lead' },
  ],
  [
    'a task of the lead',
    '1',
    () => pair({ owner: 'lead' }),
    { who: 'lead', next: '`teams task claim alpha 1` begins it.' },
  ],
  [
    'a checkpoint',
    '1',
    () => pair({ metadata: { _checkpoint: true } }),
    { waitingFor: "a person's approval at this checkpoint", since: after(0), who: 'lead' },
  ],
  [
    'a member whose task is blocked, since it became idle',
    'bob',
    () =>
      chain()
        .do((team) => team.add({ owner: 'bob' }))
        .do((team) => team.claim('bob', '4'))
        .wait(MINUTE)
        .do((team) => team.complete('bob', '4')),
    { waitingFor: '#1 (ada works on it)', who: 'ada', since: after(MINUTE) },
  ],
  ['an idle member', 'bob', pair, { waitingFor: 'a task or mail', who: 'lead', since: after(0) }],
  [
    'an idle member, since its last task ended',
    'ada',
    () =>
      pair({ owner: 'ada' })
        .do((team) => team.claim('ada', '1'))
        .wait(MINUTE)
        .do((team) => team.complete('ada', '1')),
    { waitingFor: 'a task or mail', since: after(MINUTE) },
  ],
  [
    'a member with mail',
    'bob',
    () => pair().see('bob', { unread: 2 }),
    { next: 'It has 2 unread messages to read. A ready task that it may claim, or mail, gives it work.' },
  ],
  ['a working team', undefined, chain, { waitingFor: '#1 (ada)', who: 'ada', limit: { at: START + 5 * MINUTE } }],
  [
    'a team with two running tasks, by the first limit',
    undefined,
    () =>
      pair({ owner: 'ada' }, { owner: 'bob', work: { timeoutMs: 9 * SECOND } }).do((team) => {
        team.claim('ada', '1');
        team.claim('bob', '2');
      }),
    {
      waitingFor: '#1 (ada), #2 (bob)',
      who: 'ada, bob',
      limit: { text: `The first limit: The time-out of #2 ends the attempt in 9s.` },
    },
  ],
  ['a team whose worker died', undefined, () => dies(chain()), { who: 'lead', nextAt: after(5 * SECOND) }],
  ['a team without tasks', undefined, pair, { waitingFor: 'its first task', since: after(0) }],
  [
    'a team that is blocked by a failure',
    undefined,
    failed,
    { who: 'lead', next: '`teams task retry alpha 1`, or `teams task unblock alpha 2`, or skip it.' },
  ],
  [
    'a team without a lead, since the last heartbeat',
    undefined,
    () =>
      chain()
        .wait(MINUTE)
        .led({ alive: false, pid: null, lastBeat: START + SECOND }),
    {
      waitingFor: 'a lead: the last one is gone',
      since: after(SECOND),
      who: null,
      next: 'The team has no lead: `teams resume alpha` continues it.',
    },
  ],
  [
    'a team whose lead is stopped',
    undefined,
    () => chain().wait(MINUTE).led({ alive: true, pid: 7, lastBeat: START }),
    {
      waitingFor: 'a heartbeat of its lead (pid 7), whose process lives but has had none for 1m00s',
      since: after(0),
      who: 'lead',
    },
  ],
  ...[undefined, '1'].map((subject): Row => [
    'a result without consensus',
    subject,
    () =>
      chain()
        .asks('consensus')
        .do((team) => team.complete('ada', '1')),
    {
      waitingFor: 'a decision about #1, whose discussion ended without consensus',
      who: 'lead',
      next: 'The tasks that wait for it continue after `teams task approve alpha 1`; `teams task revise alpha 1 TEXT` repeats the work.',
    },
  ]),
  [
    'the next lead after a stopped one',
    '2',
    () =>
      chain()
        .asks('consensus')
        .do((team) => team.complete('ada', '1')),
    { waitingFor: '#1 (done without consensus)', who: 'lead' },
  ],
  [
    'a finished team',
    undefined,
    () =>
      chain()
        .wait(SECOND)
        .do((team) => team.lead({ type: 'task.skipped', task: '1', cascade: true, why: '' })),
    { waitingFor: null, since: after(SECOND) },
  ],
  [
    'a closing team, by the time of the signal',
    undefined,
    () =>
      chain()
        .do((team) => team.lead({ type: 'team.closing' }))
        .wait(SECOND),
    {
      waitingFor: 'its members to stop',
      since: after(0),
      who: 'lead',
      nextAt: after(15 * SECOND),
      next: `A process that still runs is sent SIGTERM in 14s.`,
    },
  ],
  [
    'a team that was shut down with open tasks',
    undefined,
    () =>
      chain()
        .do((team) => team.lead({ type: 'team.closing' }))
        .wait(MINUTE)
        .led({ alive: false, pid: null }),
    {
      waitingFor: 'a lead: it was shut down with work left',
      since: after(0),
      next: 'The team has no lead: `teams resume alpha` continues it.',
    },
  ],
  [
    'a team whose run has ended',
    undefined,
    () => ended((team) => team.complete('ada', '1')),
    { waitingFor: null, since: after(0), who: null, next: 'Its run has ended: nothing more will happen.' },
  ],
  [
    'a team whose run has ended with a failed task',
    undefined,
    () => ended((team) => team.fail('ada', '1')),
    {
      waitingFor: null,
      since: after(0),
      who: null,
      next: '#1 failed (it broke), and its run has ended. `teams resume alpha --retry-failed` tries it again.',
      about: { tasks: ['1'] },
    },
  ],
  [
    'a team whose run has ended with failed tasks',
    undefined,
    () =>
      ended(
        (team) => {
          team.fail('ada', '1');
          team.attempt('bob', '2');
        },
        {},
        { owner: 'bob' },
      ),
    {
      next: '#1, #2 failed, and its run has ended. `teams report alpha` says why; `teams resume alpha --retry-failed` tries them again.',
      about: { tasks: ['1', '2'] },
    },
  ],
  [
    'a team whose run has ended, and what failed was not required',
    undefined,
    () => ended((team) => team.fail('ada', '1'), { required: false }),
    { next: 'Its run has ended: nothing more will happen.' },
  ],
  [
    'a member of a team whose run has ended with a failed task',
    'bob',
    () => ended((team) => team.fail('ada', '1')),
    { next: 'Its run has ended: nothing more will happen.' },
  ],
  [
    'a signalled team, by the time of the kill',
    undefined,
    () =>
      chain()
        .do((team) => team.lead({ type: 'team.closing' }))
        .wait(16 * SECOND),
    {
      nextAt: after(20 * SECOND),
      next: `A process that still runs is killed in 4s.`,
    },
  ],
  ...[undefined, 'ada', '2'].map((subject): Row => [
    'a closed team, and what was left in it',
    subject,
    () =>
      chain()
        .wait(SECOND)
        .do((team) => team.lead({ type: 'team.closed' })),
    { waitingFor: null, since: after(SECOND), next: 'It is closed: nothing more will happen.' },
  ]),
];

describe('why', () => {
  it.each(ROWS)('why explains %s', (_, subject, scene, wanted) => {
    expect({ nextAt: undefined, limit: undefined, ...scene().why(subject) }).toMatchObject(wanted);
  });
});

describe('the events behind an answer', () => {
  const behind = ({ team }: Scene, subject: string, about = {}): string[] => {
    const evidence = new Evidence(team.board);
    for (const event of team.shown) evidence.add(event);
    return evidence.behind(subject, about).map(({ type, member }) => `${type} ${member ?? ''}`);
  };

  it('the events of an answer are those of its subject and of what the subject waits for', () => {
    const scene = chain().do((team) => team.note('lead.decided', { act: 'check', member: 'ada', task: '1' }));
    const own = ['task.created lead'];
    expect(behind(scene, 'task 2')).toEqual(own);
    expect(behind(scene, 'task 2', { tasks: ['1'] })).toEqual([...own, ...own, 'task.claimed ada', 'lead.decided ada']);
    expect(behind(scene, 'member bob')).toEqual(['member.joined bob', 'member.started bob']);
  });

  it('the events of an answer are few, and always include the last decision', () => {
    const scene = chain().do((team) =>
      team.note('lead.decided', { act: 'fence', member: 'ada', task: '1', to: 'bob' }),
    );
    for (let at = 0; at < 20; at += 1)
      for (const member of ['ada', 'bob'])
        scene.team.note(at % 2 === 0 ? 'agent.said' : 'agent.acted', { member, task: '1' });
    for (const subject of ['task 1', 'member ada', 'member bob', 'team']) {
      const shown = behind(scene, subject, { tasks: ['1', '2'], members: ['ada'] });
      expect(shown).toContain('lead.decided ada');
      expect(shown.length).toBeLessThanOrEqual(8);
    }
  });

  it('the events of an answer tell how a process that is waited for ended', () => {
    const scene = chain().do((team) => team.note('member.exited', { member: 'ada', text: 'signal SIGKILL' }));
    expect(behind(scene, 'task 2', { members: ['ada'] })).toContain('member.exited ada');
  });
});
