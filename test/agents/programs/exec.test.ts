/** The exec agent, and with it the code that starts, watches and ends the processes of every agent. */
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentEvent, TurnInput } from '../../../src/agents/agent-contract.ts';
import { childEnvironment } from '../../../src/agents/environment.ts';
import { exec } from '../../../src/agents/programs/exec.ts';
import { startProcess, type ProgramLimits } from '../../../src/agents/programs/process.ts';
import { spawnFailure } from '../../../src/agents/programs/spawn-failure.ts';
import { codeOf } from '../../../src/model/text/errors.ts';
import { execAgent } from '../../../src/model/agent/agent.ts';
import { running } from '../../support/processes.ts';
import { tempDir } from '../../support/temp.ts';
import { describeAgent } from '../contract.ts';
import { isReady, play, program, turnInput, type Played } from '../turns.ts';

describeAgent('exec', (cwd) => ({
  agent: exec(execAgent(['cat'])),
  input: (behaviour, over) => {
    const argv = { answers: {}, hangs: { argv: program('forever') }, fails: { argv: program('fails') } };
    return turnInput(cwd, { ...argv[behaviour], ...over });
  },
}));

const run = (
  argv: readonly string[],
  over: Partial<TurnInput> = {},
  limits: Partial<ProgramLimits> = {},
  react?: (event: AgentEvent) => void,
): Promise<Played> => play(exec({ kind: 'exec' }, {}, limits).turn(turnInput(tempDir(), { argv, ...over })), react);

/** Aborts when the program is ready. */
async function abortWhenReady(argv: readonly string[], limits: Partial<ProgramLimits> = {}): Promise<Played> {
  const abort = new AbortController();
  return run(argv, { signal: abort.signal }, limits, (event) => {
    if (isReady(event)) abort.abort();
  });
}

describe('the result of a command', () => {
  it('the result of a command is its exit code and its output', async () => {
    const { end, events, output } = await run(program('flickers'));
    expect(end).toMatchObject({ kind: 'answered', exitCode: 0 });
    expect(end.kind === 'answered' && end.text.split('\n').slice(-3)).toEqual(['out 499', 'out 500', '']);
    expect(events[0]).toEqual({ type: 'started', pid: expect.any(Number) as number });
    for (const line of ['out 1\n', 'err 1\n', 'out 500\n', 'err 500\n']) expect(output).toContain(line);
  });

  it('the result of exit code 0 is a success, with output or without', async () => {
    expect((await run(['true'])).end).toEqual({ kind: 'answered', text: '', exitCode: 0 });
  });

  it('the result of any other exit code is a failure, with the last line of stderr', async () => {
    expect((await run(program('fails'))).end).toEqual({
      kind: 'failed',
      why: 'exit',
      exitCode: 3,
      text: 'partial result\n',
      message: 'exit 3: the reason',
    });
  });

  it('the reason of a failure is on stdout if stderr is empty, and is the code if both are empty', async () => {
    expect((await run(program('half-line'))).end).toMatchObject({ message: 'exit 1: {"type":"resu', exitCode: 1 });
    expect((await run(['false'])).end).toMatchObject({ message: 'exit 1', exitCode: 1 });
  });

  it.each([
    ['KILL', 137, 'exit 137: ended by SIGKILL, which is how the system ends a program when memory runs out'],
    ['SEGV', 139, 'exit 139: ended by SIGSEGV'],
    ['TERM', 143, 'exit 143: ended by SIGTERM'],
  ])('the exit code is 128 and the signal if SIG%s ends it', async (signal, exitCode, message) => {
    expect((await run(program('crash', signal))).end).toEqual({
      kind: 'failed',
      why: 'exit',
      text: 'working\n',
      message,
      exitCode,
    });
  });

  it('the result keeps the end of a long output, from a whole character on', async () => {
    const { end } = await run([
      '/bin/sh',
      '-c',
      'i=0; while [ $i -lt 4000 ]; do i=$((i + 1)); printf 123456789…€€€€; done',
    ]);
    const text = end.kind === 'answered' ? end.text : '';
    expect(Buffer.byteLength(text)).toBeGreaterThan(65_532);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_536);
    expect(text).not.toContain('\uFFFD');
  });

  it('the result comes when the program exits, though a child of it holds the output open', async () => {
    expect((await run(program('holds-stdout'))).end).toEqual({ kind: 'answered', text: 'done\n', exitCode: 0 });
  });

  it('the result waits for a program that has closed its output', async () => {
    const cwd = tempDir();
    const { end } = await run(program('closes-stdout'), { cwd }, {}, (event) => {
      if (event.type === 'output') writeFileSync(join(cwd, 'go'), '');
    });
    expect(end).toEqual({ kind: 'answered', text: 'before\n', exitCode: 0 });
  });
});

