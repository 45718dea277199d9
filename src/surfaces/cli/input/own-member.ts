/** Refuses what only a lead or a person may do, if this process is a child of a teammate. */
import { ENV, isName, LEAD, parseMemberName, starterIn, UsageError } from '../../../app.ts';
import type { CliContext } from '../context.ts';
import { rootOf } from './root.ts';

/**
 * @param deed completes the message `A teammate cannot …`
 * @throws UsageError `POLICY_DENIED` inside a teammate
 */
export function refuseMembers(context: CliContext, deed: string): void {
  const { io, flags } = context;
  const { as } = flags;
  if (as !== undefined && isName(as) && parseMemberName(as) !== LEAD)
    throw new UsageError(
      'POLICY_DENIED',
      `A teammate cannot ${deed} (--as ${as}); ask the lead with \`teams send lead …\`.`,
    );
  const member = io.environment[ENV.member] || starterIn(rootOf(context));
  if (member !== undefined)
    throw new UsageError(
      'POLICY_DENIED',
      `A teammate cannot ${deed} (this process is ${member}); ask the lead with \`teams send lead …\`.`,
    );
}
