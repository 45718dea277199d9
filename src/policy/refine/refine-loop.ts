/** The do–review–decide loop as data: its state, its next command, its ending. `convergence.ts` advances it. */
import type { FailureClass } from '../../model/agent/agent.ts';
import type { Name } from '../../model/text/names.ts';
import type { Candidate, RelayOutcome, Review, Validation } from '../../model/pipeline/round.ts';
import type { Rubric } from './rubric.ts';
import type { RatedCandidate, Selection } from './selection.ts';

export interface LoopSettings {
  /** At least one. */
  readonly backends: readonly Name[];
  readonly maxRounds: number;
  /** The backends write files: each continues from the files of the one before it, and a round has one result. */
  readonly inTurn: boolean;
  readonly rubric: Rubric;
}

export interface BackendState {
  readonly name: Name;
  readonly badOutputs: number;
  /** It has failed permanently and is asked no more. */
  readonly failed?: { readonly why: FailureClass; readonly message: string; readonly round: number };
}

export interface Reviewed extends RatedCandidate {
  readonly review: Review;
}

export interface Round {
  readonly n: number;
  /** The last outcome of each asked backend. */
  readonly outcomes: ReadonlyMap<Name, RelayOutcome>;
  readonly waited: boolean;
  /** Backends that were asked and had not answered when the loop was stopped. */
  readonly unanswered?: readonly Name[];
  readonly reviewed: readonly Reviewed[];
  readonly validation?: Validation;
  readonly selection?: Selection;
}

export type LoopCommand =
  | { readonly do: 'relay'; readonly round: number; readonly backends: readonly Name[] }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'review'; readonly round: number; readonly candidates: readonly Candidate[] }
  | { readonly do: 'clean up' }
  | { readonly do: 'synthesise' }
  | { readonly do: 'nothing' };

export type LoopEnding =
  | { readonly why: 'converged' }
  /** The last round is over. */
  | { readonly why: 'cap' }
  /** Every backend has failed permanently. */
  | { readonly why: 'backends' }
  /** No reviewer is available. */
  | { readonly why: 'reviewer'; readonly text: string }
  | { readonly why: 'interrupted' | 'error'; readonly text: string };

export type LoopOutcome =
  | { readonly kind: 'relay'; readonly outcomes: ReadonlyMap<Name, RelayOutcome> }
  | { readonly kind: 'wait' }
  | {
      readonly kind: 'review';
      readonly reviews: ReadonlyMap<Name, Review>;
      /** Of the files that all backends share. */
      readonly validation?: Validation | undefined;
      /** Of each backend's own files, where each has a tree. */
      readonly validations?: ReadonlyMap<Name, Validation> | undefined;
    }
  | { readonly kind: 'clean up' }
  | { readonly kind: 'synthesise' }
  /** From outside, at any time; `outcomes` are those that arrived before the stop. */
  | {
      readonly kind: 'stop';
      readonly ending: Extract<LoopEnding, { why: 'interrupted' | 'error' }>;
      readonly outcomes?: ReadonlyMap<Name, RelayOutcome> | undefined;
    };

export interface Loop {
  readonly settings: LoopSettings;
  readonly command: LoopCommand;
  readonly backends: readonly BackendState[];
  /** The last one is the present round. */
  readonly rounds: readonly [Round, ...Round[]];
  readonly best?: Reviewed;
  readonly ending?: LoopEnding;
}

export const present = ({ rounds }: Pick<Loop, 'rounds'>): Round => rounds.at(-1) ?? rounds[0];
