/**
 * `teams mcp --http`: an MCP server for several hosts. Each token is one identity: the lead, or a member that a host
 * works as. The token of a member's own process is that member's, too.
 */
import * as z from 'zod';
import {
  cwdOf,
  ENV,
  isTeamError,
  LEAD,
  memberPermissions,
  memberToolContext,
  memberWithToken,
  openHandle,
  UsageError,
  type HostLeadContext,
  type Permissions,
  type TeamHandle,
  type ToolContext,
} from '../../../../app.ts';
import { hostWorkspace } from '../../input/host-workspace.ts';
import { settings } from '../../input/settings.ts';
import type { CliContext } from '../../context.ts';
import type { Interrupts } from '../../interrupts.ts';
import { VERSION } from '../../version.ts';

interface HttpPlace {
  readonly host: string;
  readonly port: number;
}

const LOOPBACK = '127.0.0.1';

/** `[HOST:]PORT`. */
export const httpPlace = z
  .string()
  .transform((given, context): HttpPlace => {
    const [, host = LOOPBACK, port] =
      /^(?:([A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]):)?([0-9]{1,5})$/.exec(given) ?? [];
    if (port !== undefined && Number(port) <= 65_535) return { host, port: Number(port) };
    context.addIssue({ code: 'custom', message: `Expected PORT or HOST:PORT, got ${JSON.stringify(given)}.` });
    return z.NEVER;
  })
  .optional();

interface Identity {
  readonly key: string;
  readonly context: ToolContext;
}

/** Serves hosts of the lead, and the members of the team that it leads. */
export async function serveLead(
  context: CliContext,
  place: HttpPlace,
  leading: HostLeadContext,
  interrupts: Interrupts,
): Promise<void> {
  await using processes = new ProcessHosts(context, () => leading.team);
  await serve(context, place, [{ key: LEAD, context: leading }], processes, interrupts);
}

/**
 * Serves hosts that work as the members of a team: as the one of `--as`, or each with its own token.
 *
 * @throws UsageError `UNKNOWN_TEAM`, `UNKNOWN_MEMBER`
 */
export async function serveMembers(
  context: CliContext,
  { place, team, withShell }: { readonly place: HttpPlace; readonly team: string; readonly withShell: boolean },
  interrupts: Interrupts,
): Promise<void> {
  const { open, merged } = settings(context);
  await using watched = openHandle(team, { ...open, as: undefined });
  const members = [...watched.store.board.fold().members.values()].filter(({ state }) => state === 'joined');
  const wanted = members.filter(({ name }) => open.as === undefined || name === open.as);
  if (wanted.length === 0)
    throw new UsageError('UNKNOWN_MEMBER', `Team ${team} has no member${open.as === undefined ? '' : ` ${open.as}`}.`);
  await using processes = new ProcessHosts(context, () => watched);
  const opened: AsyncDisposable[] = [];
  try {
    const named: Identity[] = [];
    for (const { name } of wanted) {
      const handle = openHandle(team, { ...open, as: name });
      opened.push(handle);
      const permissions = (): Permissions => memberPermissions(handle);
      const workspace = withShell ? await hostWorkspace(context, cwdOf(handle.store), permissions) : undefined;
      if (workspace !== undefined) opened.push(workspace);
      const { isolate } = context.io;
      named.push({
        key: name,
        context: memberToolContext(handle, { workspace, isolate, prices: merged.config.prices }),
      });
    }
    await serve(context, place, named, processes, interrupts);
  } finally {
    for (const one of opened.toReversed()) await one[Symbol.asyncDispose]();
  }
}

async function serve(
  context: CliContext,
  place: HttpPlace,
  named: readonly Identity[],
  processes: ProcessHosts,
  interrupts: Interrupts,
): Promise<void> {
  const { serveHttp } = await import('../../../mcp/serve-http.ts');
  await serveHttp({
    place,
    version: VERSION,
    named,
    otherHost: (token) => processes.hostOf(token),
    onOpen: ({ url, hosts }) => {
      context.result({ url, hosts }, [url, ...hosts.map(({ as, token }) => `${as}: ${token}`)].join('\n'));
      if (place.host !== LOOPBACK)
        context.warn('The tokens and all that hosts say go over the network unencrypted; lead it through a tunnel.');
      context.info('Hosts send their token as `Authorization: Bearer TOKEN`; it works until Ctrl-C.');
    },
    stop: AbortSignal.any([interrupts.stop, context.io.gone]),
    onTrouble: (error) => context.info(`teams mcp: ${error.message}`),
  });
}

/** Hosts that have the token of a member's own process. */
class ProcessHosts implements AsyncDisposable {
  readonly #context: CliContext;
  readonly #team: () => TeamHandle | undefined;
  readonly #handles: TeamHandle[] = [];
  readonly #hosts = new Map<string, Identity>();

  constructor(context: CliContext, team: () => TeamHandle | undefined) {
    this.#context = context;
    this.#team = team;
  }

  /** @returns undefined for a token of no present process */
  hostOf(token: string): Identity | undefined {
    try {
      const team = this.#team();
      const name = team && memberWithToken(team.store, token);
      if (team === undefined || name === undefined) return undefined;
      return this.#hosts.get(token) ?? this.#open(team, name, token);
    } catch (error) {
      // The process was replaced meanwhile, or the team cannot be read.
      if (isTeamError(error)) return undefined;
      throw error;
    }
  }

  #open(team: TeamHandle, name: string, token: string): Identity {
    const { open, merged } = settings(this.#context);
    const own = { [ENV.team]: team.name, [ENV.member]: name, [ENV.token]: token };
    const handle = openHandle(team.name, { ...open, as: undefined, environment: { ...open.environment, ...own } });
    this.#handles.push(handle);
    // A later process of the same member is another identity.
    const key = `${name} ${handle.speaker.kind === 'member' ? handle.speaker.incarnation : ''}`;
    const host = { key, context: memberToolContext(handle, { prices: merged.config.prices }) };
    this.#hosts.set(token, host);
    return host;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#handles.map((handle) => handle[Symbol.asyncDispose]()));
  }
}
