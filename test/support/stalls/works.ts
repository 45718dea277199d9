/**
 * What processes do to one team name at the same time: one of them stops between two file calls, another one does its
 * own work meanwhile. Each work tells what was acknowledged; nothing of that may be lost.
 */
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isTeamError } from '../../../src/model/text/errors.ts';
import { LEAD, parseName } from '../../../src/model/text/names.ts';
import type { Disk } from '../../../src/store/files/disk.ts';
import { teamPaths } from '../../../src/store/files/paths.ts';
import { pastMail, waitingMail } from '../../../src/store/mail/inbox-view.ts';
import { Reader } from '../../../src/store/mail/reader.ts';
import { createStore, type NewTeam } from '../../../src/store/team/create-store.ts';
import { archive, archiveStamp, findTeam, listTeams, recoverArchive } from '../../../src/store/team/team-list.ts';
import { openForReading } from '../../../src/store/team/team-reader.ts';
import { openStore, unknownTeam, type StoreOptions, type TeamStore } from '../../../src/store/team/team-store.ts';
import { keepCheckpoint } from '../checkpoint.ts';
import { realClock } from '../clock.ts';
import { fastClock } from '../clock-fast.ts';
import { noSeal } from '../no-seal.ts';
import { name, task } from '../team.ts';

const TEAM = parseName('team', 'tt');
const ADA = name('ada');

/** The subjects of tasks and the texts of messages that were acknowledged. */
export interface Told {
  readonly tasks: string[];
  readonly mail: string[];
  /** The texts of events. */
  readonly events?: string[];
  /** The work made a team, and nothing of its own removed it. */
  readonly made?: boolean;
}

/** Three or four events fill a file of the event log. */
const EVENT_FILE_BYTES = 300;

/** The process that is not stopped gives up early: for it time runs fast. */
const options = (disk?: Disk): StoreOptions => {
  const fast = fastClock();
  fast.race(500);
  return {
    clock: disk ? realClock : fast,
    disk,
    seal: noSeal,
    lockTimeoutMs: 20,
    durable: false,
    eventFileBytes: EVENT_FILE_BYTES,
  };
};

const newTeam = (): NewTeam => ({
  name: TEAM,
  profile: 'v8',
  claimMode: 'auto',
  config: { members: [{ name: ADA, agent_id: 'ada@tt', status: 'active', role: name('executor'), color: 36 }] },
  changes: [{ type: 'member.joined', name: ADA, role: name('executor'), prefixes: [] }],
});

/** Every work gets texts of its own, so that what is found can be told apart. */
type Work = (root: string, disk: Disk | undefined, tag: string) => Promise<Told>;

