/**
 * `play`: drives one turn of an agent and collects its events and its end. Use it for agents (test/agents/).
 *
 *     const { output } = await play(agent.turn(turnInput(cwd, { prompt: 'Hello' })));
 *     expect(output).toBe('Hello');
 */
import { join } from 'node:path';
import type { AgentEvent, CallAnswer, Turn, TurnInput } from '../../src/agents/agent-contract.ts';
import type { TurnEnd } from '../../src/model/agent/turn-end.ts';

const PROGRAMS = join(import.meta.dirname, '../fixtures/programs');

/** The argv of a program of the zoo. */
export const program = (name: string, ...args: string[]): string[] => [
  '/bin/sh',
  join(PROGRAMS, `${name}.sh`),
  ...args,
];

export interface Played {
  readonly events: readonly AgentEvent[];
  readonly end: TurnEnd;
  /** All output of both streams, in the order of arrival. */
  readonly output: string;
}

/**
 * @param see gets each event before the next one is requested
 * @param answer the answer to every call and every question
 */
export async function play(
  turn: Turn,
  see: (event: AgentEvent) => void = () => {},
  answer?: CallAnswer,
): Promise<Played> {
  const events: AgentEvent[] = [];
  let next = await turn.next();
  while (!next.done) {
    events.push(next.value);
    see(next.value);
    next = await turn.next(['called', 'asked'].includes(next.value.type) ? answer : undefined);
  }
  return { events, end: next.value, output: Buffer.concat(events.map(bytesOf)).toString() };
}

const bytesOf = (event: AgentEvent): Buffer => (event.type === 'output' ? event.bytes : Buffer.alloc(0));

/** Whether the agent says or prints that it has begun. */
export const isReady = (event: AgentEvent): boolean =>
  (event.type === 'output' && event.bytes.includes('ready')) || (event.type === 'said' && event.text === 'ready');

export const turnInput = (cwd: string, over: Partial<TurnInput> = {}): TurnInput => ({
  prompt: 'Say hello.',
  env: { PATH: '/usr/bin:/bin' },
  cwd,
  sandbox: 'workspace-write',
  signal: new AbortController().signal,
  ...over,
});
