/** An agent that refuses every graceful request to stop. */
import type { AgentSpec } from '../../src/model/agent/agent.ts';

export const refusing = (why: string): AgentSpec => ({
  kind: 'scripted',
  shutdown: 'ask',
  options: { turns: [{ match: 'asks you to stop', answers: `REJECT: ${why}`, repeat: true }, { repeat: true }] },
});
