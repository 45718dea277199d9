/** What the updates of an ACP program mean, and that they come to the log of the team. */
import type { ContentBlock, SessionUpdate } from '@agentclientprotocol/sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { contextIn, messageCollector, planIn } from '../../../src/agents/programs/acp-updates.ts';
import { ModelServer } from '../../fixtures/model-server/server.ts';
import { Workplace } from '../../support/cli.ts';
import { like } from '../like.ts';

type Status = 'pending' | 'in_progress' | 'completed';
const plan = (...entries: [Status, string][]): SessionUpdate => ({
  sessionUpdate: 'plan',
  entries: entries.map(([status, content]) => ({ status, content, priority: 'high' })),
});

describe('updates', () => {
  it('a plan is one line: how much is done, and what is next', () => {
    expect(planIn(plan(['completed', 'Read'], ['pending', 'Test'], ['in_progress', 'Write\nit']))).toBe(
      '1 of 3 done: Write',
    );
    expect(planIn(plan(['completed', 'Read'], ['pending', 'Test']))).toBe('1 of 2 done: Test');
    expect(planIn(plan(['completed', 'Read']))).toBe('1 of 1 done');
    expect(planIn(plan())).toBeUndefined();
  });

  it('a context without a size or with an impossible count is none', () => {
    const told = (used: number, size: number) => contextIn({ sessionUpdate: 'usage_update', used, size });
    expect(told(50, 200)).toEqual({ contextTokens: 50, contextSize: 200 });
    for (const [used, size] of [
      [0, 0],
      [-1, 5],
      [0.5, 5],
      [Number.NaN, 5],
    ] as const)
      expect(told(used, size)).toBeUndefined();
  });

  it('what has no words keeps its place in a text', () => {
    const said = messageCollector();
    const blocks: ContentBlock[] = [
      { type: 'text', text: 'see ' },
      { type: 'resource_link', name: 'a', uri: 'file:///a' },
      { type: 'text', text: ' and ' },
      { type: 'image', data: 'AA==', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'file:///b', text: ' of b' } },
    ];
    for (const content of blocks) said.take({ sessionUpdate: 'agent_message_chunk', content });
    said.rest();
    expect(said.text()).toBe('see file:///a and [image image/png] of b');
  });
});

describe('in the log of a team', () => {
  async function logged(tells: string): Promise<string[]> {
    const place = new Workplace();
    const server = await ModelServer.start({ script: () => ({ text: 'Done.' }) });
    onTestFinished(() => server.close());
    const agent = { kind: 'acp', command: like('acp'), env: { LIKE_URL: server.url, MISBEHAVES: tells } };
    const tasks = [{ subject: 'One', owner: 'ada', prompt: 'One' }];
    place.put('plan.json', JSON.stringify({ name: 'tiny', members: [{ name: 'ada', agent }], tasks }));
    expect((await place.teams('run', 'plan.json')).code).toBe(0);
    const { out } = await place.teams('log', 'tiny', '--json');
    const event = z.looseObject({ type: z.string(), text: z.string().optional() });
    return out
      .trim()
      .split('\n')
      .map((line) => event.parse(JSON.parse(line)))
      .map(({ type, text }) => `${type} ${text}`);
  }

  it('each change of the plan is an event', async () => {
    expect((await logged('tells a plan')).filter((line) => line.startsWith('agent.planned'))).toEqual([
      'agent.planned 0 of 2 done: step 1',
      'agent.planned 1 of 2 done: step 2',
    ]);
  });

  it('how full the context is stands beside the tokens', async () => {
    expect(await logged('tells cost')).toContainEqual(
      expect.stringMatching(/^agent\.spent \d+ tokens in, \d+ out; its context is 50 % full$/),
    );
  });
});
