/** What thinks for a member, with all that a turn of it needs: its tools, its mail in mid-turn, where its words go. */
import type { Agent, Incoming } from '../agents/agent.ts';
import { hasToolLoop } from '../model/agent.ts';
import type { Message } from '../model/message.ts';
import { AgentLedger } from './agent-ledger.ts';
import type { Mailroom } from './mailroom.ts';
import { Output } from './output.ts';
import { mailBlock } from './prompts.ts';
import type { RunnerEnvironment } from './runner.ts';
import type { Self } from './self.ts';
import type { Workspace } from './workspace.ts';

export interface MindEnvironment {
  readonly self: Self;
  readonly agent: Agent;
  readonly runner: Pick<RunnerEnvironment, 'spec' | 'sandbox' | 'cwd' | 'environment' | 'hook' | 'brief'>;
  /** Before every line that it prints. */
  readonly tag?: string;
  /** Whether mail makes a turn; an `exec` agent gets its mail with its next task. */
  readonly answersMail: boolean;
  /** Where its shell and file tools work, when they are carried out by us. */
  readonly workspace?: Workspace;
}

/** Where mail comes from in mid-turn, and what of it is to be acknowledged after the turn. */
export interface Post {
  readonly from: Mailroom;
  readonly taken: Message[];
}

export class Mind {
  readonly output: Output;
  readonly #environment: MindEnvironment;
  readonly #ledger: AgentLedger;
  /** Told of mail that comes in mid-turn. */
  readonly #arrivals = new Set<() => void>();

  constructor(environment: MindEnvironment) {
    const { self, runner } = environment;
    this.#environment = environment;
    this.output = new Output(self.store, self.name, environment.tag);
    this.#ledger = new AgentLedger(self, runner.spec);
  }

  /** @param mail of the turn: what the agent sends in it is an answer to it; what comes meanwhile is added */
  runner(mail: Message[], post: Post, isAsking: () => boolean): RunnerEnvironment {
    const { self, agent, runner, answersMail, workspace } = this.#environment;
    const { store, speaker } = self;
    // Most agents call no tool: what it takes is loaded for those that do.
    const tools = () => import('./team-tools.ts');
    const call: RunnerEnvironment['call'] = async (event) => (await tools()).callTool(self, mail, workspace, event);
    const around: RunnerEnvironment['around'] = async () => ({
      ...(hasToolLoop(runner.spec.kind) ? { tools: (await tools()).offeredTools(workspace) } : {}),
      ...(answersMail ? { mail: this.#incoming(mail, post) } : {}),
    });
    return { ...runner, store, speaker, agent, output: this.output, ledger: this.#ledger, call, around, isAsking };
  }

  /** Mail came, and a turn may be under way. */
  mailCame(): void {
    for (const arrived of this.#arrivals) arrived();
  }

  async close(): Promise<void> {
    await this.#environment.agent.close();
    await this.#environment.workspace?.[Symbol.asyncDispose]();
    this.output.close();
  }

  #incoming(mail: Message[], { from, taken }: Post): Incoming {
    return {
      take: () => {
        const more = from.forTurn();
        mail.push(...more);
        if (taken !== mail) taken.push(...more);
        return more.length === 0 ? undefined : mailBlock(more);
      },
      onArrival: (listener) => {
        this.#arrivals.add(listener);
        return () => this.#arrivals.delete(listener);
      },
    };
  }
}
