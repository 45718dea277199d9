/** What each error code means, for the references that are generated; no start of a process loads it. */
import type { AgentCode, ConflictCode, ErrorClass, StoreCode, UsageCode } from './errors.ts';

const USAGE: Readonly<Record<UsageCode, string>> = {
  BAD_NAME:
    'A name has other characters than lower-case letters, digits and inner hyphens, is too long or is reserved.',
  BAD_REFERENCE: 'A subject or a key names several tasks.',
  CONFIG_INVALID: 'The configuration has a wrong value or a contradiction.',
  CYCLE: 'Tasks would wait for each other.',
  PLAN_INVALID: 'A plan or a pipeline has a mistake; the message has line and column.',
  POLICY_DENIED: 'A rule forbids it; the message names the rule.',
  ROLE_INVALID: 'A role file has a mistake.',
  UNKNOWN_MEMBER: 'The team has no such member.',
  UNKNOWN_RECIPIENT: 'A message has no such recipient.',
  UNKNOWN_REQUEST: 'No such question or request is open.',
  UNKNOWN_TASK: 'The board has no such task.',
  UNKNOWN_TEAM: 'This root has no such team.',
  TEMPLATE_INVALID: 'A template file has a mistake.',
  USAGE: 'A word or an option is missing or wrong.',
};

const CONFLICT: Readonly<Record<ConflictCode, string>> = {
  ALREADY_CLAIMED: 'Another member holds the task.',
  FINAL: 'The task, or the answer to a request, cannot change any more.',
  LEAD_ALIVE: 'Another process leads the team.',
  LOCK_TIMEOUT: 'A lock was not free in time; the message names the file and the process.',
  MEMBER_ALIVE: 'Another process is this member.',
  NOT_READY: 'Blockers are open, or there is nothing to resume.',
  QUOTA: 'An inbox is full, or an agent sends too fast.',
  REFUSED: 'It is not possible now; the message says why.',
  STALE_CLAIM: 'The claim is over: the task was given to another member.',
  STILL_RUNNING: 'A member refuses to stop, or the team is not closed.',
  TEAM_CLOSED: 'The team is closing or closed.',
  TEAM_EXISTS: 'The name of the team is in use.',
  TEAM_PAUSED: 'The team is paused; nothing begins until `teams unpause`.',
};

const STORE: Readonly<Record<StoreCode, string>> = {
  CORRUPT: 'A file is damaged or is no regular file.',
  ENGINE_DIVERGED:
    'The store does not have what this machine has read of it: a failover has lost acknowledged records. Nothing acts here until a person says `teams resume --from-engine`.',
  ENGINE_UNFIT: 'The PostgreSQL server, its role or its schema cannot hold teams; the message says why.',
  ENGINE_UNREACHABLE: 'No address of the store answers, or it refuses the login.',
  IO: 'The disk failed in another way; the message has path and errno.',
  LANDING_HELD: 'What members made in their trees is kept and cannot land; the message says why.',
  NEWER_VERSION: 'A newer version of this program wrote the file.',
  NO_LINK: 'The file system has no hard links.',
  NO_SPACE: 'The disk is full.',
  READ_ONLY: 'The directory may not be written.',
  TEAM_GONE: "The team's folder was removed or replaced.",
  UNTRUSTED: 'The folder or file was not made by you on this machine.',
};

const AGENT: Readonly<Record<AgentCode, string>> = {
  AGENT_BAD_OUTPUT: 'The answer of an agent could not be read, twice.',
  AGENT_CRASHED: 'The process of an agent died or did not start.',
  AGENT_NOT_INSTALLED: 'A program or a library is not installed.',
  AGENT_TIMEOUT: 'An agent took too long, or gave no sign of life.',
  AGENT_UNAUTHORISED: 'An agent has no login, or its key is wrong.',
  AGENT_UNAVAILABLE: 'No agent can work here; the message lists what was probed.',
  NO_HOST: 'No host of the store has what a member needs.',
  NO_ISOLATION: 'Trees of their own were asked for, and members cannot have them here; the message says why.',
};

export const ERROR_CODE_HELP: Readonly<Record<ErrorClass, Readonly<Record<string, string>>>> = {
  UsageError: USAGE,
  ConflictError: CONFLICT,
  StoreError: STORE,
  AgentError: AGENT,
};