describe('what a command is given', () => {
  it('a command gets its argv unchanged, without a shell', async () => {
    const cwd = tempDir();
    const hostile = ['$(touch x)', '`touch x`', '--dangerously', '', '*', 'a b', "';touch x;'", '\n', '€'];
    const { end } = await run(program('prints-argv', ...hostile), { cwd });
    expect(end.kind === 'answered' && end.text.split('\0').slice(0, -1)).toEqual(hostile);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('a command of the agent gets its args if the task has none, and the prompt on stdin', async () => {
    const agent = exec({ kind: 'exec', command: ['/bin/sh', '-c', 'cat; printf %s "$0 $1"'], args: ['--a', '$(b)'] });
    const { end } = await play(agent.turn(turnInput(tempDir(), { prompt: 'text\n' })));
    expect(end).toMatchObject({ kind: 'answered', text: 'text\n--a $(b)' });
  });

  it('a command of the task gets an empty stdin', async () => {
    const { end } = await play(exec(execAgent('exit 1')).turn(turnInput(tempDir(), { argv: ['cat'] })));
    expect(end).toEqual({ kind: 'answered', text: '', exitCode: 0 });
  });

  it('a command gets exactly the given environment, without a canary of this process', async () => {
    process.env['FAKE_API_KEY'] = 'canary';
    process.env['ANTHROPIC_API_KEY'] = 'canary';
    try {
      const env = childEnvironment('exec', {
        parent: process.env,
        env: { GIVEN: 'a=b\nc' },
        add: { PATH: '/usr/bin:/bin' },
      });
      const { end } = await run(['env', '-0'], { env });
      const lines = end.kind === 'answered' ? end.text.split('\0').slice(0, -1) : [];
      expect(lines.toSorted()).toEqual(
        Object.entries(env)
          .map(([name, value]) => `${name}=${value}`)
          .toSorted(),
      );
      expect(lines.join()).not.toContain('canary');
    } finally {
      delete process.env['FAKE_API_KEY'];
      delete process.env['ANTHROPIC_API_KEY'];
    }
  });

  it('a command may leave its stdin unread', async () => {
    const cwd = tempDir();
    const deaf = exec(execAgent(program('closes-stdin')));
    const { end } = await play(deaf.turn(turnInput(cwd, { prompt: 'x'.repeat(4_000_000) })), (event) => {
      if (event.type === 'output') writeFileSync(join(cwd, 'go'), '');
    });
    expect(end).toEqual({ kind: 'answered', text: 'deaf\n', exitCode: 0 });
  });

  it('a missing command is reported', async () => {
    const { end } = await play(exec({ kind: 'exec' }).turn(turnInput(tempDir())));
    expect(end).toMatchObject({
      kind: 'failed',
      why: 'exit',
      exitCode: 127,
      message: expect.stringContaining('nothing to run') as string,
    });
  });
});

describe('the end of a process', () => {
  it('a process that ignores SIGTERM gets SIGKILL after the grace time, with its children', async () => {
    const { end } = await abortWhenReady(program('ignore-sigterm'), { graceMs: 50 });
    expect(end).toEqual({ kind: 'aborted' });
  });

  it('a process has the grace time to clean up, and its result is no success', async () => {
    const { end, output } = await abortWhenReady(program('tidies-up'));
    expect(end).toEqual({ kind: 'aborted' });
    expect(output).toContain('tidied');
  });

  it('a process ends at the time limit, with its output so far', async () => {
    const { end } = await run(program('ignore-sigterm'), { timeoutMs: 1_000 }, { graceMs: 50 });
    expect(end).toEqual({ kind: 'failed', why: 'timeout', text: 'ready\n', message: 'Timed out after 1s.' });
  });

  it('no signal is sent after the process has ended', async () => {
    const started = await startProcess({ ...turnInput(tempDir()), argv: ['true'] });
    if (!started.ok) throw new Error(started.failure.message);
    const end = await started.process.ended;
    expect(end).toMatchObject({ kind: 'exited', code: 0 });
    expect(await started.process.stop()).toBe(end);
  });
});

describe('a flood of output', () => {
  it('a flood of output is ended at its limit, with little memory', async () => {
    const before = process.memoryUsage.rss();
    const turn = exec({ kind: 'exec' }, {}, { floodBytes: 256 * 2 ** 20 }).turn(
      turnInput(tempDir(), { argv: program('floods') }),
    );
    let highest = 0;
    let next = await turn.next();
    for (; !next.done; next = await turn.next()) highest = Math.max(highest, process.memoryUsage.rss());
    expect(next.value).toMatchObject({ kind: 'failed', why: 'bad_output' });
    expect(highest - before).toBeLessThan(128 * 2 ** 20);
  });

  it('a flood of output does not wait for a reader: unread output is dropped, and reported', async () => {
    const request = { ...turnInput(tempDir()), argv: program('floods') };
    const started = await startProcess(request, { floodBytes: 32 * 2 ** 20, keptBytes: 1_000 });
    if (!started.ok) throw new Error(started.failure.message);
    const end = await started.process.ended;
    expect(end).toMatchObject({ kind: 'flooded', stderr: Buffer.alloc(0) });
    expect(end.stdout).toHaveLength(1_000);
    const first = await started.process.next();
    expect(first?.bytes.toString()).toMatch(/^\n\[\d+ bytes of output were left out here\]\n$/);
    let rest = 0;
    for (let output = await started.process.next(); output; output = await started.process.next())
      rest += output.bytes.length;
    expect(rest).toBeGreaterThan(2 ** 20);
    expect(rest).toBeLessThanOrEqual(4 * 2 ** 20);
  });
});

describe('a program that cannot be started', () => {
  it('a program that is not on PATH is not installed, and the error has the PATH', async () => {
    expect((await run(['no-such-program'], { env: { PATH: '/nowhere' } })).end).toMatchObject({
      kind: 'failed',
      why: 'not_installed',
      message: '"no-such-program" is not installed: it is in no directory of PATH (/nowhere).',
    });
    expect((await run(['/nowhere/program'])).end).toMatchObject({ why: 'not_installed' });
  });

  it('a file that is not executable is not installed', async () => {
    const cwd = tempDir();
    writeFileSync(join(cwd, 'plain'), 'echo no\n', { mode: 0o600 });
    expect((await run([join(cwd, 'plain')], { cwd })).end).toMatchObject({
      why: 'not_installed',
      message: expect.stringContaining('EACCES') as string,
    });
  });

  it('a missing working directory is told apart from a missing program', async () => {
    const cwd = join(tempDir(), 'gone');
    expect((await run(['true'], { cwd })).end).toMatchObject({
      why: 'crashed',
      message: `"true" was not started: the working directory ${cwd} does not exist.`,
    });
    writeFileSync(cwd, '');
    expect((await run(['true'], { cwd })).end).toMatchObject({
      message: expect.stringContaining('is not a directory') as string,
    });
  });

  it('arguments that are too long are the fault of the task', async () => {
    expect((await run(['true', 'x'.repeat(3_000_000)])).end).toMatchObject({ why: 'exit', exitCode: 126 });
  });

  it.each(['', 'a\0b'])('a program that cannot be started is reported, for any name: %j', async (name) => {
    expect((await run([name])).end).toMatchObject({ kind: 'failed', message: expect.any(String) as string });
  });

  it('a program that cannot be started leaves no descriptor open', async () => {
    const open = (): number => readdirSync('/proc/self/fd').length;
    await run(['no-such-program']);
    const before = open();
    for (let turn = 0; turn < 20; turn += 1) await run(['no-such-program']);
    expect(open()).toBeLessThanOrEqual(before);
  });

  it.each(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'])('a start is tried again when the machine is full (%s)', (code) => {
    const error = Object.assign(new Error('spawn'), { code });
    expect(spawnFailure(error, { argv: ['true'], cwd: '/', env: {} })).toMatchObject({
      why: 'rate_limited',
      retryAfterMs: 1_000,
      message: expect.stringContaining(code) as string,
    });
  });

  it('a start is tried again when this process is out of descriptors, and then succeeds', async (context) => {
    const limit = (soft: string): boolean =>
      spawnSync('prlimit', ['--pid', String(process.pid), `--nofile=${soft}:`]).status === 0;
    const soft = spawnSync('prlimit', ['--pid', String(process.pid), '--nofile', '-o', 'SOFT', '--noheadings']);
    if (soft.status !== 0) context.skip('there is no prlimit here');
    const cwd = tempDir();
    // Room to lift the limit again: other tests of this process may have left files open.
    if (!limit(String(readdirSync('/proc/self/fd').length + 64))) context.skip('prlimit may not lower a limit here');
    const taken = takeAll();
    const { end } = await run(['true'], { cwd });
    for (const fd of taken) closeSync(fd);
    limit(soft.stdout.toString().trim());
    expect(end).toMatchObject({ kind: 'failed', why: 'rate_limited', retryAfterMs: 1_000 });
    expect((await run(['true'], { cwd })).end.kind).toBe('answered');
  });
});

/** Every descriptor that this process can still open. */
function takeAll(): number[] {
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'));
  } catch (error) {
    if (codeOf(error) !== 'EMFILE') throw error;
    return taken;
  }
}

describe('a process of its own', () => {
  it('a process leads its own group, so that signals of the terminal do not reach it', async () => {
    const { end, events } = await run([
      '/bin/sh',
      '-c',
      'ps -o pgid= -p $$ 2>/dev/null || cut -d" " -f5 /proc/$$/stat',
    ]);
    const started = events.find((event) => event.type === 'started');
    expect(end.kind === 'answered' && Number(end.text)).toBe(started?.pid);
    expect(running().some(({ pid }) => pid === started?.pid)).toBe(false);
    expect(existsSync(`/proc/${started?.pid}`)).toBe(false);
  });
});
