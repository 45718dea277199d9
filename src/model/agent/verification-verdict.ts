/** A verifier's answer about finished work: PASS or FAIL, and the issues. A text without a verdict is FAIL. */
import * as z from 'zod';
import { jsonOf } from '../text/plain-fields.ts';

export interface VerificationVerdict {
  readonly result: 'pass' | 'fail';
  readonly notes: string;
  readonly issues: readonly string[];
}

const verdictSchema = z.object({
  verdict: z.enum(['PASS', 'FAIL']),
  notes: z.string().default(''),
  issues: z.array(z.string().min(1)).default([]),
});

/** Reads a verdict: a first line that is exactly `PASS` or `FAIL`, or JSON of the schema. Anything else is FAIL. */
export function readVerificationVerdict(text: string): VerificationVerdict {
  const said = text.trim();
  const [first = '', ...rest] = said.split(/\r?\n/);
  if (first.trim() === 'PASS') return { result: 'pass', notes: rest.join('\n').trim(), issues: [] };
  if (first.trim() === 'FAIL') return { result: 'fail', notes: rest.join('\n').trim(), issues: listed(rest) };
  const parsed = verdictSchema.safeParse(jsonOf(said));
  if (!parsed.success) return { result: 'fail', notes: `no verdict: ${first.slice(0, 300) || 'empty'}`, issues: [] };
  const { verdict, notes, issues } = parsed.data;
  return { result: verdict === 'PASS' ? 'pass' : 'fail', notes: notes || issues.join('; '), issues };
}

const listed = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => /^\s*(?:[-*]|\d{1,3}[.)])\s+(\S.*)$/.exec(line)?.[1]?.trim() ?? []);
