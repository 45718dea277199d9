/**
 * After each kind of decision of the lead, `teams why worker-2` and `teams why 3` say in one paragraph what was decided
 * and why: for the member, for the task, and for the new owner.
 */
import { expect, it } from 'vitest';
import { decisionOf, decisionText } from '../../../src/policy/decision.ts';
import type { Verdict } from '../../../src/policy/sighting.ts';
import { why as explain, whyText } from '../../../src/runtime/views/why.ts';
import { followUp } from '../../policy/world.ts';
import { name } from '../../support/team.ts';
import { seen } from '../../policy/world.ts';
import { ToldTeam } from '../../support/told-team.ts';

const member = name('worker-2');
const [task, epoch, why] = ['3', 1, 'no progress on task #3 for 10m00s; it is alive'];
const heir = name('worker-1');

/** For each verdict, the subject that is asked about. */
const DECISIONS: Readonly<Record<Exclude<Verdict['do'], 'finish'>, readonly [Verdict, readonly string[]]>> = {
  resetDeadlines: [{ do: 'resetDeadlines', why }, ['']],
  restart: [{ do: 'restart', member, attempt: 1, why }, [member]],
  abandon: [{ do: 'abandon', member, why }, [member]],
  resetRestarts: [{ do: 'resetRestarts', member, why }, [member]],
  release: [{ do: 'release', reason: 'lost', member, task, epoch, why }, [member, task]],
  check: [{ do: 'check', member, task, why }, [member, task]],
  fence: [{ do: 'fence', member, task, epoch, reason: 'fenced', heir, stop: true, why }, [member, task, heir]],
  stop: [{ do: 'stop', member, why }, [member]],
  quarantine: [{ do: 'quarantine', member, why }, [member]],
  lift: [{ do: 'lift', member, why }, [member]],
  assign: [{ do: 'assign', task, owner: heir, why }, [task, heir]],
  skip: [{ do: 'skip', task, why }, [task]],
  'follow up': [
    { do: 'follow up', task, follow: followUp, place: { do: 'assign', owner: heir, why }, why },
    [task, heir],
  ],
  start: [{ do: 'start', member, why }, [member]],
  tell: [{ do: 'tell', task, what: 'checkpoint.reached', why }, [task]],
  pass: [{ do: 'pass', task, why }, [task]],
  redo: [{ do: 'redo', task, why }, [task]],
  improve: [{ do: 'improve', task, why }, [task]],
  stuck: [{ do: 'stuck', why }, ['']],
};

const NOBODY = { members: [] };

it('why quotes what the lead saw of the member when it decided', async () => {
  const team = new ToldTeam({ 'worker-1': 'executor/claude', 'worker-2': 'executor/claude' }).ledByUs();
  const saw = { process: 'alive', beatAge: 1_000, progressAge: 600_000, checkedFor: 300_000, restarts: 1 } as const;
  const verdict = { do: 'stop', member, why: 'it hangs' } as const;
  team.note('lead.decided', { ...decisionOf(verdict, { members: [seen(member, saw)] }) });
  const text = whyText(await explain(team.store, member), team.clock.now());
  expect(text).toContain(
    'the lead ended the process of worker-2: it hangs (it saw worker-2: alive, last heartbeat 1s ago, last progress 10m00s ago, status check sent, 1 restart).',
  );
});

it.each(Object.values(DECISIONS))('why explains the decision %j', async (verdict, subjects) => {
  const team = new ToldTeam({ 'worker-1': 'executor/claude', 'worker-2': 'executor/claude' }).ledByUs();
  team
    .add('One')
    .add('Two')
    .add('Three', { owner: 'worker-2' })
    .note('lead.decided', { ...decisionOf(verdict, NOBODY) });
  for (let at = 0; at < 10; at += 1) team.note('agent.said', { member: 'worker-2', task: '3', text: 'on and on' });
  for (const subject of subjects) {
    const answer = await explain(team.store, subject === '' ? undefined : subject);
    const text = whyText(answer, team.clock.now());
    expect(text.endsWith(` the lead ${decisionText(decisionOf(verdict, NOBODY))}.`), text).toBe(true);
    expect(text).not.toContain('\n');
  }
});

it.each([
  ['agent.fell_back', 'codex → claude for task #3: timeout: 10m00s'],
  ['agent.left_alone', 'No agent can replace codex. It failed: unauthorised: log in'],
])('why explains %s', async (type, text) => {
  const team = new ToldTeam({ 'worker-1': 'executor/claude', 'worker-2': 'executor/codex' }).ledByUs();
  team.add('One').add('Two').add('Three', { owner: 'worker-2' }).note('lead.decided', { act: 'pardon', member });
  team.note(type, { member, task: '3', text });
  for (const subject of [member, '3'])
    expect(whyText(await explain(team.store, subject), team.clock.now())).toMatch(new RegExp(` worker-2: ${text}\\.$`));
});
