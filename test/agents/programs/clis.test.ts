/**
 * The agents with one program for all turns, each in the contract suite, with a program that behaves like the real one.
 */
import { join } from 'node:path';
import { acp } from '../../../src/agents/programs/acp.ts';
import type { Agent, AgentContext } from '../../../src/agents/agent-contract.ts';
import { claude } from '../../../src/agents/programs/claude.ts';
import { codex } from '../../../src/agents/programs/codex.ts';
import type { PersistentLimits } from '../../../src/agents/programs/persistent-agent.ts';
import type { AgentSpec } from '../../../src/model/agent/agent.ts';
import { like, teamServer } from '../like.ts';
import { describeWithModel, type Cast, type Place } from '../model-contract.ts';

type Factory = (spec: AgentSpec, agentContext: AgentContext, limits?: Partial<PersistentLimits>) => Agent;

const cast = (make: Factory, specOf: (place: Place) => AgentSpec, over: Partial<Cast>): Cast => ({
  kind: '',
  open: (place) => {
    const { home, session, cwd, url } = place;
    const team = teamServer(join(home, 'sent'));
    const seat = { home, server: team.server, session };
    return {
      agent: make(specOf(place), seat),
      input: { env: { PATH: process.env['PATH'] ?? '', HOME: cwd, LIKE_URL: url, LIKE_HOME: home } },
      sent: () => team.sent().map(({ content }) => content),
    };
  },
  makes: { tool: 'Write', input: { file_path: 'made', content: 'by hand' } },
  ...over,
});

describeWithModel(
  cast(claude, ({ url }) => ({ kind: 'claude', command: like('claude'), baseUrl: url }), {
    kind: 'a program like claude',
  }),
);
describeWithModel(
  cast(codex, ({ url }) => ({ kind: 'codex', command: like('codex'), baseUrl: `${url}/v1` }), {
    kind: 'a program like codex',
  }),
);
describeWithModel(
  cast(acp, () => ({ kind: 'acp', command: like('acp') }), {
    kind: 'a program that speaks ACP',
    cannot: {
      mail: 'the protocol has no place for it in mid-turn',
      '429 then good': 'the protocol has no word for a retry',
    },
  }),
);
