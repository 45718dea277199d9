/** What only a lead or a person may do, and no child of a teammate. */
import { UsageError } from '../../../index.ts';
import type { Frame } from '../context.ts';

/** @throws UsageError `POLICY_DENIED` inside a teammate */
export function mustNotBeMember({ outside }: Frame, deed: string): void {
  const member = outside.environment['TEAMS_MEMBER'];
  if (member !== undefined && member !== '')
    throw new UsageError(
      'POLICY_DENIED',
      `No teammate ${deed} (this process is ${member}); ask the lead with \`teams send lead …\`.`,
    );
}
