/**
 * Classifies a fault at a vendor (docs/specification.md R7.3): the only place that does so, for programs and for model
 * APIs. The HTTP status decides if there is one, with the text for what a status leaves open; else the system's error
 * code; else the text alone.
 */
import type { FailureClass } from '../model/agent/agent.ts';
import type { TurnEnd } from '../model/agent/turn-end.ts';

export interface VendorRefusal {
  readonly text: string;
  /** The HTTP status, if known. */
  readonly status?: number | undefined;
  /** The system's error code, such as `ECONNREFUSED`. */
  readonly code?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

const MESSAGE = 500;

const OVERFLOW =
  /(?:prompt|input|context|conversation|request)\b.{0,40}\b(?:too (?:long|large)|exceed)|context[ _]?(?:length|window)|maximum context|token limit|exceeds? the maximum number of tokens|too many tokens|request_too_large/is;
const BILLING = /insufficient_quota|quota exceeded|exceeded your current quota|billing|credit balance|payment/i;
const LIMITED =
  /\b(?:429|529)\b|rate[ _-]?limit|too many requests|overloaded|resource_?exhausted|usage limit|high demand/i;
const KEY = /invalid_api_key|api key not valid|authentication_error|unauthenticated|permission_(?:denied|error)/i;
const UNAUTHORISED =
  /\b(?:401|403)\b|unauthori[sz]ed|authentication|(?:x-)?api[ -]?key|not logged in|log ?in (?:again|first)|\/login|missing environment variable/i;
const NO_MODEL = /model_not_found|not_found_error|model .{0,120}(?:not found|does not exist)/i;
const TIMED_OUT = /timed? ?out|timeout/i;
const CRASHED =
  /\b5\d\d\b|disconnected|terminated|connection|econn|socket|network|fetch failed|stream (?:closed|ended)|server error/i;
/** The vendor's rules about content forbid the answer: the same words are refused again. */
const FORBIDDEN = /content[_ -](?:filter|policy)|prohibited_content|refused to answer/i;
/** The library's messages for an answer that it cannot read. */
const NOT_OF_THE_API = /JSON parsing failed|Type validation failed|Invalid JSON response/;
/** Whether the answer is not of the API, whatever its status: the library then tells a status of its own. */
export const isNotOfTheApi = ({ text }: Pick<VendorRefusal, 'text'>): boolean => NOT_OF_THE_API.test(text);

const UNREACHABLE: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Whether no server listens at the address. */
export const isUnreachable = ({ code }: Pick<VendorRefusal, 'code'>): boolean =>
  code !== undefined && UNREACHABLE.has(code);

/** @param otherwise the class when nothing else decides */
export function faultOf(refusal: VendorRefusal, otherwise: FailureClass = 'bad_output'): FailureClass {
  if (isNotOfTheApi(refusal)) return 'bad_output';
  if (FORBIDDEN.test(refusal.text) && !isStatusOfItsOwn(refusal)) return 'refused';
  return byStatus(refusal) ?? (isUnreachable(refusal) ? 'crashed' : byText(refusal.text)) ?? otherwise;
}

/** A status that says more than that the request is wrong. */
const isStatusOfItsOwn = ({ status }: VendorRefusal): boolean => status !== undefined && status !== 400;

function byStatus({ text, status = 0 }: VendorRefusal): FailureClass | undefined {
  if (status < 400) return undefined;
  if (status >= 500 && status !== 529) return status === 503 && LIMITED.test(text) ? 'rate_limited' : 'crashed';
  if (status === 413 || (status === 400 && OVERFLOW.test(text))) return 'overflow';
  if (status === 402 || BILLING.test(text)) return 'unauthorised';
  if (status === 429 || status === 529) return 'rate_limited';
  if (status === 401 || status === 403) return 'unauthorised';
  if (status === 404) return 'not_installed';
  if (status === 408) return 'timeout';
  return KEY.test(text) ? 'unauthorised' : 'bad_output';
}

/** The class of a fault that an agent reports without a status. */
function byText(text: string): FailureClass | undefined {
  if (OVERFLOW.test(text)) return 'overflow';
  if (BILLING.test(text)) return 'unauthorised';
  if (LIMITED.test(text)) return 'rate_limited';
  if (KEY.test(text) || UNAUTHORISED.test(text)) return 'unauthorised';
  if (NO_MODEL.test(text)) return 'not_installed';
  if (TIMED_OUT.test(text)) return 'timeout';
  return CRASHED.test(text) ? 'crashed' : undefined;
}

/**
 * A turn's end from a refusal.
 * @param text what was said before it
 */
export function refused(refusal: VendorRefusal, text = ''): TurnEnd {
  const message = refusal.text.replace(/\s+/g, ' ').trim().slice(0, MESSAGE) || 'It failed without a message.';
  const { retryAfterMs } = refusal;
  return {
    kind: 'failed',
    why: faultOf(refusal),
    text,
    message,
    retryAfterMs,
  };
}
