/**
 * Collects what workers want changed in shared files, from their results and their mail, with the outcome of each wish.
 */
import { APPLIED, readSettledWish, readWished, type SettledWish } from '../../model/team/shared-file.ts';
import { wishesIn, type Settled, type SharedFileWish } from '../../policy/landing/shared-file-wishes.ts';
import { readResult } from '../../store/board/results.ts';
import { stateIn, type TeamReader, readableConfig } from '../../store/team/team-reader.ts';

type SharedWish = SharedFileWish & {
  readonly settled: Settled;
  /** An event says what became of it. */
  readonly isSettled: boolean;
};

/** All wishes so far, with their outcomes. A team without shared files has none. */
export function sharedWishes(store: TeamReader): SharedWish[] {
  const shares = readableConfig(store)?.division !== undefined || (stateIn(store)?.sharedFiles ?? []).length > 0;
  if (!shares) return [];
  const events = [...store.events.read()].map(({ event }) => event);
  const settled = new Map(events.flatMap((event) => readSettledWish(event) ?? []).map((one) => [one.wish, one]));
  return distinct([...wishesOfResults(store), ...wishesByMail(events)]).map((wish) => ({
    ...wish,
    settled: became(settled.get(wish.id)),
    isSettled: settled.has(wish.id),
  }));
}

/** The same file and text from several workers count as one wish, that of the first. */
function distinct(wishes: readonly SharedFileWish[]): SharedFileWish[] {
  const first = new Map<string, SharedFileWish>();
  for (const wish of wishes) {
    const words = `${wish.file} ${wish.text}`;
    if (!first.has(words)) first.set(words, wish);
  }
  return [...first.values()];
}

function became(event: SettledWish | undefined): Settled {
  if (event?.type === APPLIED) return { kind: 'applied' };
  return { kind: 'open', why: event === undefined ? 'not applied yet' : (event.why ?? 'left open') };
}

const wishesOfResults = ({ board, disk, paths }: TeamReader): SharedFileWish[] =>
  [...board.fold().tasks.values()].flatMap((task): SharedFileWish[] => {
    if (task.status !== 'completed') return [];
    const { id, by, result } = task;
    const text = readResult(disk, paths, id, by.epoch) ?? result.summary;
    return wishesIn(text).map((one, at) => ({ id: `${id}.${by.epoch}.${at}`, ...one, member: by.member, task: id }));
  });

const wishesByMail = (events: readonly unknown[]): SharedFileWish[] =>
  events.flatMap((event): SharedFileWish[] => {
    const { files = [], message = '', member, text = '' } = readWished(event) ?? {};
    return member === undefined ? [] : files.map((file) => ({ id: `${message} ${file}`, file, text, member }));
  });
