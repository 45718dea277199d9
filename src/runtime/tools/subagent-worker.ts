/** The thread of a subagent: one turn of one agent. It is a bundle of its own, which piscina starts. */
import process from 'node:process';
import {
  agentFor,
  type Agent,
  type Isolate,
  type AgentEvent,
  type CallAnswer,
  type Turn,
} from '../../agents/agent-registry.ts';
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import { findProgram } from '../../os/program-path.ts';
import { outputTail, tailText } from '../../os/output-tail.ts';
import { hasToolLoop } from '../../model/agent/agent-kinds.ts';
import { isToolName, isWorkspaceTool } from '../../model/team/tool.ts';
import { LastLine } from './wait-report.ts';
import { judgePermission } from '../../policy/sandbox/permissions.ts';
import type { Permissions } from '../../policy/sandbox/effective-sandbox.ts';
import type {
  CallEvent,
  FromSubagent,
  SubagentEnd,
  SubagentMessage,
  SubagentTask,
  ToSubagent,
} from './subagent-message.ts';

/** In a thread `process.exit` ends only the thread. */
const crash = (): void => process.exit(1);

export default async function runSubagentTask(message: SubagentMessage): Promise<SubagentEnd> {
  const { subagentTask, isolation, port } = message;
  const { spec } = subagentTask;
  const stop = new AbortController();
  const asking = new CallAnswers(port, stop);
  try {
    const isolated = isolation && { home: isolation.home, isolate: isolateBy(isolation.argv, subagentTask.env) };
    const agent = await agentFor(spec, { crash, ...isolated });
    try {
      return await carriedOut(agent, message, asking, stop.signal);
    } finally {
      await agent.close();
    }
  } finally {
    port.close();
  }
}

const isCallEvent = (event: AgentEvent): event is CallEvent =>
  ['calling', 'usage', 'unbilled', 'retrying', 'allowance'].includes(event.type);

/** The other side keeps the budget and the vendor's pace: the turn waits for its answers. */
class CallAnswers {
  readonly #port: SubagentMessage['port'];
  #answer: ((answer: CallAnswer | undefined) => void) | undefined;

  constructor(port: SubagentMessage['port'], stop: AbortController) {
    this.#port = port;
    port.on('message', (message: ToSubagent) => {
      if (message === 'stop') stop.abort();
      this.#answer?.(message === 'stop' ? undefined : message.answer);
    });
  }

  ask(event: CallEvent): Promise<CallAnswer | undefined> {
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.#port.postMessage({ event } satisfies FromSubagent);
    });
  }
}

/** A missing program is not wrapped, so that its own start reports the error. */
const isolateBy =
  (around: readonly string[], { PATH = '' }: SubagentTask['env']): Isolate =>
  (argv) => {
    const [program = ''] = argv;
    return program.includes('/') || findProgram(program, PATH) !== undefined ? [...around, ...argv] : argv;
  };

/** Runs the turn. A model's shell and file tools work in `cwd`; it has no other tools. */
async function carriedOut(
  agent: Agent,
  { subagentTask: { spec, ...input }, setting, lend, team, port }: SubagentMessage,
  calls: CallAnswers,
  signal: AbortSignal,
): Promise<SubagentEnd> {
  const { openWorkspace } = await import('./tool-workspace.ts');
  const permissions: Permissions = { sandbox: input.sandbox, planPending: false };
  await using workspace = hasToolLoop(spec.kind)
    ? await openWorkspace({
        root: input.cwd,
        shown: input.shown,
        environment: input.env,
        permissions: () => permissions,
        isolation: setting,
        lend,
        team,
        onWarning: () => undefined,
      })
    : undefined;
  const tools = workspace === undefined ? {} : { tools: workspace.tools() };
  const last = new LastLine();
  let told: string | undefined;
  const printed = (bytes: Buffer): void => {
    last.push(bytes);
    if (last.text === undefined || last.text === told) return;
    told = last.text;
    port.postMessage({ line: told } satisfies FromSubagent);
  };
  return await heard(agent.turn({ ...input, ...tools, signal }), async (event) => {
    if (event.type === 'output') printed(event.bytes);
    if (event.type === 'said') printed(Buffer.from(`\n${event.text}\n`));
    if (event.type === 'asked') return judgePermission(event, input.sandbox);
    if (isCallEvent(event)) return calls.ask(event);
    if (event.type !== 'called') return undefined;
    const { tool, input: given } = event;
    const isOurs = isToolName(tool) && isWorkspaceTool(tool) && workspace !== undefined;
    return isOurs
      ? workspace.call(tool, given, { signal, showsImages: true })
      : { ok: false, why: 'A subagent has no team tools.' };
  });
}

/** Bytes at the end of the output that are kept. */
const PRINTED_BYTES = 16 * 1024;

/** Drives the turn. If it ends without an answer, what the agent said during the turn is the answer. */
async function heard(turn: Turn, answer: (event: AgentEvent) => Promise<CallAnswer | undefined>): Promise<SubagentEnd> {
  const said: string[] = [];
  const printed = outputTail(PRINTED_BYTES);
  for (let next = await turn.next(undefined); ;) {
    if (next.done) return endOf(next.value, said.join('\n'), tailText(printed.bytes(), PRINTED_BYTES));
    if (next.value.type === 'said') said.push(next.value.text);
    if (next.value.type === 'output') printed.push(next.value.bytes);
    next = await turn.next(await answer(next.value));
  }
}

function endOf(end: TurnEnd, said: string, printed: string): SubagentEnd {
  if (end.kind === 'aborted') return { kind: 'aborted' };
  return { ...end, text: end.text.trim() === '' ? said : end.text, printed };
}
