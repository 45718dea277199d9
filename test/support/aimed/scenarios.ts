/**
 * The scenarios of aimed kills: the killed process and the survivor do the same. Each writes its history; `there` reads
 * the result from the store's files.
 */
import { ulid } from 'ulid';
import { LEAD } from '../../../src/model/text/names.ts';
import { takeLease } from '../../../src/store/team/lease.ts';
import { sending, taking } from './mail.ts';
import { accepted, begin, HIT, say, type Actor, type Scenario } from './scenario.ts';
import { checkpointing, claiming, completing } from './tasks.ts';

async function configure({ store, history }: Actor): Promise<void> {
  for (let n = 0; n < 2; n += 1) {
    const tag = ulid();
    await history.attempt('configure', tag, () =>
      store.config.update((current) => {
        if (current === undefined) throw new Error('there is no config');
        return { next: { ...current, env_pass: [...(current.env_pass ?? []), tag] }, result: true };
      }),
    );
  }
}

async function startMember({ store, history }: Actor): Promise<void> {
  for (let n = 0; n < 2; n += 1) {
    const life = ulid();
    await history.attempt('start', life, () => {
      store.roster.write({ version: 1, name: HIT, phase: 'spawning', incarnation: life });
      return begin({ store, history, member: HIT, life });
    });
  }
}

async function lead({ store, history }: Actor): Promise<void> {
  const { paths, disk, locks } = store;
  const answer = await takeLease(paths, LEAD, {
    disk,
    locks,
    now: () => Date.now(),
    onLost: () => undefined,
    isOurs: () => true,
  });
  if (!answer.held) {
    history.note({ op: 'lease', id: 'refused', kind: 'fail' });
    return;
  }
  const epoch = store.board.fold().lead.epoch + 1;
  const life = ulid();
  await history.attempt('lead', `${life} ${epoch}`, () =>
    say(store, { lead: life, epoch }, { type: 'lead.took', epoch }),
  );
  await answer.lease.release();
}

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  send: sending,
  take: taking,
  claim: claiming,
  complete: completing,
  checkpoint: checkpointing,
  configure: { act: configure, there: { configure: (store) => store.config.read()?.env_pass ?? [] } },
  start: {
    act: startMember,
    there: {
      start: (store) => accepted(store).flatMap(({ event }) => (event.type === 'member.started' ? [event.inc] : [])),
    },
  },
  lead: {
    act: lead,
    there: {
      lead: (store) =>
        accepted(store).flatMap(({ event }) =>
          event.type === 'lead.took' && 'lead' in event.author ? [`${event.author.lead} ${event.epoch}`] : [],
        ),
    },
  },
};
