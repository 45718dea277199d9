/**
 * The subagent tasks of a role (docs/specification.md R10.10). Each is given to an agent that suits it. If that fails,
 * or its answer is unreadable, another agent gets it once. The first task opens the pool of threads.
 */
import process from 'node:process';
import { childEnvironment } from '../../agents/agent-registry.ts';
import type { AgentSpec } from '../../model/agent/agent.ts';
import type { JsonAnswer } from '../../model/text/json-answer.ts';
import type { SubagentKind } from '../../model/pipeline/role-spec.ts';
import type { SubagentChoice, Pool } from '../../policy/pipeline/subagent-choice.ts';
import type { ShownTree } from '../../policy/sandbox/lent-path.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { isTeamError } from '../../model/text/errors.ts';
import { notEnforcedEvent } from '../../model/team/not-enforced.ts';
import { parseName } from '../../model/text/names.ts';
import { decodeAgentRules, decodeIsolation, decodeLend } from '../team/teammate-env.ts';
import { pathWithUs } from '../process/package.ts';
import { Subagents, type SubagentEnd } from '../tools/subagents.ts';
import { ENV } from '../../model/text/environment.ts';

interface RoleSubagentsEnvironment {
  readonly store: TeamStore;
  /** The member whose tasks they are. */
  readonly member: string;
  readonly cwd: string;
  /** It is a tree that is shown elsewhere. */
  readonly shown?: ShownTree | undefined;
  /** The agents that may be used. */
  readonly pool: Pool;
  readonly envPass: readonly string[];
  /** The role may only read, by its kind or by its plan: then a command is isolated, too. */
  readonly isAsked: boolean;
}

interface RoleSubagentTask<T> {
  readonly kind: SubagentKind;
  /** Which one of its kind, for people: a perspective or an angle. */
  readonly about: string;
  readonly choice: SubagentChoice;
  readonly prompt: string;
  /** Environment variables for an agent that is a command, besides its stdin. */
  readonly variables: Readonly<Record<string, string>>;
  readonly read: (answer: string) => JsonAnswer<T>;
}

type RoleSubagentResult<T> =
  | { readonly kind: 'answer'; readonly value: T; readonly by: string }
  /** No agent could answer; `why` of the last one asked. */
  | { readonly kind: 'none'; readonly why: string }
  | { readonly kind: 'aborted' };

const TIMEOUT_MS = 600_000;

export class RoleSubagents {
  readonly #environment: RoleSubagentsEnvironment;
  #subagents: Subagents | undefined;

  constructor(environment: RoleSubagentsEnvironment) {
    this.#environment = environment;
  }

  get pool(): Pool {
    return this.#environment.pool;
  }

  get cwd(): string {
    return this.#environment.cwd;
  }

  /** Asks the first agent, and the second if that failed. Each failure is an event. */
  async run<T>(subagentTask: RoleSubagentTask<T>, signal: AbortSignal): Promise<RoleSubagentResult<T>> {
    const { first, second, note } = subagentTask.choice;
    if (note !== undefined) this.#tell('subagent.replaced', subagentTask, note);
    let why = '';
    for (const spec of [first, ...(second === undefined ? [] : [second])]) {
      const end = await this.#runOnce(spec, subagentTask, signal);
      if (end.kind === 'aborted') return { kind: 'aborted' };
      const read = end.kind === 'answered' ? subagentTask.read(end.text) : { ok: false as const, why: end.message };
      if (read.ok) return { kind: 'answer', value: read.value, by: nameOf(spec) };
      why = `${nameOf(spec)}: ${read.why}`;
      this.#tell('subagent.failed', subagentTask, why);
    }
    return { kind: 'none', why };
  }

  async close(): Promise<void> {
    await this.#subagents?.close();
  }

  #incarnation(): string {
    const { store, member } = this.#environment;
    return store.board.fold().members.get(parseName('member', member))?.incarnation ?? member;
  }

  async #runOnce(
    spec: AgentSpec,
    { kind, prompt, variables }: RoleSubagentTask<unknown>,
    signal: AbortSignal,
  ): Promise<SubagentEnd> {
    const { cwd, shown, envPass, isAsked, store, member } = this.#environment;
    const add = {
      PATH: pathWithUs(process.env['PATH'] ?? '/usr/bin:/bin'),
      [ENV.subagent]: kind,
      ...variables,
    };
    const env = childEnvironment(spec.kind, { parent: process.env, env: spec.env ?? {}, envPass, add });
    this.#subagents ??= new Subagents({
      onSpent: (event) => void store.events.append({ ...event, member }),
      spender: () => ({ store, member, by: this.#incarnation(), onError: () => {}, ...decodeAgentRules(process.env) }),
      surroundings: {
        setting: decodeIsolation(process.env),
        lend: decodeLend(process.env),
        environment: process.env,
        team: () => [store.paths.folder, store.paths.board],
        onNotEnforced: (told) => void store.events.append({ ...notEnforcedEvent(told), member }),
      },
    });
    const task = {
      about: `${member}'s ${kind}`,
      spec,
      prompt,
      cwd,
      shown,
      env,
      isAsked,
      sandbox: 'read-only' as const,
    };
    try {
      return await this.#subagents.run({ ...task, timeoutMs: TIMEOUT_MS }, signal);
    } catch (error) {
      // Isolation is required and does not work.
      if (!isTeamError(error)) throw error;
      return { kind: 'failed', why: 'not_installed', text: '', message: error.message };
    }
  }

  #tell(type: string, { kind, about }: RoleSubagentTask<unknown>, text: string): void {
    const { store, member } = this.#environment;
    store.events.append({ type, member, kind, text: `${kind} ${about}: ${text}`.slice(0, 4_096) });
  }
}

/** An agent's name for people: `gemini`, `claude (haiku)`. */
const nameOf = ({ kind, model }: AgentSpec): string => (model === undefined ? kind : `${kind} (${model})`);
