/**
 * The one door out of a program's isolation: a socket, served by the member's own process. What arrives there acts as
 * that member, with a member's rights: the command line runs here with the member's token, which stays outside.
 */
import { Writable, type Readable } from 'node:stream';
import { judgeMemberVerb } from '../../policy/sandbox/member-verbs.ts';
import type { ProgramIsolate } from '../../policy/sandbox/program-isolation.ts';
import { serveLocal, type LocalRequest, type LocalServer } from '../../os/local-server.ts';
import { jsonAnswer } from '../../model/text/json-answer.ts';
import { defined } from '../../model/text/defined.ts';
import { ENV } from '../../model/text/environment.ts';
import { brokerCallSchema } from '../../model/team/broker-call.ts';

type Variables = Readonly<Record<string, string>>;

/** The command line, as far as the broker uses it (`surfaces/cli/io.ts`). */
export type CommandLine = (argv: readonly string[], io: BrokerIo) => Promise<number>;

interface TextStream {
  write(text: string, done?: (error?: Error | null) => void): unknown;
}

interface BrokerIo {
  readonly stdin: Readable;
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  readonly environment: Variables;
  readonly cwd: string;
  readonly gone: AbortSignal;
  /** The isolation of the program that asks. */
  readonly isolate: ProgramIsolate;
  /** The streams of an MCP host. */
  readonly wire: { readonly input: Readable; readonly output: Writable };
}

interface BrokerOptions {
  readonly socket: string;
  readonly member: string;
  readonly team: string;
  /** The environment of the member's commands, with its token. */
  readonly environment: Variables;
  readonly cwd: string;
  readonly isolate: ProgramIsolate;
  readonly commandLine: CommandLine;
}

const MISUSE = 2;
const BROKEN = 70;

export function openBroker(options: BrokerOptions): Promise<LocalServer> {
  return serveLocal(options.socket, async (request) => {
    const code = await answer(options, request).catch(async (error: unknown) => {
      await request.send('stderr', Buffer.from(`teams: ${error instanceof Error ? error.message : String(error)}\n`));
      return BROKEN;
    });
    await request.send('exit', Uint8Array.of(code & 0xff));
  });
}

async function answer(options: BrokerOptions, request: LocalRequest): Promise<number> {
  const call = jsonAnswer(brokerCallSchema, request.head);
  if (!call.ok) {
    await request.send('stderr', Buffer.from('teams: The request is not in the form of this version.\n'));
    return MISUSE;
  }
  const judged = judgeMemberVerb(call.value.argv, options);
  if (!judged.ok) {
    await request.send('stderr', Buffer.from(`POLICY_DENIED: ${judged.why}\n`));
    return MISUSE;
  }
  const waiting = new Set<Promise<void>>();
  const stream = (kind: 'stdout' | 'stderr'): TextStream => ({
    write(text, done) {
      const sent = request.send(kind, Buffer.from(text));
      waiting.add(sent);
      void sent.then(() => {
        waiting.delete(sent);
        done?.();
      });
      return true;
    },
  });
  const code = await options.commandLine(judged.argv, {
    stdin: request.input,
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    environment: { ...options.environment, ...defined({ [ENV.taskId]: call.value.task }) },
    cwd: options.cwd,
    gone: request.gone,
    isolate: options.isolate,
    wire: { input: request.input, output: wireTo(request) },
  });
  await Promise.all(waiting);
  return code;
}

const wireTo = (request: LocalRequest): Writable =>
  new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      void request.send('stdout', chunk).then(() => done());
    },
  });
