/**
 * A team whose member, a model with a script, asks a person before it acts (`approvals: ask`). Use it for how permissions
 * are asked, answered and shown.
 */
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import type { AgentSpec } from '../../src/model/agent/agent.ts';
import type { Asked } from '../fixtures/model-server/asked.ts';
import type { Step } from '../fixtures/model-server/script.ts';
import { ModelServer } from '../fixtures/model-server/server.ts';
import { until, Workplace } from './cli.ts';

/** A step of the model: it calls its shell. */
export const bash = (command: string, over: Partial<Step> = {}): Step => ({
  calls: [{ tool: 'bash', input: { command } }],
  ...over,
});

const plan = (agent: AgentSpec, more: string): string => `name: crew
approvals: ask
${more}
members:
  - { name: ada, agent: ${JSON.stringify(agent)} }
tasks:
  - { subject: Work }
`;

const modelAt = (url: string): AgentSpec => ({
  kind: 'anthropic',
  model: 'claude-sonnet-5-5',
  baseUrl: url,
  env: { ANTHROPIC_API_KEY: 'none' },
});

interface CrewOptions {
  /** Further lines of the plan. */
  readonly more?: string;
  /** The member's agent, for the model server at this address. */
  readonly agent?: (url: string) => AgentSpec | Promise<AgentSpec>;
}

const askedSchema = z.object({
  asked: z.array(
    z.object({
      id: z.string(),
      text: z.string(),
      outcome: z.string(),
      answer: z.string().nullable(),
      task: z.string().nullable(),
    }),
  ),
  allowed: z.array(z.object({ tool: z.string(), text: z.string() })),
});

/** A place with a plan `crew.yaml`, and the model's server. */
export async function crew(
  script: readonly Step[] | ((asked: Asked) => Step),
  { more = '', agent = modelAt }: CrewOptions = {},
): Promise<{ place: Workplace; server: ModelServer }> {
  const played = typeof script === 'function' ? script : [...script, { text: 'Done.', times: 'always' as const }];
  const server = await ModelServer.start({ script: played, titles: true });
  onTestFinished(() => server.close());
  const place = new Workplace();
  place.put('crew.yaml', plan(await agent(server.url), more));
  return { place, server };
}

/** The crew at work. */
export async function started(script: Parameters<typeof crew>[0], options: CrewOptions = {}) {
  const { place, server } = await crew(script, options);
  const { ended } = place.start('run', 'crew.yaml', '--yes');
  const approvals = () => place.json(askedSchema, 'approvals', 'crew');
  const open = async (): Promise<string> => {
    let id: string | undefined;
    const isAsked = async (): Promise<boolean> => {
      // The team may be in the making.
      if ((await place.teams('approvals', 'crew')).code !== 0) return false;
      id = (await approvals()).asked.find(({ outcome }) => outcome === 'open')?.id;
      return id !== undefined;
    };
    await until(isAsked, 'a permission is asked for', 30_000);
    return id ?? '';
  };
  return { place, server, ended, approvals, open };
}
