/** Claiming and completing under aimed kills. */
import { ulid } from 'ulid';
import type { TeamStore } from '../../../src/store/team/team-store.ts';
import { boardFromCheckpoint, keepCheckpoint } from '../checkpoint.ts';
import { task } from '../team.ts';
import { accepted, begin, command, HIT, say, type Actor, type Scenario } from './scenario.ts';

function twoTasks({ store }: Actor): Promise<void> {
  for (let n = 0; n < 2; n += 1) {
    const id = String(store.board.fold().lastTaskId + 1);
    command(store, { type: 'task.created', task: id, fields: task('aimed at') });
  }
  return Promise.resolve();
}

const openTasks = ({ store }: Actor): string[] =>
  [...store.board.fold().tasks.values()].filter(({ status }) => status === 'pending').map(({ id }) => id);

const claim = ({ store, history, member, life }: Actor, id: string): Promise<boolean> =>
  history.attempt('claim', `${id} ${life}`, () =>
    say(store, { by: member, inc: life }, { type: 'task.claimed', task: id, member }),
  );

const complete = ({ store, history, member, life }: Actor, id: string): Promise<boolean> =>
  history.attempt('complete', `${id} ${life}`, () => {
    const epoch = store.board.fold().tasks.get(id)?.claims ?? 0;
    const result = { summary: life, files: [] };
    return say(store, { by: member, inc: life }, { type: 'task.completed', task: id, epoch, result });
  });

async function work(actor: Actor): Promise<void> {
  const held = actor.store.board.fold().busy.get(actor.member);
  if (held !== undefined) await complete(actor, held);
  for (const id of openTasks(actor)) if (await claim(actor, id)) await complete(actor, id);
}

/** The lead frees the other's claims, and the survivor does the rest. */
async function workAfter(actor: Actor): Promise<void> {
  const after = actor.store.board.fold().members.get(HIT)?.incarnation ?? null;
  command(actor.store, { type: 'member.started', name: HIT, inc: ulid(), after });
  begin(actor);
  await work(actor);
}

const CLAIMS: Scenario['there'] = {
  claim: (store) =>
    accepted(store).flatMap(({ event, outcome }) =>
      event.type === 'task.claimed' && 'by' in event.author && outcome.ok && outcome.changed.length > 0
        ? [`${event.task} ${event.author.inc}`]
        : [],
    ),
  complete: (store) =>
    accepted(store).flatMap(({ event }) =>
      event.type === 'task.completed' && 'by' in event.author ? [`${event.task} ${event.author.inc}`] : [],
    ),
};

export const claiming: Scenario = { prepare: twoTasks, warm: begin, act: work, survive: workAfter, there: CLAIMS };

/** Adds tasks, and writes a checkpoint after each. */
async function checkpoint({ store, history }: Actor): Promise<void> {
  for (let n = 0; n < 2; n += 1) {
    const tag = ulid();
    const change = { type: 'task.created', fields: task(tag) } as const;
    await history.attempt('add', tag, () =>
      command(store, { ...change, task: String(store.board.fold().lastTaskId + 1) }),
    );
    keepCheckpoint(store.paths, store.disk);
  }
}

async function checkpointAfter(actor: Actor): Promise<void> {
  await checkpoint(actor);
  begin(actor);
  await work(actor);
}

/** The board as it is folded from the last checkpoint on. */
function subjects({ paths }: TeamStore): string[] {
  const board = boardFromCheckpoint(paths);
  const all = [...board.fold().tasks.values()].map(({ subject }) => subject);
  board.close();
  return all;
}

export const checkpointing: Scenario = {
  act: checkpoint,
  survive: checkpointAfter,
  there: { ...CLAIMS, add: subjects },
};

export const completing: Scenario = {
  prepare: twoTasks,
  warm: async (actor) => {
    begin(actor);
    await claim(actor, openTasks(actor)[0] ?? '');
  },
  act: work,
  survive: workAfter,
  there: CLAIMS,
};
