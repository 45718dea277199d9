/**
 * `Workplace`: an empty project with its own home, in which tests run verbs, in this process or as a process. Use it
 * for surfaces and threats (test/surfaces/, test/threats/).
 *
 *     const place = new Workplace();
 *     const { code, out } = await place.teams('send', 'ada', 'hi');
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import type { CliIo } from '../../src/surfaces/cli/io.ts';
import { main } from '../../src/surfaces/cli/main.ts';
import type { OutputStream } from '../../src/surfaces/cli/own-stream.ts';
import { tempDir } from './temp.ts';

export interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export const failureSchema = z.strictObject({
  schemaVersion: z.literal(2),
  error: z.strictObject({ class: z.string(), code: z.string(), message: z.string().min(1), retryable: z.boolean() }),
});

export const BIN = resolve('bin/teams.js');

/** What a test changes of a verb's environment. */
export interface Said extends Partial<Pick<CliIo, 'stdout' | 'gone' | 'cwd' | 'isolate' | 'openTeam'>> {
  readonly stdin?: string;
  readonly environment?: Record<string, string>;
}

const lines = (chunks: readonly string[]): AsyncIterable<string> => ({
  async *[Symbol.asyncIterator]() {
    yield* await Promise.resolve(chunks);
  },
});

/** A directory with a user's home in it, in which verbs run. */
export class Workplace {
  readonly root = tempDir();
  readonly environment: Record<string, string>;

  constructor(extra: Record<string, string> = {}) {
    const home = join(this.root, 'home');
    mkdirSync(home);
    const own = { HOME: home, XDG_STATE_HOME: join(home, 'state'), XDG_CONFIG_HOME: join(home, 'config') };
    for (const [name, value] of Object.entries(own)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    this.environment = { PATH: process.env['PATH'] ?? '', ...own, ...extra };
  }

  put(file: string, content: string): string {
    const path = join(this.root, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  /** Runs a verb in this process. */
  teams(...argv: string[]): Promise<Answer> {
    return this.say(argv);
  }

  async say(argv: readonly string[], { stdin = '', environment = {}, ...world }: Said = {}): Promise<Answer> {
    const [out, err]: [string[], string[]] = [[], []];
    const io: CliIo = {
      stdin: lines([stdin]),
      stdout: {
        write(chunk, done) {
          out.push(chunk);
          done?.();
        },
      },
      stderr: { write: (chunk) => err.push(chunk) },
      environment: { ...this.environment, ...environment },
      cwd: this.root,
      gone: new AbortController().signal,
      ...world,
    };
    const code = await main(argv, io);
    return { code, out: out.join(''), err: err.join('') };
  }

  /**
   * Runs a verb that must succeed.
   * @returns its JSON
   */
  async json<T>(schema: z.ZodType<T>, ...argv: string[]): Promise<T> {
    const { code, out, err } = await this.teams(...argv, '--json');
    if (code !== 0) throw new Error(`teams ${argv.join(' ')}: exit ${code}\n${out}${err}`);
    return schema.parse(JSON.parse(out));
  }

  /** Runs a verb as a process. */
  start(...argv: string[]) {
    const child = spawn(process.execPath, [BIN, ...argv], {
      cwd: this.root,
      env: this.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const printed = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    const ended = printed.then(([out, err]): Answer & { signal: NodeJS.Signals | null } => ({
      code: child.exitCode ?? -1,
      out,
      err,
      signal: child.signalCode,
    }));
    return { child, ended };
  }

  /** Runs a shell line, with `teams` on PATH. */
  async shell(line: string): Promise<Answer> {
    const bin = join(this.root, 'bin');
    mkdirSync(bin, { recursive: true });
    // Only once: a file that another process of the test is about to execute cannot be written.
    if (!existsSync(join(bin, 'teams')))
      writeFileSync(join(bin, 'teams'), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`, { mode: 0o755 });
    const env = { ...this.environment, PATH: `${bin}:${this.environment['PATH'] ?? ''}` };
    const child = spawn('/bin/bash', ['-c', line], { cwd: this.root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    return { code: child.exitCode ?? -1, out, err };
  }
}

/** Polls until it holds, for changes of another process. */
export async function until(isSo: () => boolean | Promise<boolean>, what: string, forMs = 10_000): Promise<void> {
  for (let tries = 0; tries < forMs / 10; tries += 1) {
    if (await isSo()) return;
    await new Promise((done) => setTimeout(done, 10));
  }
  throw new Error(`It never came about: ${what}.`);
}

/** Collects the output of a verb until there is enough. */
export function listener(): { stdout: OutputStream; gone: AbortSignal; heard: string[]; leave: () => void } {
  const heard: string[] = [];
  const leaving = new AbortController();
  const write = (text: string, done?: () => void): void => {
    heard.push(text);
    done?.();
  };
  return { stdout: { write }, gone: leaving.signal, heard, leave: () => leaving.abort() };
}
