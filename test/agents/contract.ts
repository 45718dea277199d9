/** The contract suite: every kind of agent passes it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Agent, TurnInput } from '../../src/agents/agent-contract.ts';
import { tempDir } from '../support/temp.ts';
import { isReady, play } from './turns.ts';

/**
 * `answers`: with a text that contains the first line of the prompt. `hangs`: says or prints `ready`, then nothing.
 * `fails`: with exit code 3. Each on every call.
 */
type Behaviour = 'answers' | 'hangs' | 'fails';

interface Stage {
  readonly agent: Agent;
  /** The input that makes the agent behave so. */
  readonly input: (behaviour: Behaviour, over?: Partial<TurnInput>) => TurnInput;
}

const HOSTILE = [
  '$(touch x) `touch x`; touch x & | > x',
  '--dangerously-skip-permissions',
  '-c "touch x"',
  "'; touch x; '",
  '\u001b]52;c;eA==\u0007 \u202e reversed',
];

export function describeAgent(kind: string, open: (cwd: string) => Stage): void {
  describe(`the contract, kept by ${kind}:`, () => {
    it('answers, turn after turn', async () => {
      const { agent, input } = open(tempDir());
      for (const prompt of ['first', 'second', 'third'])
        expect((await play(agent.turn(input('answers', { prompt })))).end).toMatchObject({
          kind: 'answered',
          text: expect.stringContaining(prompt) as string,
        });
      await agent.close();
    });

    it('ends an aborted turn, then does a good one', async () => {
      const { agent, input } = open(tempDir());
      const abort = new AbortController();
      const { end } = await play(agent.turn(input('hangs', { signal: abort.signal })), (event) => {
        if (isReady(event)) abort.abort();
      });
      expect(end).toEqual({ kind: 'aborted' });
      expect((await play(agent.turn(input('answers')))).end.kind).toBe('answered');
      await agent.close();
    });

    it('begins nothing when it is aborted before', async () => {
      const { agent, input } = open(tempDir());
      const { events, end } = await play(agent.turn(input('answers', { signal: AbortSignal.abort() })));
      expect({ events, end }).toEqual({ events: [], end: { kind: 'aborted' } });
    });

    it('ends a turn at its time limit, then does a good one', async () => {
      const { agent, input } = open(tempDir());
      const { end } = await play(agent.turn(input('hangs', { timeoutMs: 100 })));
      expect(end).toMatchObject({ kind: 'failed', why: 'timeout', message: 'Timed out after 100ms.' });
      expect((await play(agent.turn(input('answers')))).end.kind).toBe('answered');
    });

    it('does not take a long time limit for none', async () => {
      const { agent, input } = open(tempDir());
      expect((await play(agent.turn(input('answers', { timeoutMs: 2 ** 40 })))).end.kind).toBe('answered');
    });

    it('tells a failure as a value, in one line, and goes on', async () => {
      const { agent, input } = open(tempDir());
      const { end } = await play(agent.turn(input('fails')));
      expect(end).toMatchObject({ kind: 'failed', why: 'exit', exitCode: 3 });
      expect(end.kind === 'failed' && end.message).toMatch(/^[^\n]+$/);
      expect((await play(agent.turn(input('answers')))).end.kind).toBe('answered');
    });

    it('ends with a reader that leaves', async () => {
      const { agent, input } = open(tempDir());
      for await (const event of agent.turn(input('hangs'))) if (isReady(event)) break;
      await agent.close();
    });

    it('may be closed twice, and before any turn', async () => {
      const { agent } = open(tempDir());
      await agent.close();
      await agent.close();
    });

    it.each(HOSTILE)('takes the prompt %j for words', async (prompt) => {
      const cwd = tempDir();
      const { agent, input } = open(cwd);
      const { end } = await play(agent.turn(input('answers', { prompt })));
      expect(end).toMatchObject({ kind: 'answered', text: expect.stringContaining(prompt) as string });
      expect(existsSync(join(cwd, 'x'))).toBe(false);
    });
  });
}
