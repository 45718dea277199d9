/**
 * `teams replay`: the recorded looks of a team's leads and the recorded turns of its agents are judged again by the
 * policies of this version, without a model, a process or a clock; what they decide now is compared with what was decided
 * then.
 */
import { isDeepStrictEqual } from 'node:util';
import { emptyBoard } from '../../model/board/board.ts';
import { plainVerdict, type LookRecord, type PlainVerdict, type TurnRecord } from '../../model/team/look-record.ts';
import { LookReader } from '../../policy/look-record.ts';
import { judgeEndedTurn, type EndedTurn, type TurnVerdict } from '../../policy/outcome.ts';
import type { Limits, Sighting, Verdict } from '../../policy/sighting.ts';
import { judge } from '../../policy/supervise/judge.ts';
import { judged } from '../../store/board/fold-line.ts';
import type { PlacedEvent, Recording } from '../../store/session/recorded-run.ts';

/** What decides. */
export interface Policies {
  readonly judge: (sighting: Sighting, limits: Limits) => readonly Verdict[];
  readonly judgeEndedTurn: (turn: EndedTurn) => TurnVerdict;
}

/** A decision that is another one now. */
export interface DecisionDifference {
  readonly kind: 'look' | 'turn';
  /** Its number among the looks, or among the turns, from 1. */
  readonly number: number;
  readonly at: string;
  /** What differs, each as recorded, with what it is about. */
  readonly then: readonly PlainVerdict[];
  readonly now: readonly PlainVerdict[];
}

export interface ReplayResult {
  readonly looks: number;
  readonly turns: number;
  /** Decisions that were recorded. */
  readonly decisions: number;
  /** Looks and turns that are decided in another way now. */
  readonly differences: number;
  readonly first: DecisionDifference | null;
  /** Looks at which nothing but time had passed, or that could not be written. */
  readonly notRecorded: number;
  /** Records that could not be replayed: damaged, without their beginning, or of a lead that was replaced meanwhile. */
  readonly notReplayed: number;
  /** The recording ends before the run: it had grown too large. */
  readonly isCut: boolean;
}

/** @param policies by default those of this version */
export function replay({ log, records }: Recording, policies: Policies = { judge, judgeEndedTurn }): ReplayResult {
  const board = new BoardAhead(log);
  const readers = new Map<number, LookReader>();
  let [looks, turns, decisions, differences, notRecorded, notReplayed] = [0, 0, 0, 0, 0, 0];
  let [isCut, first]: [boolean, DecisionDifference | null] = [false, null];
  const compared = (difference: DecisionDifference): void => {
    decisions += difference.then.length;
    if (isDeepStrictEqual(difference.then, difference.now)) return;
    differences += 1;
    first ??= difference;
  };
  for (const record of records) {
    if (record === undefined) notReplayed += 1;
    else if (record.type === 'full') isCut = true;
    else if (record.type === 'turn') {
      turns += 1;
      compared(turnAgain(record, turns, policies));
    } else {
      notRecorded += record.skipped ?? 0;
      const reader = readers.get(record.epoch) ?? new LookReader();
      readers.set(record.epoch, reader);
      const difference = lookAgain(record, looks + 1, { reader, board, policies });
      if (difference === undefined) notReplayed += 1;
      else {
        looks += 1;
        compared(difference);
      }
    }
  }
  return { looks, turns, decisions, differences, first, notRecorded, notReplayed, isCut };
}

function lookAgain(
  record: LookRecord,
  number: number,
  { reader, board, policies }: { reader: LookReader; board: BoardAhead; policies: Policies },
): DecisionDifference | undefined {
  const look = reader.read(record);
  if (look === undefined || !board.reaches(record.board)) return undefined;
  const now = policies.judge({ ...look.seen, board: board.board }, look.limits).map(plainVerdict);
  return { kind: 'look', number, at: record.at, then: record.verdicts, now };
}

function turnAgain(record: TurnRecord, number: number, { judgeEndedTurn: judgeTurn }: Policies): DecisionDifference {
  const { end, kind, profile, remedied, timeoutMs, at, verdict } = record;
  const now = judgeTurn({ end, kind, profile, remedied, task: { work: { timeoutMs } } });
  return { kind: 'turn', number, at, then: [verdict], now: [plainVerdict(now)] };
}

/** The board, folded as far as each look has it. */
class BoardAhead {
  readonly board = emptyBoard();
  readonly #log: Iterator<PlacedEvent>;
  #next: PlacedEvent | undefined;
  #folded = 0;

  constructor(log: Iterable<PlacedEvent>) {
    this.#log = log[Symbol.iterator]();
    this.#step();
  }

  /** @returns false if it is folded further already */
  reaches(offset: number): boolean {
    if (offset < this.#folded) return false;
    while (this.#next !== undefined && this.#next.at < offset) {
      judged(this.board, this.#next.event);
      this.#step();
    }
    this.#folded = offset;
    return true;
  }

  #step(): void {
    const next = this.#log.next();
    this.#next = next.done === true ? undefined : next.value;
  }
}
