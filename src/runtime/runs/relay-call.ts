/**
 * One call outside a team: runs a backend, a reviewer or a validating command as a subagent of this process. What it
 * started ends with the call, and with this process, however that ends.
 */
import { childEnvironment } from '../../agents/agent-registry.ts';
import type { AgentSpec, FailureClass, Sandbox } from '../../model/agent/agent.ts';
import { UsageError, type AgentCode } from '../../model/text/errors.ts';
import type { spendingEvent } from '../../model/team/spending-sum.ts';
import { defined } from '../../model/text/defined.ts';
import type { PriceRules } from '../../policy/budget/estimate.ts';
import type { EndedCall } from '../../policy/refine/relay-outcome.ts';
import type { NotEnforced } from '../../model/team/not-enforced.ts';
import type { ShownTree } from '../../policy/sandbox/lent-path.ts';
import type { Lend } from '../../model/team/lend.ts';
import type { IsolationSetting } from '../../policy/sandbox/shell-isolation.ts';
import { pathWithUs } from '../process/package.ts';
import type { Spender } from '../budget/spender-ledgers.ts';
import { Subagents } from '../tools/subagents.ts';
import { ENV } from '../../model/text/environment.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws UsageError `POLICY_DENIED` inside a teammate, a loop or a planner: these may not start another one */
export function refuseNesting(environment: Environment, what = 'A refine loop'): void {
  const member = environment[ENV.member] ?? '';
  const where = member !== '' ? `this process is the teammate ${member}` : 'this process works for one already';
  if (member !== '' || (environment[ENV.refine] ?? '') !== '')
    throw new UsageError('POLICY_DENIED', `${what} cannot start another one (${where}).`);
}

export interface CallPlace {
  readonly cwd: string;
  /** It is a tree that is shown elsewhere in an isolation. */
  readonly shown?: ShownTree | undefined;
  readonly environment: Environment;
  readonly envPass: readonly string[];
  readonly isolation: IsolationSetting;
  readonly lend?: Lend | undefined;
  /** The folders of the team that calls, which are not there inside. */
  readonly team?: readonly string[] | (() => readonly string[]);
  /** Called with each sandbox that is not enforced. */
  readonly onNotEnforced: (told: NotEnforced) => void;
  /** Whose budget the calls use; undefined where nothing is limited. */
  readonly spender?: (() => (Spender & PriceRules) | undefined) | undefined;
  /** Called with an event for each usage. */
  readonly onSpent?: ((event: ReturnType<typeof spendingEvent>) => void) | undefined;
}

interface RelayRequest {
  /** Where it works, if not where the others do. */
  readonly at?: Pick<CallPlace, 'cwd' | 'shown'> | undefined;
  /** What it is, for people: `the planner`. */
  readonly about: string;
  readonly agent: AgentSpec;
  readonly prompt: string;
  readonly sandbox: Sandbox;
  /** The user named the sandbox; by default true for `read-only`. */
  readonly isAsked?: boolean;
  readonly timeoutMs: number;
}

export class RelayCalls {
  readonly #place: CallPlace;
  readonly #subagents: Subagents;

  constructor(place: CallPlace) {
    this.#place = place;
    const { isolation, lend, team = [], environment, onNotEnforced, spender, onSpent } = place;
    this.#subagents = new Subagents({
      ...defined({ spender, onSpent }),
      surroundings: {
        setting: isolation,
        lend,
        environment,
        team: typeof team === 'function' ? team : () => team,
        onNotEnforced,
      },
    });
  }

  /**
   * It never rejects because of what the agent did.
   *
   * @returns how it ended; undefined when `signal` aborted first
   * @throws AgentError `AGENT_UNAVAILABLE` (exit 5) if isolation is required and does not work
   */
  async run({ agent, at = this.#place, ...call }: RelayRequest, signal: AbortSignal): Promise<EndedCall | undefined> {
    const { cwd, shown } = at;
    const { environment, envPass } = this.#place;
    const env = childEnvironment(agent.kind, {
      parent: environment,
      env: agent.env ?? {},
      envPass,
      add: { PATH: pathWithUs(environment['PATH'] ?? '/usr/bin:/bin'), [ENV.refine]: '1' },
    });
    const end = await this.#subagents.run({ spec: agent, cwd, shown, env, ...call }, signal);
    return end.kind === 'aborted' ? undefined : end;
  }

  /** Ends what runs. Idempotent. */
  close(): Promise<void> {
    return this.#subagents.close();
  }
}

export const FAULT_CODES: Readonly<Partial<Record<FailureClass, AgentCode>>> = {
  timeout: 'AGENT_TIMEOUT',
  crashed: 'AGENT_CRASHED',
  not_installed: 'AGENT_NOT_INSTALLED',
  unauthorised: 'AGENT_UNAUTHORISED',
  bad_output: 'AGENT_BAD_OUTPUT',
};
