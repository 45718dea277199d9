import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { markSchema, type Mark } from '../../src/model/agent/process-mark.ts';
import { prlimitPath } from '../../src/os/mark-environment.ts';
import { reaperMain } from '../../src/os/reaper.ts';
import { startReaper } from '../../src/os/reaper-handle.ts';
import { writeMessage } from '../../src/os/reaper-message.ts';
import { sweep } from '../../src/os/sweep.ts';
import { identityOf, livenessOf, processes } from '../../src/os/process-table.ts';
import { BOOT, fakeTable, LIMIT_MARK as MARK, NAMESPACE } from '../fixtures/table.ts';
import { lastOneGone, openZoo, until, type Zoo } from '../fixtures/zoo.ts';

const SOURCE = join(import.meta.dirname, '../fixtures/run-reaper.ts');
const FIXTURES = join(import.meta.dirname, '../fixtures');
/** Catches a process that stays; a loaded machine needs longer than the two seconds of docs/reliability.md. */
const WITHIN_MS = 15_000;
const directory = mkdtempSync(join(tmpdir(), 'teams-reaper-'));
const entry = (name: string): string => join(directory, `${name}.cjs`);

beforeAll(async () => {
  await build({
    entryPoints: { reaper: SOURCE, lead: join(FIXTURES, 'fake-lead.ts'), teammate: join(FIXTURES, 'fake-teammate.ts') },
    outdir: directory,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
  });
});

afterAll(() => rmSync(directory, { recursive: true }));

describe('the reaper', () => {
  const setting = () => {
    const table = fakeTable(10, [{ pid: 10 }, { pid: 20, limit: 767 }, { pid: 30 }, { pid: 31, parent: 30 }]);
    const [stdin, warnings] = [new PassThrough(), Array<string>()];
    const sleep = (): Promise<void> => Promise.resolve();
    const warn = (line: string): void => void warnings.push(line);
    return { table, stdin, warnings, end: reaperMain(stdin, { table, kill: table.kill, sleep, warn }) };
  };
  const who = { pid: 30, startTime: '100', bootId: BOOT, pidNamespace: NAMESPACE };

  it('the reaper ends every mark and known process when its lead is gone', async () => {
    const { table, stdin, end } = setting();
    stdin.write(writeMessage({ add: MARK, pids: [] }));
    stdin.end(writeMessage({ add: MARK, pids: [who] }));
    expect(await end).toBe('swept');
    expect(table.killed.toSorted()).toEqual([20, 30, 31]);
  });

  it('the reaper ends nothing that was removed from it, and nothing after a goodbye', async () => {
    const first = setting();
    first.stdin.end(writeMessage({ add: MARK, pids: [who] }) + writeMessage({ remove: MARK.id }));
    expect(await first.end).toBe('swept');
    const second = setting();
    second.stdin.write(writeMessage({ add: MARK, pids: [who] }) + writeMessage({ done: true }));
    expect(await second.end).toBe('dismissed');
    expect([...first.table.killed, ...second.table.killed]).toEqual([]);
  });

  it('the reaper reads lines in any chunks, and survives an invalid message', async () => {
    const { table, stdin, warnings, end } = setting();
    stdin.write('{"add":\n');
    for (const byte of Buffer.from(writeMessage({ add: MARK, pids: [] }))) stdin.write(Buffer.from([byte]));
    stdin.end('{"remove":"r-');
    await end;
    expect(table.killed).toEqual([20]);
    expect(warnings).toEqual(['teams reaper: not a message: {"add":']);
  });

  it('the reaper treats a broken pipe as the end of the lead', async () => {
    const { table, stdin, end } = setting();
    stdin.write(writeMessage({ add: MARK, pids: [] }));
    await new Promise(setImmediate);
    stdin.destroy(new Error('read ECONNRESET'));
    expect(await end).toBe('swept');
    expect(table.killed).toEqual([20]);
  });
});

describe('the lead’s hold on its reaper', () => {
  const command = (): [string, string] => [process.execPath, entry('reaper')];

  it('the lead starts its reaper in its own session and dismisses it', async () => {
    const reaper = startReaper(command());
    const identity = identityOf(reaper.pid ?? 0);
    if (identity === undefined) throw new Error('no reaper');
    reaper.add(MARK);
    reaper.remove(MARK);
    await reaper.done();
    expect(livenessOf(identity)).toBe('dead');
    expect(reaper.pid).toBeUndefined();
    await reaper.done();
  });

  it('the lead restarts its reaper once, and reports both deaths', async () => {
    const losses: { how: string; restarted: boolean }[] = [];
    const reaper = startReaper(command(), { onLost: (loss) => losses.push(loss) });
    reaper.add(MARK);
    const first = reaper.pid;
    process.kill(first ?? 0, 'SIGKILL');
    await until('the loss is said', () => losses.length === 1);
    expect(reaper.pid).not.toBe(first);
    process.kill(reaper.pid ?? 0, 'SIGKILL');
    reaper.add(MARK);
    await until('the second loss is said', () => losses.length === 2);
    reaper.add(MARK);
    await reaper.done();
    expect(losses).toEqual([
      { how: 'SIGKILL', restarted: true },
      { how: 'SIGKILL', restarted: false },
    ]);
  });

  it('the lead reports that the reaper cannot be started', async () => {
    const losses: boolean[] = [];
    const reaper = startReaper(['/nowhere/node'], { onLost: ({ restarted }) => losses.push(restarted) });
    reaper.add(MARK);
    await until('both losses are said', () => losses.length === 2);
    expect(losses).toEqual([true, false]);
    await reaper.done();
  });

  it('signals of a terminal do not stop the reaper, and the lead ends a stopped reaper', async () => {
    const reaper = startReaper(command());
    const pid = reaper.pid ?? 0;
    try {
      await until('it ignores signals', () => ignoresSignals(pid));
      for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.kill(pid, signal);
      process.kill(pid, 'SIGSTOP');
      await until('it is stopped', () => stateIs(pid, 'T'));
    } finally {
      await reaper.done();
    }
    expect(identityOf(pid)).toBeUndefined();
  });
});

