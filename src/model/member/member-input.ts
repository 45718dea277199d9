/**
 * What a program gives to the library, judged at the door: JavaScript knows no types, and a wrong value would be kept in
 * a file that no process can read.
 */
import * as z from 'zod';
import { agentSpecSchema, sandboxSchema } from '../agent/agent.ts';
import { profileSchema } from '../board/event.ts';
import { check, closed } from '../text/document-problem.ts';
import { UsageError } from '../text/errors.ts';

const texts = z.array(z.string());
const memberSchema = closed({
  name: z.string(),
  role: z.string().optional(),
  agent: agentSpecSchema.optional(),
  sandbox: sandboxSchema.optional(),
  env: z.record(z.string(), z.string()).optional(),
  planApproval: z.boolean().optional(),
  approvals: z.enum(['ask', 'sandbox']).optional(),
  approvalMs: z.int().min(1).optional(),
  where: texts.optional(),
  prompt: z.string().optional(),
  prefixes: texts.optional(),
  roleSpec: z.string().optional(),
});
const teamSchema = z.object({ profile: profileSchema.optional(), members: z.array(memberSchema).optional() });

/** @throws UsageError `USAGE` naming the field */
export const requireTeamInput = (given: unknown): void => requireShape(teamSchema, given);

/** @throws UsageError `USAGE` naming the field */
export const requireMemberInput = (given: unknown): void => requireShape(memberSchema, given);

/** @throws UsageError `USAGE` naming the first that is no text */
export const requireTexts = (given: Readonly<Record<string, unknown>>): void =>
  requireShape(z.record(z.string(), z.string()), given);

function requireShape(schema: z.ZodType, given: unknown): void {
  const checked = check(schema, given);
  if (checked.ok) return;
  const { path, text } = checked.problems[0] ?? { path: [], text: 'This is invalid.' };
  const place = path.length > 1 ? `${path.map(String).join('.')}: ` : '';
  const cure = path.at(-1) === 'agent' ? ' `agents` makes one: `agents.claude()`, `agents.exec(COMMAND)`.' : '';
  throw new UsageError('USAGE', `${place}${text}${cure}`);
}
