/** The state of the dashboard: what is shown, what is chosen, what the person is typing. */
import type { PastMove } from '../../../app.ts';
import type { Subject } from './dashboard-rows.ts';

export type Key =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind:
        | 'up'
        | 'down'
        | 'left'
        | 'right'
        | 'stepLeft'
        | 'stepRight'
        | 'pageUp'
        | 'pageDown'
        | 'home'
        | 'end'
        | 'tab'
        | 'enter'
        | 'escape'
        | 'erase'
        | 'interrupt'
        | 'suspend';
    }
  /** A button or the wheel of the mouse, at a cell of the screen; both count from 0. */
  | { readonly kind: 'click' | 'wheelUp' | 'wheelDown'; readonly x: number; readonly y: number };

/** What is shown: the team, the help, or one thing on the whole screen. */
export type Pane =
  | { readonly kind: 'team' | 'help' }
  | { readonly kind: 'output'; readonly of: Subject }
  | { readonly kind: 'inbox'; readonly member: string }
  /** Without a task: of the whole team. */
  | { readonly kind: 'diff' | 'why'; readonly task?: string | undefined };

/** What follows from a typed line; an order that is undefined does nothing. */
export type Asked = { readonly order: Order | undefined } | { readonly filter: string } | { readonly find: string };

/** A line that the person is typing. */
export interface Prompt {
  readonly label: string;
  readonly text: string;
  readonly then: (text: string) => Asked;
  /** An empty line is accepted. */
  readonly mayBeEmpty: boolean;
}

/** What must be done outside this state: by the session, for the view itself, or for the team. */
export type Order =
  | { readonly do: 'quit' }
  | { readonly do: 'plain' }
  | { readonly do: 'suspend' }
  | { readonly do: 'copy' }
  | { readonly do: 'past'; readonly move: PastMove }
  | TeamOrder;

export type TeamOrder =
  | { readonly do: 'retryAll' | 'pause' }
  | { readonly do: 'send'; readonly to: string; readonly text: string }
  | { readonly do: 'answer'; readonly id: string; readonly text: string }
  | { readonly do: 'revise'; readonly task: string; readonly text: string }
  | { readonly do: 'decide'; readonly task: string; readonly approve: boolean; readonly text: string }
  | { readonly do: 'retry' | 'skip'; readonly task: string }
  | { readonly do: 'stop'; readonly member: string };

export interface State {
  readonly pane: Pane;
  /** The key of the chosen row, so that the choice survives changes of the list. */
  readonly selected: string;
  /** Lines above the end of the output. */
  readonly back: number;
  readonly filter: string;
  /** What is searched in the output; empty for nothing. */
  readonly find: string;
  readonly hasMouse: boolean;
  readonly prompt?: Prompt | undefined;
  /** The result of the last order. */
  readonly notice: string;
}

export const FIRST: State = {
  pane: { kind: 'team' },
  selected: '',
  back: 0,
  filter: '',
  find: '',
  hasMouse: true,
  notice: '',
};
