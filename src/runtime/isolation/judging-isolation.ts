/**
 * The isolation of commands that judge work (`policy/sandbox/judged-work.ts`). In a member's process, where its program
 * is isolated, they run in that isolation; elsewhere as a command of a model's tools does. Without a network, unless the
 * user says so.
 */
import { loadedInside, withoutLoader } from '../../model/agent/loader-variables.ts';
import { joinedLend, type Lend } from '../../model/team/lend.ts';
import type { NotEnforced } from '../../model/team/not-enforced.ts';
import { ENV } from '../../model/text/environment.ts';
import { insideEnvironment } from './member-server.ts';
import { judgedAs, writersOf, type JudgingRules, type Writer } from '../../policy/sandbox/judged-work.ts';
import type { ShownTree } from '../../policy/sandbox/lent-path.ts';
import type { ProgramIsolate } from '../../policy/sandbox/program-isolation.ts';

type Variables = Readonly<Record<string, string | undefined>>;

interface JudgingPlace {
  /** What runs, for people: `gate test`. */
  readonly what: string;
  readonly config:
    | {
        readonly members: readonly Writer[];
        readonly writers?: readonly Writer[] | undefined;
        readonly lend?: Lend | undefined;
      }
    | undefined;
  /** What the user lends besides. */
  readonly lend?: Lend | undefined;
  /** The team's folders. */
  readonly team?: readonly string[];
  readonly cwd: string;
  /** It is a tree that is shown elsewhere. */
  readonly shown?: ShownTree | undefined;
  /** The environment of this process. */
  readonly environment: Variables;
  readonly rules: JudgingRules;
  /** The isolation of the member whose work is judged. */
  readonly own?: ProgramIsolate | undefined;
  /** It may use the network that the member's own program has. */
  readonly keepsNetwork?: true;
}

export interface JudgingCommand {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Judging {
  readonly isIsolated: boolean;
  readonly wrap: (command: JudgingCommand) => JudgingCommand;
  /** Present if it should be isolated and is not. */
  readonly notEnforced?: NotEnforced;
}

/** What a failed command that was isolated adds to its reason. */
export const JUDGED_HINT = 'it ran isolated; `gates.network: true` gives it a network, `gates.sandbox: off` all rights';

/** @throws AgentError `AGENT_UNAVAILABLE` (exit 5) if isolation is required and does not work, or only not in this workspace */
export async function openJudging(place: JudgingPlace): Promise<Judging> {
  const { what, config, cwd, environment, rules, own, team = [], keepsNetwork = false } = place;
  const { setting, sandbox, network } = rules;
  const judged = judgedAs(writersOf(config), setting);
  if (judged.kind === 'free') return FREE;
  const loose = (why: string): Judging => ({
    ...FREE,
    notEnforced: { what, sandbox: 'workspace-write', why },
  });
  if (sandbox === 'off') return loose('gates.sandbox is off');
  if (setting === 'off') return loose('sandbox.bwrap is off');
  if (own !== undefined)
    return {
      isIsolated: true,
      wrap({ argv, env: given }) {
        const env = insideEnvironment(given);
        return {
          env: withoutLoader(env),
          argv: own(argv, env, { sandbox: 'workspace-write', isOffline: !network && !keepsNetwork }),
        };
      },
    };
  const { openShellIsolation } = await import('./open-shell-isolation.ts');
  const {
    isolation,
    why = 'it was not tried',
    around,
  } = await openShellIsolation({
    setting,
    root: cwd,
    environment,
    lend: joinedLend(place.lend, config?.lend),
    team,
  });
  if (isolation !== 'up') return loose(why);
  const how = { hasNetwork: network, showsKeys: !judged.hidesKeys, shown: place.shown };
  return {
    isIsolated: true,
    wrap: ({ argv, env }) => ({
      env: withoutLoader(withoutToken(env)),
      argv: around(cwd, true, loadedInside(argv, env), how),
    }),
  };
}

const FREE: Judging = { isIsolated: false, wrap: (command) => command };

const withoutToken = (env: JudgingCommand['env']): JudgingCommand['env'] =>
  Object.fromEntries(Object.entries(env).filter(([name]) => name !== ENV.token && name !== ENV.proof));
