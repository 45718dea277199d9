/**
 * Reads the error of a model call from outside (status, headers, body, the system's code): it comes from another
 * library, in the middle of a stream or before it. `agents/vendor-fault.ts` decides what it means.
 */
import type { FailureClass } from '../../model/agent/agent.ts';
import { faultOf, isNotOfTheApi, isUnreachable } from '../vendor-fault.ts';

export interface ModelCallFault {
  readonly why: FailureClass;
  /** One line. */
  readonly message: string;
  readonly retryAfterMs?: number | undefined;
  /** Whether the same call may succeed later. */
  readonly passes: boolean;
  /** The vendor refused it, or was not reached: unless its answer had begun, nothing is billed. */
  readonly isRefusal: boolean;
}

interface Seen {
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

const LINE = 300;

/**
 * @param where what was called, for the message
 * @param unreachable the class when no server listens there
 */
export function callFault(
  error: unknown,
  where: string,
  unreachable: 'crashed' | 'not_installed' = 'crashed',
): ModelCallFault {
  const seen = seenIn(error);
  const { status, code } = seen;
  const why = isUnreachable(seen) ? unreachable : faultOf(seen, 'crashed');
  const said = oneLine(messageOf(seen.text) ?? innermost(error) ?? seen.text);
  const asked = retryAfter(seen);
  const what = isNotOfTheApi(seen) ? 'gave an answer that is not of its API' : statusText(status, code);
  return {
    why,
    message: `${where} ${what}: ${said}`.slice(0, LINE),
    passes: why === 'rate_limited' || why === 'crashed' || why === 'timeout',
    retryAfterMs: asked,
    isRefusal: status !== undefined || isUnreachable(seen),
  };
}

/** The call was not made: its budget has no room. */
export const notAllowed = (why: string): ModelCallFault => ({
  why: 'refused',
  message: `Its budget: ${why}.`,
  passes: false,
  isRefusal: true,
});

const statusText = (status: number | undefined, code: string | undefined): string =>
  status === undefined ? (code ?? 'failed') : `answered ${status}`;

/** Merges an error, its causes and the errors inside it into one. */
function seenIn(error: unknown, depth = 0): Seen {
  if (typeof error === 'string') return { status: undefined, code: undefined, text: error, headers: {} };
  if (typeof error !== 'object' || error === null || depth > 5)
    return { status: undefined, code: undefined, text: '', headers: {} };
  const fields: Readonly<Record<string, unknown>> = { ...error };
  const inner = ['cause', 'lastError', 'error']
    .map((key) => fields[key] ?? (key === 'cause' && error instanceof Error ? error.cause : undefined))
    .filter((value) => value !== undefined)
    .map((value) => seenIn(value, depth + 1));
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const own = [
    error instanceof Error ? `${error.name} ${error.message}` : '',
    ...['message', 'type', 'code', 'status', 'responseBody'].map((key) => text(fields[key])),
  ];
  const status = [fields['statusCode'], fields['code'], fields['status']].find((value) => typeof value === 'number');
  const code = typeof fields['code'] === 'string' && /^E[A-Z]+$/.test(fields['code']) ? fields['code'] : undefined;
  const headers = fields['responseHeaders'];
  return {
    status: status ?? inner.find((one) => one.status !== undefined)?.status,
    code: code ?? inner.find((one) => one.code !== undefined)?.code,
    text: [...own, ...inner.map((one) => one.text)].filter(Boolean).join('\n'),
    headers: { ...inner[0]?.headers, ...(typeof headers === 'object' ? headers : {}) },
  };
}

/** The vendor's own sentence inside a body of JSON. */
const messageOf = (text: string): string | undefined => {
  const found =
    /"message"\s*:\s*"((?:[^"\\]|\\.){1,400})"/.exec(text) ?? /"error"\s*:\s*"((?:[^"\\]|\\.){1,400})"/.exec(text);
  return found?.[1]?.replaceAll('\\"', '"').replaceAll('\\n', ' ');
};

/** The innermost message: the library's wrappers say less. */
const innermost = (error: unknown): string | undefined =>
  error instanceof Error ? (innermost(error.cause) ?? error.message) : undefined;

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/**
 * Seconds in a header (none of the four vendors uses a date), milliseconds in OpenAI's header, a duration in Google's
 * body.
 */
function retryAfter({ headers, text }: Seen): number | undefined {
  const ms = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const seconds = Number(headers['retry-after'] ?? /"retryDelay"\s*:\s*"([\d.]+)s"/.exec(text)?.[1] ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.round(seconds * 1_000) : undefined;
}
