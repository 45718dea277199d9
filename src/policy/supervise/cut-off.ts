/**
 * What a process of a team does while the store of the team does not confirm its lease (docs/scale-out.md): it is cut
 * off, or the store is away. When the lease has lapsed, its claim may be given to another member.
 */

/** `start nothing`: no turn begins; `stop turns`: the present one ends, too; `end`: the process ends. */
type CutOffRule = 'go on' | 'start nothing' | 'stop turns' | 'end';

const LEASE_MS = 10_000;
const GRACE_MS = 30_000;

/** A process that is cut off ends after this time, unless its host says otherwise (`--cut-off-after`). */
export const CUT_OFF_AFTER_MS = 600_000;

/**
 * @param silentFor milliseconds since the store has confirmed the lease
 * @param endAfterMs milliseconds after which the process ends
 */
export function whenCutOff(silentFor: number, endAfterMs: number): CutOffRule {
  if (silentFor > endAfterMs) return 'end';
  if (silentFor > LEASE_MS + GRACE_MS) return 'stop turns';
  return silentFor > LEASE_MS ? 'start nothing' : 'go on';
}
