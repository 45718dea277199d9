/** Subagents on their pool of threads, with the bundle as it is shipped. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentSpec } from '../../../src/model/agent/agent.ts';
import { execAgent } from '../../../src/model/agent/agent.ts';
import { Subagents, type SubagentTask } from '../../../src/runtime/tools/subagents.ts';
import type { SubagentSurroundings } from '../../../src/runtime/tools/subagent-isolation.ts';
import { until } from '../../support/cli.ts';
import { tempDir } from '../../support/temp.ts';

const said = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const never = new AbortController().signal;
const crasher: AgentSpec = { kind: 'scripted', options: { turns: [{ crashes: true }] } };
const quick = execAgent('cat; echo " done"');

let cwd = '';
const surroundings: SubagentSurroundings = {
  setting: 'auto',
  environment: process.env,
  team: () => [],
  onNotEnforced: () => {},
};
let subagents = new Subagents({ surroundings });

beforeEach(() => {
  cwd = tempDir();
  subagents = new Subagents({ surroundings, threads: 2, queue: 1 });
});
afterEach(() => subagents.close());

const errand = (spec: AgentSpec, more: Partial<SubagentTask> = {}): SubagentTask => ({
  about: 'a test',
  spec,
  prompt: 'say it',
  cwd,
  sandbox: 'workspace-write',
  timeoutMs: 20_000,
  env: { PATH: process.env['PATH'] ?? '' },
  ...more,
});

describe('one subagent', () => {
  test('a subagent gets the prompt, and its answer is the result', async () => {
    expect(await subagents.run(errand(quick), never)).toEqual({
      kind: 'answered',
      text: 'say it done\n',
      exitCode: 0,
      printed: 'say it done\n',
    });
    const both = await subagents.run(errand(execAgent('echo out; sleep 0.05; echo err >&2; exit 3')), never);
    expect(both).toMatchObject({ why: 'exit', exitCode: 3, text: 'out\n', printed: 'out\nerr\n' });
  });

  test('a subagent that fails is a result with its reason', async () => {
    const end = await subagents.run(errand(execAgent('echo so far; exit 7')), never);
    expect(end).toMatchObject({ kind: 'failed', text: 'so far\n', message: said(/exit 7/) });
  });

  test('a subagent that takes too long is ended as a time-out', async () => {
    const end = await subagents.run(errand(execAgent('sleep 60'), { timeoutMs: 100 }), never);
    expect(end).toMatchObject({ kind: 'failed', message: said(/Timed out/) });
  });

  test('a subagent whose agent cannot be created is a result too', async () => {
    const end = await subagents.run(errand({ kind: 'openai' }), never);
    expect(end).toMatchObject({ kind: 'failed', message: said(/Which model/) });
  });

  test('an aborted subagent takes its children along, also one in its own session', async () => {
    const stop = new AbortController();
    const running = subagents.run(errand(execAgent('touch begun; setsid sleep 60 & wait')), stop.signal);
    await until(() => existsSync(join(cwd, 'begun')), 'the command runs');
    stop.abort();
    expect(await running).toEqual({ kind: 'aborted' });
  });

  test('an aborted subagent that ignores SIGTERM is killed after 2 s', async () => {
    const stop = new AbortController();
    const ending = subagents.run(
      errand(execAgent("trap '' TERM; touch begun; while :; do sleep 0.1; done")),
      stop.signal,
    );
    await until(() => existsSync(join(cwd, 'begun')), 'it works');
    const begun = performance.now();
    stop.abort();
    expect(await ending).toEqual({ kind: 'aborted' });
    expect(performance.now() - begun).toBeLessThan(4_500);
  });

  test('a subagent that crashes its thread is an error result, and the pool survives', async () => {
    const ends = await Promise.all([1, 2, 3].map(() => subagents.run(errand(crasher), never)));
    for (const end of ends) expect(end).toMatchObject({ kind: 'failed', message: said(/thread ended/) });
    expect(await subagents.run(errand(quick), never)).toMatchObject({ kind: 'answered' });
  });
});

describe('the queue', () => {
  test('the queue is bounded: one too many is refused, and the others end', async () => {
    const three = [1, 2, 3].map(() => subagents.run(errand(quick), never));
    await expect(subagents.run(errand(quick), never)).rejects.toMatchObject({ code: 'QUOTA' });
    expect((await Promise.all(three)).map(({ kind: ended }) => ended)).toEqual(['answered', 'answered', 'answered']);
  });
});

describe('in the background', () => {
  test('a background result is waited for, and collected once', async () => {
    const id = subagents.start(errand(execAgent('sleep 0.2; echo later')));
    expect(await subagents.output(id, AbortSignal.abort())).toBeUndefined();
    expect(await subagents.output(id, never)).toMatchObject({ kind: 'answered', text: 'later\n' });
    await expect(subagents.output(id, never)).rejects.toMatchObject({ code: 'UNKNOWN_TASK' });
  });

  test('a background subagent is stopped by its id', async () => {
    const id = subagents.start(errand(execAgent('sleep 60')));
    expect(await subagents.stop(id)).toEqual({ kind: 'aborted' });
    await expect(subagents.stop(id)).rejects.toMatchObject({ code: 'UNKNOWN_TASK' });
  });

  test('closing stops all background subagents', async () => {
    subagents.start(errand(execAgent('touch begun; sleep 60')));
    await until(() => existsSync(join(cwd, 'begun')), 'the command runs');
    await subagents.close();
  });
});
