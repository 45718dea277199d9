/** What a vendor's refusal is in the words of SPEC §8, from its HTTP status, or from its text where that is all there is. */
import type { FailureClass } from '../model/agent.ts';
import type { TurnEnd } from './agent.ts';

export interface Refusal {
  readonly text: string;
  /** The HTTP status, where it is told. */
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
}

const MESSAGE = 500;

const OVERFLOW =
  /(?:prompt|input|context|conversation|request)\b.{0,40}\b(?:too (?:long|large)|exceed)|context[ _]?(?:length|window)|maximum context|token limit/is;
const BILLING = /insufficient_quota|quota exceeded|billing|credit balance|payment/i;
const LIMITED =
  /\b(?:429|529)\b|rate[ _-]?limit|too many requests|overloaded|resource_?exhausted|usage limit|high demand/i;
const UNAUTHORISED =
  /\b(?:401|403)\b|unauthori[sz]ed|authentication|api key|not logged in|log ?in (?:again|first)|\/login|permission_error|missing environment variable/i;
const TIMED_OUT = /timed? ?out|timeout/i;
const CRASHED =
  /\b5\d\d\b|disconnected|terminated|connection|econn|socket|network|fetch failed|stream (?:closed|ended)|server error/i;

export const faultOf = ({ text, status }: Refusal): FailureClass => byStatus(text, status) ?? byText(text);

function byStatus(text: string, status: number | undefined): FailureClass | undefined {
  if (status === undefined || status < 400) return undefined;
  if (status < 500 && status !== 413 && BILLING.test(text)) return 'unauthorised';
  if (status === 429 || status === 529) return 'rate_limited';
  if (status === 401 || status === 403) return 'unauthorised';
  if (status === 413 || (status === 400 && OVERFLOW.test(text))) return 'overflow';
  if (status === 404) return 'not_installed';
  if (status === 408) return 'timeout';
  return status < 500 ? 'bad_output' : 'crashed';
}

/** Text decides nothing but this: which of its own faults an agent names when it tells no status. */
function byText(text: string): FailureClass {
  if (OVERFLOW.test(text)) return 'overflow';
  if (BILLING.test(text)) return 'unauthorised';
  if (LIMITED.test(text)) return 'rate_limited';
  if (UNAUTHORISED.test(text)) return 'unauthorised';
  if (TIMED_OUT.test(text)) return 'timeout';
  return CRASHED.test(text) ? 'crashed' : 'bad_output';
}

/** A turn's end from a refusal. @param text what was said before it */
export function refused(refusal: Refusal, text = ''): TurnEnd {
  const message = refusal.text.replace(/\s+/g, ' ').trim().slice(0, MESSAGE) || 'It failed without a word.';
  const { retryAfterMs } = refusal;
  return {
    ...{ ended: 'failed', why: faultOf(refusal), text, message },
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}