/** The reaper sets SIGHUP last; Node itself catches the other two from its start. */
const ignoresSignals = (pid: number): boolean => {
  const caught = /^SigCgt:\s+([0-9a-f]+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? '0';
  return (BigInt(`0x${caught}`) & 1n) !== 0n;
};

const cannot = (zoo: Zoo): string | undefined => {
  if (prlimitPath() === undefined) return 'there is no prlimit here: escapes cannot be known by their limit';
  return zoo.missing && `there is no ${zoo.missing} here`;
};

const stateIs = (pid: number, state: string): boolean => {
  const seen = processes.stat(pid);
  return typeof seen !== 'string' && seen.state === state;
};

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the child was started without a stdout');
  for await (const line of createInterface({ input: stdout })) return line;
  throw new Error('the child said nothing');
}

const startedSchema = z.object({
  reaper: z.number(),
  teammates: z.array(z.number()),
  marks: z.array(markSchema),
});

describe('nothing outlives its lead', () => {
  const leads: ChildProcess[] = [];
  const marks: Mark[] = [];

  /** A lead, its reaper, two teammates and all that these started, all of it running. */
  const open = async (zoo: Zoo, cord: 'cord' | 'cordless') => {
    const argv = [entry('lead'), entry('reaper'), entry('teammate'), cord, JSON.stringify(zoo.animals)];
    const lead = spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'inherit', 'pipe'] });
    leads.push(lead);
    const line = await firstLine(lead);
    const started = startedSchema.parse(JSON.parse(line));
    marks.push(...started.marks);
    await until('the zoo is out', zoo.isOut);
    return { lead, ...started };
  };

  afterEach(async () => {
    for (const lead of leads.splice(0)) lead.kill('SIGKILL');
    await sweep(marks.splice(0), []);
  });

  it.for(['cord', 'cordless'] as const)(
    'after kill -9 of the lead no process is left (teammates with %s)',
    async (cord, ctx) => {
      const zoo = openZoo();
      const reason = cannot(zoo);
      if (reason) ctx.skip(reason);
      const { lead, reaper, teammates } = await open(zoo, cord);
      const everybody = [reaper, ...teammates].map((pid) => identityOf(pid));
      lead.kill('SIGKILL');
      const ms = await lastOneGone(lead, WITHIN_MS);
      await until(
        'the reaper has gone',
        () => everybody.every((one) => one !== undefined && livenessOf(one) === 'dead'),
        WITHIN_MS,
      );
      expect(ms).toBeLessThan(WITHIN_MS);
      expect(zoo.seen()).toEqual([]);
    },
  );

  it('after kill -9 of lead and reaper at once the sweep of a resume leaves no process', async (ctx) => {
    const zoo = openZoo();
    const reason = cannot(zoo);
    if (reason) ctx.skip(reason);
    const { lead, reaper, marks: drawn } = await open(zoo, 'cordless');
    process.kill(reaper, 'SIGKILL');
    lead.kill('SIGKILL');
    await once(lead, 'exit');
    expect(zoo.seen()).not.toEqual([]);
    expect(await sweep(drawn, [])).toMatchObject({ clean: true });
    await lastOneGone(lead, WITHIN_MS);
    expect(zoo.seen()).toEqual([]);
  });

  it('after kill -9 of lead and reaper at once the parent pipes of the teammates leave no process', async (ctx) => {
    const zoo = openZoo();
    const reason = cannot(zoo);
    if (reason) ctx.skip(reason);
    const { lead, reaper } = await open(zoo, 'cord');
    process.kill(reaper, 'SIGKILL');
    lead.kill('SIGKILL');
    await lastOneGone(lead, WITHIN_MS);
    expect(zoo.seen()).toEqual([]);
  });

  it('after kill -9 of the lead while a teammate is stopped no process is left', async (ctx) => {
    const zoo = openZoo();
    const reason = cannot(zoo);
    if (reason) ctx.skip(reason);
    const { lead, teammates } = await open(zoo, 'cord');
    for (const pid of teammates) process.kill(pid, 'SIGSTOP');
    lead.kill('SIGKILL');
    await lastOneGone(lead, WITHIN_MS);
    expect(zoo.seen()).toEqual([]);
  });
});
