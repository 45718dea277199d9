/** What only a lead or a person may do, and no child of a teammate. */
import { UsageError, ENV } from '../../../app.ts';
import type { CliContext } from '../context.ts';

/** @throws UsageError `POLICY_DENIED` inside a teammate */
export function refuseMembers({ io }: CliContext, deed: string): void {
  const member = io.environment[ENV.member];
  if (member !== undefined && member !== '')
    throw new UsageError(
      'POLICY_DENIED',
      `No teammate ${deed} (this process is ${member}); ask the lead with \`teams send lead …\`.`,
    );
}
