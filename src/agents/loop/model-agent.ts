/**
 * The teammate's loop over a model API (docs/specification.md R7.11): call the model, carry out its tool calls, look
 * for mail, and repeat until it calls no more. The conversation continues from turn to turn, and in a later process
 * under its session's id.
 */
import type { AgentSpec } from '../../model/agent/agent.ts';
import type { Agent, AgentContext, Turn, TurnInput } from '../agent-contract.ts';
import { Conversation } from './conversation.ts';
import { loadLibrary, type Library } from './library.ts';
import { TurnDeadline } from './turn-deadline.ts';
import { TurnLoop } from './turn-loop.ts';
import { loopOptions, type ResolvedModel, type ModelVendor } from './model-vendor.ts';

/** @throws UsageError `USAGE` for options that the loop does not know */
export function modelAgent(spec: AgentSpec, agentContext: AgentContext, vendor: ModelVendor): Agent {
  const options = loopOptions(spec);
  let known: { library: Library; reached: ResolvedModel; conversation: Conversation } | undefined;

  async function* turn(input: TurnInput): Turn {
    if (input.signal.aborted) return { kind: 'aborted' };
    using deadline = new TurnDeadline(input);
    if (known === undefined) {
      const reached = await vendor.resolveModel(spec, { env: input.env, signal: deadline.signal });
      if (deadline.isOver) return deadline.end();
      if ('why' in reached) return { kind: 'failed', text: '', ...reached };
      const library = await loadLibrary();
      const { conversation, isLost } = Conversation.open(
        agentContext.home,
        agentContext.session,
        library.modelMessageSchema,
      );
      known = { library, reached, conversation };
      if (isLost)
        yield { type: 'noted', text: `Session ${agentContext.session ?? ''} cannot be found; a new one begins.` };
      yield { type: 'session', id: conversation.id };
    }
    return yield* new TurnLoop({ ...known, options, deadline, input, identity: agentContext.identity, vendor }).turn();
  }

  return { turn, close: () => Promise.resolve() };
}
