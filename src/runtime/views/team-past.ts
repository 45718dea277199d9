/**
 * What `why` must know of the time before the parts of both logs that it reads: times of members and of the team, and
 * the latest events about a subject. Of the logs only these events are read.
 */
import type { MemberTrace } from '../../model/past/board-trace.ts';
import { factsOf, logFact, type Fact, type ShownEvent } from '../../model/team/shown-event.ts';
import type { LogTimes } from '../../model/team/event-summary.ts';
import { OWN, SHOWN } from '../../policy/view/evidence.ts';
import type { MemberTimes, TimesBefore } from '../../policy/view/state-times.ts';
import type { TeamReader } from '../../store/team/team-reader.ts';
import type { IndexedEvents } from '../process/event-indexing.ts';
import { merged } from './merged-log.ts';

/** So many records of each log are read about all related subjects: as many are shown beside the subject's own. */
const RELATED = SHOWN + OWN + 1;

export class TeamPast {
  readonly #store: Pick<TeamReader, 'board' | 'events'>;
  readonly #indexed: IndexedEvents;

  /** @param store its board is folded, from its checkpoint on */
  constructor(store: Pick<TeamReader, 'board' | 'events'>, indexed: IndexedEvents) {
    this.#store = store;
    this.#indexed = indexed;
  }

  /** Whether there is any: the logs are then not read from their start. */
  get isKnown(): boolean {
    return this.#store.board.log.begunAt > 0 || this.#indexed.end > 0;
  }

  get times(): TimesBefore {
    const { opened, closing, closed, paused, changed, members } = this.#store.board.past.trace;
    const inLog = new Map(this.#indexed.times);
    const names = new Set<string>([...members.keys(), ...inLog.keys()]);
    const traces = new Map<string, MemberTrace>(members);
    return {
      team: { opened, closing, closed, paused, changed },
      members: new Map([...names].map((name) => [name, memberTimes(traces.get(name), inLog.get(name))])),
      ofTask: (id) => this.latest([`task ${id}`]),
    };
  }

  /**
   * The latest events about subjects, the first of which matters most, oldest first. Their numbers are below 1.
   *
   * @param subjects as in `Evidence.behind`
   */
  latest([subject = '', ...related]: readonly string[]): ShownEvent[] {
    if (!this.isKnown) return [];
    const { board, events } = this.#store;
    const places = (of: (one: string) => Places): number[] => {
      const { latest, further } = of(subject);
      return ascending([...latest, ...further, ...ascending(related.flatMap((one) => of(one).latest)).slice(-RELATED)]);
    };
    const facts = places((one) => this.#recordsOf(one)).flatMap((place) => {
      const event = board.log.recordAt(place);
      return event ? factsOf(event, board.board) : [];
    });
    const logged = places((one) => this.#eventsOf(one)).flatMap((number) => {
      const event = events.eventAt(number);
      return event ? [logFact(event)] : [];
    });
    const all: Fact[] = [...merged(facts, logged)];
    return all.map((fact, at) => Object.assign(fact, { number: at + 1 - all.length }));
  }

  /** In the board's log, before the part that is read. */
  #recordsOf(subject: string): Places {
    const { board } = this.#store;
    const { trace } = board.past;
    const [kind, name = ''] = subject.split(' ');
    if (kind === 'task') {
      const { named, moved } = board.log.placesOf(name) ?? { named: [] };
      return { latest: named, further: present([moved]) };
    }
    const traced = new Map<string, MemberTrace>(trace.members).get(name) ?? { records: [], ofProcess: [] };
    const latest = kind === 'team' ? trace.records : kind === 'process' ? traced.ofProcess : traced.records;
    return { latest: latest.filter((place) => place < board.log.begunAt), further: [] };
  }

  #eventsOf(subject: string): Places {
    const { facts, speech, decision, turn, failed } = this.#indexed.placesOf(subject) ?? { facts: [], speech: [] };
    return { latest: [...facts, ...speech], further: present([decision, turn, failed]) };
  }
}

/** Places of one subject in one log. */
interface Places {
  readonly latest: readonly number[];
  /** Earlier ones that matter if it is the subject of the answer. */
  readonly further: readonly number[];
}

const present = (places: readonly (number | undefined)[]): number[] => places.flatMap((place) => place ?? []);

const ascending = (places: readonly number[]): number[] => [...new Set(places)].sort((a, b) => a - b);

function memberTimes(traced: MemberTrace | undefined, { gone, checked }: LogTimes = {}): MemberTimes {
  const { joined, started, freed, left, acted = '' } = traced ?? {};
  return {
    joined,
    started,
    freed,
    gone: (left ?? '') > (gone ?? '') ? left : gone,
    checked: (checked ?? '') > acted ? checked : undefined,
  };
}
