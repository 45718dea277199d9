/** Why a relay did not start, as its process printed it. */
import * as z from 'zod';
import { jsonAnswer } from '../../model/text/json-answer.ts';
import { ConflictError, StoreError, UsageError, type TeamError } from '../../model/text/errors.ts';

const failureSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });
const STORE_CODES = ['ENGINE_DIVERGED', 'ENGINE_UNFIT', 'NEWER_VERSION', 'NO_SPACE', 'READ_ONLY', 'UNTRUSTED'] as const;

/** @param printed the JSON of `teams store relay --json`; anything else is quoted */
export function relayFailure(printed: string): TeamError {
  const read = jsonAnswer(failureSchema, printed);
  if (!read.ok)
    return new StoreError(
      'ENGINE_UNREACHABLE',
      `The relay did not start: ${printed.trim().slice(0, 300) || 'killed'}.`,
    );
  const { code, message } = read.value.error;
  if (code === 'USAGE') return new UsageError(code, message);
  if (code === 'REFUSED') return new ConflictError(code, message);
  return new StoreError(STORE_CODES.find((one) => one === code) ?? 'ENGINE_UNREACHABLE', message);
}
