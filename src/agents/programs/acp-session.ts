/** Opens the session of an ACP program: an earlier one is resumed or loaded, else a new one begins; then its model is set. */
import type { ClientContext, McpServer } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import { realClock } from '../../os/system-clock.ts';
import { tellStep, type AgentStep } from './agent-step.ts';

/** What a program can do, from its answer to `initialize`. */
export interface AcpAbilities {
  readonly canResume: boolean;
  readonly canLoad: boolean;
  /** The names of the ways to log in. */
  readonly logins: readonly string[];
}

const abilitiesSchema = z.object({
  agentCapabilities: z
    .object({
      loadSession: z.boolean().catch(false),
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
  readonly cwd: string;
  readonly mcpServers: McpServer[];
}

/** @returns the id of the session */
export async function openAcpSession(
  agent: ClientContext,
  request: AcpSessionRequest,
  tell: (step: AgentStep) => void,
): Promise<string> {
  const { sessionId, options, isNew } = await opened(agent, request, tell);
  if (isNew) tell(tellStep({ type: 'session', id: sessionId }));
  const text = request.model === undefined ? undefined : await selectModel(agent, sessionId, options, request.model);
  if (text !== undefined) tell(tellStep({ type: 'noted', text }));
  return sessionId;
}

interface OpenedSession {
  readonly sessionId: string;
  readonly isNew: boolean;
  readonly options: unknown;
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
  const { sessionId, configOptions } = await agent.request('session/new', { cwd, mcpServers });
  return { sessionId, isNew: true, options: configOptions };
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
      return { sessionId, isNew: false, options: optionsIn(await agent.request('session/resume', place)) };
    }
  } catch {
    // Some programs resume only what is still in their memory.
  }
  try {
    if (!canLoad) return undefined;
    const options = optionsIn(await agent.request('session/load', place));
    await replayed(agent);
    return { sessionId, isNew: false, options };
  } catch {
    return undefined;
  }
}

const optionsIn = (answer: unknown): unknown =>
  z.object({ configOptions: z.unknown() }).safeParse(answer).data?.configOptions;

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
const modelOptionSchema = z.object({
  id: z.string(),
  category: z.literal('model'),
  type: z.literal('select'),
  currentValue: z.string(),
  options: z.array(z.union([choice, z.object({ options: z.array(choice) })])),
});

/** @returns why the model is not the one that was asked for */
async function selectModel(
  agent: ClientContext,
  sessionId: string,
  options: unknown,
  model: string,
): Promise<string | undefined> {
  const option = z
    .array(z.unknown())
    .catch([])
    .parse(options)
    .flatMap((one) => modelOptionSchema.safeParse(one).data ?? [])[0];
  if (option === undefined) return `It lets no client choose its model: ${model} is not set.`;
  if (option.currentValue === model) return undefined;
  const values = option.options.flatMap((one) => ('options' in one ? one.options : [one])).map(({ value }) => value);
  if (!values.includes(model))
    return `It has no model ${model}, and uses ${option.currentValue}; it has ${values.join(', ')}.`;
  await agent.request('session/set_config_option', { sessionId, configId: option.id, value: model });
  return undefined;
}