async function withStore<T>(
  root: string,
  disk: Disk | undefined,
  work: (store: TeamStore) => Promise<T> | T,
): Promise<T> {
  const found = findTeam(root, TEAM, disk);
  if (found === undefined || found.archivedAt !== undefined) throw unknownTeam(TEAM);
  const store = openStore(found.paths, options(disk));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

function addTask(store: TeamStore, subject: string): string[] {
  const { epoch } = store.board.fold().lead;
  const { outcome } = store.board.appendNow({ person: LEAD, epoch }, (board) => ({
    type: 'task.created',
    task: String(board.lastTaskId + 1),
    fields: task(subject),
  }));
  return outcome.ok ? [subject] : [];
}

async function say(store: TeamStore, content: string): Promise<string[]> {
  await store.sender.send({ sender: 'lead', recipient: ADA, draft: { type: 'message', content } });
  return [content];
}

export const WORKS = {
  /** Makes the team, then works in it. */
  async create(root, disk, tag) {
    const store = createStore(root, newTeam(), options(disk));
    try {
      return { tasks: addTask(store, `task ${tag}`), mail: await say(store, `mail ${tag}`), made: true };
    } finally {
      await store.close();
    }
  },
  /** Adds a task and writes a checkpoint. */
  checkpoint: (root, disk, tag) =>
    withStore(root, disk, (store) => {
      const tasks = addTask(store, `task ${tag}`);
      try {
        keepCheckpoint(store.paths, disk);
      } catch (error) {
        // As in the product: a checkpoint that cannot be written is no error.
        if (!isTeamError(error)) throw error;
      }
      return { tasks, mail: [] };
    }),
  /** Writes events until the log has gone on in two new files. */
  events: (root, disk, tag) =>
    withStore(root, disk, ({ events }) => {
      const texts = [1, 2, 3, 4, 5, 6, 7].map((n) => `event ${tag} ${n}`);
      const kept = texts.filter((text) => events.append({ type: 'member.said', text }) === undefined);
      return { tasks: [], mail: [], events: kept };
    }),
  delete: (root, disk) =>
    withStore(root, disk, (store) => {
      store.board.appendNow({ person: LEAD, epoch: store.board.fold().lead.epoch }, () => ({ type: 'team.closed' }));
      archive(store);
      return { tasks: [], mail: [] };
    }),
  recover: (root, disk) => {
    recoverArchive(root, archiveStamp(realClock.now()), disk);
    return Promise.resolve({ tasks: [], mail: [] });
  },
  send: (root, disk, tag) =>
    withStore(root, disk, async (store) => ({ tasks: [], mail: await say(store, `mail ${tag}`) })),
  /** What a lead does first: the election, and the state. */
  lead: (root, disk, tag) =>
    withStore(root, disk, async (store) => {
      const epoch = store.board.fold().lead.epoch + 1;
      const lead = `01ARZ3NDEKTSV4RRFFQ69G5F${tag.padStart(2, '0').slice(-2).toUpperCase()}`;
      store.board.appendNow({ lead, epoch }, () => ({ type: 'lead.took', epoch }));
      await store.config.update((current) => ({ next: current && { ...current, epoch }, result: undefined }));
      return { tasks: addTask(store, `task ${tag}`), mail: [] };
    }),
  /** Uses and acknowledges all waiting mail; what it acknowledged stays in the history. */
  take: (root, disk) =>
    withStore(root, disk, async ({ paths, disk: its, clock, locks, pinned }) => {
      const reader = new Reader(paths, ADA, { disk: its, clock, locks, pinned, isCurrent: () => true });
      try {
        const mail = await reader.take();
        reader.acknowledge(mail);
        return { tasks: [], mail: mail.map(({ content }) => content) };
      } finally {
        reader.close();
      }
    }),
} satisfies Record<string, Work>;
export type WorkName = keyof typeof WORKS;

/** The tasks and mail of the active team and of all archived ones. */
export function everything(root: string): { active: Told | undefined; all: Told } {
  const teams = listTeams(root).map(({ paths, archivedAt }) => {
    const reader = openForReading(paths, { clock: realClock });
    const tasks = [...reader.board.fold().tasks.values()].map(({ subject }) => subject);
    const events = [...reader.events.read()].flatMap(({ event: { type, text = '' } }) =>
      type === 'member.said' ? [text] : [],
    );
    reader.close();
    const inbox = paths.inbox(ADA);
    const mail = [...pastMail(reader.disk, inbox), ...waitingMail(reader.disk, inbox)].map(({ content }) => content);
    return { archivedAt, told: { tasks, mail, events } };
  });
  const told = teams.map((one) => one.told);
  return {
    active: teams.find(({ archivedAt }) => archivedAt === undefined)?.told,
    all: {
      tasks: told.flatMap(({ tasks }) => tasks),
      mail: told.flatMap(({ mail }) => mail),
      events: told.flatMap(({ events }) => events),
    },
  };
}

export type Before = 'nothing' | 'an orphaned board' | 'a team' | 'a half archived team';

/** What is acknowledged before the works begin. */
export async function prepare(root: string, before: Before): Promise<Told> {
  const paths = teamPaths(root, TEAM);
  const store = createStore(root, newTeam(), options());
  const told = { tasks: addTask(store, 'task before'), mail: await say(store, 'mail before') };
  if (before === 'a half archived team')
    store.board.appendNow({ person: LEAD, epoch: 0 }, () => ({ type: 'team.closed' }));
  await store.close();
  if (before === 'a half archived team') renameSync(paths.board, join(paths.folder, 'tasks'));
  if (before === 'a team' || before === 'a half archived team') return told;
  rmSync(paths.folder, { recursive: true });
  if (before === 'nothing') rmSync(paths.board, { recursive: true });
  return { tasks: [], mail: [] };
}
