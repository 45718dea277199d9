/** What a member does at one moment, as people are told. */
import type { Name } from '../text/names.ts';

/** The state of one member at one moment (docs/specification.md R5.5); each state comes with its reason. */
export type MemberState =
  | 'joined'
  | 'starting'
  | 'working'
  | 'idle'
  | 'waiting'
  | 'rate-limited'
  | 'stalled'
  | 'quarantined'
  | 'dead'
  | 'stopped'
  | 'left';

export interface MemberStatus {
  readonly name: Name;
  readonly role: string;
  readonly state: MemberState;
  readonly reason: string;
  readonly pid: number | null;
  /** The machine of its process, where that is another one; `pid` is null then. */
  readonly machine?: string | undefined;
  /** The host of the store on which the lead has placed it; `machine` is that of the host. */
  readonly host?: string | undefined;
  readonly task: string | null;
}

/** Where a member runs, for people; undefined for one that runs on this machine, or not at all. */
export const placeOfMember = ({ machine, host }: Pick<MemberStatus, 'machine' | 'host'>): string | undefined =>
  machine === undefined ? undefined : `on ${host ?? machine}`;

export interface CloseResult {
  readonly stopped: readonly Name[];
  readonly completed: number;
  readonly total: number;
}
