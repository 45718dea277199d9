/**
 * Opens the session of an ACP program: an earlier one is resumed or loaded, else a new one begins; then its mode and its
 * model are set.
 */
import type { ClientContext, McpServer } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import { realClock } from '../../os/system-clock.ts';
import { tellStep, type AgentStep } from './agent-step.ts';

/** What a program can do, from its answer to `initialize`. */
export interface AcpAbilities {
  readonly canResume: boolean;
  readonly canLoad: boolean;
  /** Images may be in a prompt. */
  readonly canSee: boolean;
  /** The names of the ways to log in. */
  readonly logins: readonly string[];
}

const abilitiesSchema = z.object({
  agentCapabilities: z
    .object({
      loadSession: z.boolean().catch(false),
      promptCapabilities: z
        .object({ image: z.boolean().catch(false) })
        .nullish()
        .catch(undefined),
      sessionCapabilities: z
        .object({ resume: z.object({}).nullish() })
        .nullish()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
  authMethods: z.array(z.object({ name: z.string() }).catch({ name: '' })).catch([]),
});

export function abilitiesIn(answer: unknown): AcpAbilities {
  const { agentCapabilities, authMethods = [] } = abilitiesSchema.safeParse(answer).data ?? {};
  return {
    canLoad: agentCapabilities?.loadSession === true,
    canSee: agentCapabilities?.promptCapabilities?.image === true,
    canResume: (agentCapabilities?.sessionCapabilities?.resume ?? undefined) !== undefined,
    logins: authMethods.map(({ name }) => name).filter((name) => name !== ''),
  };
}

interface AcpSessionRequest {
  readonly abilities: AcpAbilities;
  /** The session to continue. */
  readonly session: string | undefined;
  /** The model to use, by the program's own name. */
  readonly model: string | undefined;
  /** Its mode, such as `plan`, by the program's own name. */
  readonly mode: string | undefined;
  readonly cwd: string;
  readonly mcpServers: McpServer[];
}

/** @returns the id of the session */
export async function openAcpSession(
  agent: ClientContext,
  request: AcpSessionRequest,
  tell: (step: AgentStep) => void,
): Promise<string> {
  const session = await opened(agent, request, tell);
  const { sessionId, isNew } = session;
  if (isNew) tell(tellStep({ type: 'session', id: sessionId }));
  const notes = [
    request.mode === undefined ? undefined : await selectMode(agent, session, request.mode),
    request.model === undefined ? undefined : await select(agent, session, 'model', request.model),
  ];
  for (const text of notes) if (text !== undefined) tell(tellStep({ type: 'noted', text }));
  return sessionId;
}

interface OpenedSession {
  readonly sessionId: string;
  readonly isNew: boolean;
  readonly options: unknown;
  readonly modes: unknown;
}

async function opened(
  agent: ClientContext,
  { session, abilities, cwd, mcpServers }: AcpSessionRequest,
  tell: (step: AgentStep) => void,
): Promise<OpenedSession> {
  if (session !== undefined) {
    const continued = await continuedSession(agent, { sessionId: session, cwd, mcpServers }, abilities);
    if (continued !== undefined) return continued;
    const text = `The session ${session} cannot be resumed; a new one begins.`;
    tell(tellStep({ type: 'noted', text }));
  }
  const { sessionId, configOptions, modes } = await agent.request('session/new', { cwd, mcpServers });
  return { sessionId, isNew: true, options: configOptions, modes };
}

/** Resuming repeats nothing of the session; loading repeats all of it. */
async function continuedSession(
  agent: ClientContext,
  place: { sessionId: string; cwd: string; mcpServers: McpServer[] },
  { canResume, canLoad }: AcpAbilities,
): Promise<OpenedSession | undefined> {
  const { sessionId } = place;
  try {
    if (canResume) {
      return { sessionId, isNew: false, ...choicesIn(await agent.request('session/resume', place)) };
    }
  } catch {
    // Some programs resume only what is still in their memory.
  }
  try {
    if (!canLoad) return undefined;
    const choices = choicesIn(await agent.request('session/load', place));
    await replayed(agent);
    return { sessionId, isNew: false, ...choices };
  } catch {
    return undefined;
  }
}

function choicesIn(answer: unknown): { options: unknown; modes: unknown } {
  const { configOptions, modes } = z.looseObject({}).safeParse(answer).data ?? {};
  return { options: configOptions, modes };
}

/** How long a program may leave a request unanswered that it does not know. */
const UNKNOWN_REQUEST_MS = 2_000;

/**
 * Some programs repeat an old session after they have said that it is open. What they write, they write in order: the
 * answer to a request that none of them knows comes behind what is repeated.
 */
async function replayed(agent: ClientContext): Promise<void> {
  const end = new AbortController();
  const answered = agent.request('_teams/replayed', {}).catch(() => undefined);
  await Promise.race([answered, realClock.sleep(UNKNOWN_REQUEST_MS, end.signal)]);
  end.abort();
}

const choice = z.object({ value: z.string() });
const optionSchema = z.object({
  id: z.string(),
  category: z.enum(['model', 'mode']),
  type: z.literal('select'),
  currentValue: z.string(),
  options: z.array(z.union([choice, z.object({ options: z.array(choice) })])),
});
type Option = z.infer<typeof optionSchema>;

const optionOf = (options: unknown, category: Option['category']): Option | undefined =>
  z
    .array(z.unknown())
    .catch([])
    .parse(options)
    .flatMap((one) => optionSchema.safeParse(one).data ?? [])
    .find((one) => one.category === category);

/** @returns why the choice is not the one that was asked for */
async function select(
  agent: ClientContext,
  { sessionId, options }: OpenedSession,
  what: Option['category'],
  wanted: string,
): Promise<string | undefined> {
  const option = optionOf(options, what);
  if (option === undefined) return `It lets no client choose its ${what}: ${wanted} is not set.`;
  const { currentValue, id: configId } = option;
  if (currentValue === wanted) return undefined;
  const values = option.options.flatMap((one) => ('options' in one ? one.options : [one])).map(({ value }) => value);
  if (!values.includes(wanted)) return notOffered(what, wanted, currentValue, values);
  await agent.request('session/set_config_option', { sessionId, configId, value: wanted });
  return undefined;
}

const notOffered = (what: Option['category'], wanted: string, current: string, all: readonly string[]): string =>
  `It has no ${what} ${wanted}, and uses ${current}; it has ${all.join(', ')}.`;

const modesSchema = z.object({ currentModeId: z.string(), availableModes: z.array(z.object({ id: z.string() })) });

/** Modes are an option of newer programs, and have a request of their own in older ones. */
async function selectMode(agent: ClientContext, session: OpenedSession, wanted: string): Promise<string | undefined> {
  const modes = modesSchema.safeParse(session.modes).data;
  if (modes === undefined || optionOf(session.options, 'mode') !== undefined)
    return select(agent, session, 'mode', wanted);
  const { sessionId } = session;
  const all = modes.availableModes.map(({ id }) => id);
  if (modes.currentModeId === wanted) return undefined;
  if (!all.includes(wanted)) return notOffered('mode', wanted, modes.currentModeId, all);
  await agent.request('session/set_mode', { sessionId, modeId: wanted });
  return undefined;
}
