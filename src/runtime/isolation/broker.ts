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
import { UsageError } from '../../model/text/errors.ts';
import { ENV } from '../../model/text/environment.ts';
import { brokerCallSchema } from '../../model/team/broker-call.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

type Variables = Readonly<Record<string, string>>;

/** The command line, as far as the broker uses it (`surfaces/cli/io.ts`). */
export type CommandLine = (argv: readonly string[], io: BrokerIo) => Promise<number>;

interface TextStream {
  write(text: string, done?: (error?: Error | null) => void): unknown;
}

interface BrokerIo {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  readonly environment: Variables;
  readonly cwd: string;
  readonly gone: AbortSignal;
  /** The isolation of the program that asks. */
  readonly isolate: ProgramIsolate;
  /** The team as this process has it open. */
  readonly openTeam?: TeamStore | undefined;
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

const MIB = 1024 * 1024;
/** MCP servers of one member. Each may hold a frame and the answers that its host does not read. */
const MOST_SERVERS = 16;
/** MiB of all other requests: what they read from stdin, and answers that the program does not read. */
const MOST_HELD_MIB = 64;

/** What the requests of a member hold in memory. */
interface Held {
  readonly mostBytes: number;
  bytes: number;
  servers: number;
}

/** @param mostMib of texts that its requests may hold in memory together */
export function openBroker(options: BrokerOptions, mostMib = MOST_HELD_MIB): Promise<LocalServer> {
  const held: Held = { mostBytes: mostMib * MIB, bytes: 0, servers: 0 };
  return serveLocal(options.socket, async (request) => {
    const code = await answer(options, request, held).catch(async (error: unknown) => {
      await request.send('stderr', Buffer.from(`teams: ${error instanceof Error ? error.message : String(error)}\n`));
      return BROKEN;
    });
    await request.send('exit', Uint8Array.of(code & 0xff));
  });
}

async function answer(options: BrokerOptions, request: LocalRequest, held: Held): Promise<number> {
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
  const isServer = judged.verb === 'mcp';
  if (isServer && held.servers >= MOST_SERVERS) {
    const why = `There are ${MOST_SERVERS} MCP servers of ${options.member} already; end one of them first.`;
    await request.send('stderr', Buffer.from(`teams: ${why}\n`));
    return MISUSE;
  }
  const streams = limitedStreams(request, held);
  held.servers += isServer ? 1 : 0;
  try {
    const code = await options.commandLine(judged.argv, {
      stdin: streams.stdin,
      stdout: streams.output('stdout'),
      stderr: streams.output('stderr'),
      environment: { ...options.environment, ...defined({ [ENV.taskId]: call.value.task }) },
      cwd: options.cwd,
      gone: request.gone,
      isolate: options.isolate,
      wire: { input: request.input, output: wireTo(request) },
    });
    await streams.settled();
    return code;
  } finally {
    held.servers -= isServer ? 1 : 0;
    streams.release();
  }
}

/** The streams of a command. What is read from stdin counts until its end, what it prints until the program has read it. */
function limitedStreams(request: LocalRequest, held: Held) {
  const waiting = new Set<Promise<void>>();
  let read = 0;
  const stdin = async function* (): AsyncGenerator<Uint8Array> {
    // A refusal must still be told: the end of the reading is not the end of the connection.
    for await (const chunk of request.input.iterator({ destroyOnReturn: false })) {
      if (!(chunk instanceof Uint8Array)) continue;
      [read, held.bytes] = [read + chunk.length, held.bytes + chunk.length];
      if (held.bytes > held.mostBytes)
        throw new UsageError(
          'USAGE',
          `The commands of this member hold more than ${held.mostBytes / MIB} MiB of text together; end some of them, or shorten the text.`,
        );
      yield chunk;
    }
  };
  const output = (kind: 'stdout' | 'stderr'): TextStream => ({
    write(text, done) {
      const bytes = Buffer.from(text);
      held.bytes += bytes.length;
      const sent = request.send(kind, bytes).then(() => {
        held.bytes -= bytes.length;
        waiting.delete(sent);
        done?.();
      });
      waiting.add(sent);
      // Nobody can be told: the program does not read.
      if (held.bytes > held.mostBytes) request.drop();
      return true;
    },
  });
  return {
    stdin: stdin(),
    output,
    settled: () => Promise.all(waiting),
    release: () => (held.bytes -= read),
  };
}

const wireTo = (request: LocalRequest): Writable =>
  new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      void request.send('stdout', chunk).then(() => done());
    },
  });
