/** The real CLIs with the model server, each in the contract suite that their stand-in programs pass in `npm test`. */
import { join } from 'node:path';
import { beforeAll, beforeEach } from 'vitest';
import { allowLeft } from '../support/leftovers.ts';
import { agentFor } from '../../src/agents/agent-registry.ts';
import { teamServer } from '../agents/like.ts';
import { describeWithModel, type Cast } from '../agents/model-contract.ts';
import { environment, REAL_CLIS, reach, realCli, SEEN, STALL_MS, type RealCli } from './clis.ts';

const programs = new Map<RealCli, string>();
/** Files in the CLI's own home belong to the CLI. */
beforeEach(() => allowLeft(/\/(?:codex|claude|gemini|opencode)\//));

const only = process.env['ONLY'];

/** Only requested kinds are installed. */
for (const kind of REAL_CLIS.filter((one) => only === undefined || one === only)) {
  beforeAll(async () => void programs.set(kind, await realCli(kind)));
  describeWithModel({ ...base(kind), ...SEEN[kind] });
}

function base(kind: RealCli): Cast {
  return {
    kind: `the real ${kind}`,
    open: async ({ home, session, cwd, url }) => {
      const team = teamServer(join(home, 'sent'));
      const spec = { kind, command: [programs.get(kind) ?? kind], ...reach(kind, url) };
      return {
        agent: await agentFor(spec, { home, server: team.server, session }),
        input: { env: environment(cwd), stallMs: STALL_MS },
        sent: () => team.sent().map(({ content }) => content),
      };
    },
    stallMs: STALL_MS,
  };
}
