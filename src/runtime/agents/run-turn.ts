/** Drives a turn to its end: keeps what the agent prints and says, answers what it calls or asks. */
import type { AgentEvent, CallAnswer, Turn, ToolCallEvent } from '../../agents/agent-contract.ts';
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import type { Sandbox } from '../../model/agent/agent.ts';
import { judgePermission } from '../../policy/sandbox/permissions.ts';
import type { AgentLedger } from './agent-ledger.ts';
import type { PermissionAsk } from './permission-gate.ts';
import type { MemberOutput } from './member-output.ts';

interface TurnListener {
  readonly output: Pick<MemberOutput, 'print' | 'say'>;
  readonly sandbox: Sandbox;
  /** Why a file may not be written now. */
  readonly refusesWrite?: ((path: string) => string | undefined) | undefined;
  /** Asks a person about what the sandbox permits; absent: the sandbox decides. */
  readonly permits?: ((asked: PermissionAsk, signal: AbortSignal) => Promise<CallAnswer>) | undefined;
  /** Executes a tool call of the agent. */
  readonly call: (event: ToolCallEvent) => Promise<CallAnswer>;
  /** Without a ledger nothing is logged: a command reports nothing. */
  readonly ledger?: AgentLedger;
}

export async function runTurn(turn: Turn, listener: TurnListener, signal: AbortSignal): Promise<TurnEnd> {
  let answer: CallAnswer | undefined;
  for (;;) {
    const next = await turn.next(answer);
    if (next.done) return next.value;
    answer = await heard(next.value, listener, signal);
  }
}

/** A permitted write must also be within the files of the member's task. */
function ownedOnly(
  { effect, paths }: AgentEvent & { type: 'asked' },
  judged: CallAnswer,
  { refusesWrite }: Pick<TurnListener, 'refusesWrite'>,
): CallAnswer {
  if (!judged.ok || effect !== 'writes' || refusesWrite === undefined) return judged;
  const why = paths.flatMap((path) => refusesWrite(path) ?? [])[0];
  return why === undefined ? judged : { ok: false, why };
}

/** Characters of a call's input that the log shows. */
const SHOWN = 200;

const shortly = (input: unknown): string => JSON.stringify(input).slice(0, SHOWN);

async function heard(event: AgentEvent, listener: TurnListener, signal: AbortSignal): Promise<CallAnswer | undefined> {
  const { output, call, ledger, sandbox, permits } = listener;
  switch (event.type) {
    case 'output':
      output.print(event.bytes);
      return undefined;
    case 'said':
      output.say(event.text);
      return undefined;
    case 'called':
      // An agent that executes its own tools reports them with `used`; these calls are executed by us.
      await ledger?.heard({ type: 'used', tool: event.tool, text: shortly(event.input) }, signal);
      return call(event);
    case 'asked': {
      const allowed = ownedOnly(event, judgePermission(event, sandbox), listener);
      const judged = allowed.ok ? ((await permits?.(event, signal)) ?? allowed) : allowed;
      if (!judged.ok) ledger?.denied(judged.why);
      return judged;
    }
    case 'started':
      return undefined;
    case 'session':
    case 'used':
    case 'usage':
    case 'retrying':
    case 'unbilled':
    case 'allowance':
    case 'noted':
    case 'planned':
      await ledger?.heard(event, signal);
      return undefined;
    case 'calling':
      return ledger?.calling(event.most, signal);
  }
}
