/** The real CLIs with the model server, each in the contract suite that their stand-in programs pass in `npm test`. */
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { allowLeft } from '../support/leftovers.ts';
import { tempDir } from '../support/temp.ts';
import { agentFor } from '../../src/agents/agent-registry.ts';
import { teamServer } from '../agents/like.ts';
import { describeWithModel, type Cast } from '../agents/model-contract.ts';
import { play, turnInput } from '../agents/turns.ts';
import { ModelServer } from '../fixtures/model-server/server.ts';
import { environment, REAL_CLIS, reach, realCli, SEEN, STALL_MS, type RealCli } from './clis.ts';

const programs = new Map<RealCli, string>();
/** Files in the CLI's own home belong to the CLI. */
beforeEach(() => allowLeft(/\/(?:codex|claude|gemini|opencode)\//));

const only = process.env['ONLY'];

/** By their names or the ends of their names: what starts, asks or awaits another agent of the program's own. */
const OTHER_TEAMS =
  /(?:^|[_/])(?:agent|task|subagent|spawn_agent|send_input|wait_agent|close_agent|resume_agent|teamcreate|teamdelete|sendmessage|delegate_to_agent|codebase_investigator|generalist|invoke_agent)$/i;

/** Only requested kinds are installed. */
for (const kind of REAL_CLIS.filter((one) => only === undefined || one === only)) {
  beforeAll(async () => void programs.set(kind, await realCli(kind)));
  describeWithModel({ ...base(kind), ...SEEN[kind] });

  test(`the model of the real ${kind} is offered our team's tools, and no other way to lead agents`, async () => {
    const server = await ModelServer.start({ titles: SEEN[kind].titles ?? false });
    onTestFinished(() => server.close());
    const cwd = tempDir();
    const opened = await base(kind).open({ url: server.url, cwd, home: tempDir() });
    onTestFinished(() => opened.agent.close());
    await play(opened.agent.turn(turnInput(cwd, { prompt: 'Hello.', ...opened.input })));
    const offered = [...new Set(server.requests.flatMap(({ tools }) => tools))];
    const isOurs = (name: string): boolean => /teams?(?:__|_|\/)SendMessage$/.test(name);
    expect(offered.some(isOurs), offered.join()).toBe(true);
    expect(
      offered.filter((name) => OTHER_TEAMS.test(name) && !isOurs(name)),
      offered.join(),
    ).toEqual([]);
  });
}

function base(kind: RealCli): Cast {
  return {
    kind: `the real ${kind}`,
    open: async ({ home, session, cwd, url }) => {
      const team = teamServer(join(home, 'sent'));
      const spec = { kind, command: [programs.get(kind) ?? kind], ...reach(kind, url) };
      return {
        agent: await agentFor(spec, { home, server: team.server, session }),
        input: { env: environment(cwd) },
        sent: () => team.sent().map(({ content }) => content),
      };
    },
    stallMs: STALL_MS,
  };
}
