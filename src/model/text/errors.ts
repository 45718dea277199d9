/**
 * Errors in four classes, by who must act next. Expected outcomes are values and never errors; bugs are assertions.
 * Programs test the stable `code`: two copies of this module may be loaded in one process, so `instanceof` is not
 * enough.
 */

export type UsageCode =
  | 'BAD_NAME'
  | 'BAD_REFERENCE'
  | 'CONFIG_INVALID'
  | 'CYCLE'
  | 'PLAN_INVALID'
  | 'POLICY_DENIED'
  | 'ROLE_INVALID'
  | 'UNKNOWN_MEMBER'
  | 'UNKNOWN_RECIPIENT'
  | 'UNKNOWN_REQUEST'
  | 'UNKNOWN_TASK'
  | 'UNKNOWN_TEAM'
  | 'TEMPLATE_INVALID'
  | 'USAGE';
export type ConflictCode =
  | 'ALREADY_CLAIMED'
  | 'FINAL'
  | 'LEAD_ALIVE'
  | 'LOCK_TIMEOUT'
  | 'MEMBER_ALIVE'
  | 'NOT_READY'
  | 'QUOTA'
  | 'REFUSED'
  | 'STALE_CLAIM'
  | 'STILL_RUNNING'
  | 'TEAM_CLOSED'
  | 'TEAM_EXISTS'
  | 'TEAM_PAUSED';
export type StoreCode =
  | 'CORRUPT'
  | 'ENGINE_DIVERGED'
  | 'ENGINE_UNFIT'
  | 'ENGINE_UNREACHABLE'
  | 'IO'
  | 'LANDING_HELD'
  | 'NEWER_VERSION'
  | 'NO_LINK'
  | 'NO_SPACE'
  | 'READ_ONLY'
  | 'TEAM_GONE'
  | 'UNTRUSTED';
export type AgentCode =
  | 'AGENT_BAD_OUTPUT'
  | 'AGENT_CRASHED'
  | 'AGENT_NOT_INSTALLED'
  | 'AGENT_TIMEOUT'
  | 'AGENT_UNAUTHORISED'
  | 'AGENT_UNAVAILABLE'
  | 'NO_HOST'
  | 'NO_ISOLATION';
type ErrorCode = UsageCode | ConflictCode | StoreCode | AgentCode;

export type ErrorClass = 'UsageError' | 'ConflictError' | 'StoreError' | 'AgentError';

/** The fields of every error: one sentence with culprit and cure, a stable code, and a class. */
export abstract class TeamError<Code extends ErrorCode = ErrorCode> extends Error {
  abstract readonly class: ErrorClass;
  abstract readonly exitCode: 2 | 3 | 4 | 5;
  readonly code: Code;
  readonly retryable: boolean;

  constructor(code: Code, message: string, options: { cause?: unknown; retryable?: boolean } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.retryable = options.retryable ?? false;
  }
}

/** The caller must change the request (exit 2). */
export class UsageError extends TeamError<UsageCode> {
  override readonly name = 'UsageError';
  readonly class = 'UsageError';
  readonly exitCode = 2;
}

/** The caller may try again, perhaps later (exit 3). */
export class ConflictError extends TeamError<ConflictCode> {
  override readonly name = 'ConflictError';
  readonly class = 'ConflictError';
  readonly exitCode = 3;

  constructor(code: ConflictCode, message: string, options: { cause?: unknown; retryable?: boolean } = {}) {
    super(code, message, { retryable: true, ...options });
  }
}

/** A person must look (exit 4). It has the path, and the line if there is one. */
export class StoreError extends TeamError<StoreCode> {
  override readonly name = 'StoreError';
  readonly class = 'StoreError';
  readonly exitCode = 4;
  readonly path: string | undefined;
  readonly line: number | undefined;

  constructor(code: StoreCode, message: string, options: { cause?: unknown; path?: string; line?: number } = {}) {
    super(code, message, options);
    this.path = options.path;
    this.line = options.line;
  }
}

/** The agent is missing or broken (exit 5). */
export class AgentError extends TeamError<AgentCode> {
  override readonly name = 'AgentError';
  readonly class = 'AgentError';
  readonly exitCode = 5;
}

/** Recognises our errors by their shape, across module copies and processes. */
export const isTeamError = (error: unknown): error is UsageError | ConflictError | StoreError | AgentError =>
  error instanceof Error && 'class' in error && 'code' in error && 'exitCode' in error && 'retryable' in error;

/** The `code` of any error, ours or the system's; undefined if it has none. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
