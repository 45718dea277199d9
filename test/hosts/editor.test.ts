/**
 * A real client of the Agent Client Protocol leads teams through `teams acp`: acpx, which drives any agent from the
 * command line. `npm run test:hosts` installs it first.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { BIN, until, Workplace } from '../support/cli.ts';
import { running } from '../support/processes.ts';
import { installed } from './install.ts';

const PINNED = 'acpx@0.19.1';
const PLAN = `
name: tiny
members: [{name: ada, agent: {kind: exec}}]
tasks: [{subject: Write it, owner: ada, files: [made.txt], run: 'echo hello >made.txt; echo wrote it'}]
`;
const SUBTASKS = [{ subject: '[no-cascade] Fix a', description: 'Mend a.', acceptance: ['a works'], files: ['a.txt'] }];

let place: Workplace;
let work = '';
beforeEach(async () => {
  place = new Workplace();
  place.put('work/plan.yaml', PLAN);
  place.put('work/division.json', JSON.stringify({ subtasks: SUBTASKS }));
  work = join(place.root, 'work');
  await place.shell('cd work && git init -q');
});

/** The lines of acpx are frames of the protocol. */
const frameSchema = z.looseObject({
  method: z.string().optional(),
  params: z.looseObject({ update: z.looseObject({ sessionUpdate: z.string() }).optional() }).optional(),
  result: z.looseObject({ stopReason: z.string().optional() }).optional(),
});

const agent = (...args: string[]): string =>
  [process.execPath, BIN, 'acp', ...args].map((word) => `'${word}'`).join(' ');

async function acpx(agentLine: string, ...args: string[]) {
  const program = await installed(PINNED, 'acpx');
  const always = ['--cwd', work, '--format', 'json', '--ttl', '1', '--agent', agentLine];
  const child = spawn(program, [...always, ...args], { env: place.environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  const frames = out.split('\n').flatMap((line) => (line.startsWith('{') ? [frameSchema.parse(JSON.parse(line))] : []));
  return {
    code: child.exitCode,
    out,
    err,
    methods: frames.flatMap(({ method }) => method ?? []),
    updates: frames.flatMap(({ params }) => params?.update?.sessionUpdate ?? []),
    stops: frames.flatMap(({ result }) => result?.stopReason ?? []),
  };
}

/** acpx keeps the agent for a second, in a process of its own that holds a lock. */
function isQuiet(): boolean {
  const queues = join(place.root, 'home/.acpx/queues');
  const isHeld = existsSync(queues) && readdirSync(queues).some((file) => file.endsWith('.lock'));
  return !isHeld && !running().some(({ pid, cwd }) => pid !== process.pid && (cwd ?? '').startsWith(place.root));
}

describe(PINNED, () => {
  test('a plan is carried out, with plan, tool calls, diff and report', async () => {
    const { code, out, updates, stops, err } = await acpx(agent(), '--approve-all', 'exec', 'plan.yaml');
    expect({ code, stops }, err).toEqual({ code: 0, stops: ['end_turn'] });
    expect(new Set(updates)).toEqual(
      new Set(['agent_thought_chunk', 'plan', 'tool_call', 'tool_call_update', 'agent_message_chunk']),
    );
    expect(out).toContain('"newText":"hello\\n"');
    expect(out).toContain('TEAM COMPLETE');
    await until(isQuiet, 'nothing runs any more');
  });

  test.each([
    ['--approve-all', 'TEAM COMPLETE', 0],
    ['--deny-all', 'Nothing was started.', 5],
  ])('a division of the work is asked for: with %s', async (policy, said, exit) => {
    const line = agent('--planner', 'exec:cat division.json', '--agent', 'exec:cat >/dev/null; echo done');
    const { code, out, methods } = await acpx(line, policy, 'exec', '1:executor fix a');
    expect(methods).toContain('session/request_permission');
    expect(out).toContain(said);
    expect(code).toBe(exit);
  });

  test('a session is kept: another process of the agent goes on with it', async () => {
    expect((await acpx(agent(), 'sessions', 'new')).code).toBe(0);
    for (const _ of [1, 2]) {
      const { code, methods, stops } = await acpx(agent(), '--approve-all', 'prompt', 'plan.yaml');
      expect({ code, stops }).toEqual({ code: 0, stops: ['end_turn'] });
      expect(methods).not.toContain('session/new');
      await until(isQuiet, 'the agent has ended');
    }
    expect(existsSync(join(work, 'made.txt'))).toBe(true);
  });
});
