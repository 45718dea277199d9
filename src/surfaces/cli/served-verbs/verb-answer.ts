/**
 * One verb that another process asks this lead for. What is written is the same as without a lead, byte by byte: a
 * request that could be answered differently here is declined, and its process does the work itself. No right comes with
 * the folder: a request has the rights of its own environment.
 */
import * as z from 'zod';
import { type AnsweringLead, longestBoardLog, placeOf, type VerbRequest } from '../../../app.ts';
import { CliContext } from '../context.ts';
import { frequentVerbs } from '../frequent-main.ts';
import type { CliIo } from '../io.ts';
import { isStoreNamed } from '../named-store.ts';
import { plainCall, type PlainCall } from '../plain-arguments.ts';
import { commonFlags, perform } from '../run-verb.ts';
import { rootOf } from '../input/root.ts';

/** The answer "not here", which `bin/ask-lead.cjs` knows. No verb ends with it. */
const DECLINED = 255;

/** The verbs that only look, each with the options that make it do more than look once. */
const LOOKS: Readonly<Record<string, readonly string[]>> = {
  list: [],
  status: [],
  why: [],
  inbox: ['follow'],
  log: ['follow', 'session'],
  'task list': [],
  'task get': [],
};

/** Bytes of a board's log. A longer one would keep a lead from its other work for too long. */
const MOST_LOG_BYTES = 4 * 1024 * 1024;

/** Where these are not as in the lead's environment, files or wording may differ. */
const SAME = /^(HOME|XDG_\w+|TZ|LANG|LANGUAGE|LC_\w+)$/;

const callSchema = z.object({
  argv: z.array(z.string()),
  cwd: z.string().startsWith('/'),
  build: z.string(),
  environment: z.record(z.string(), z.string()),
});

export async function answerVerb(request: VerbRequest, lead: AnsweringLead): Promise<void> {
  const io = ioOf(request);
  const code = await codeOf(request, lead, io);
  await io.settled();
  await request.send('exit', Uint8Array.of(code));
}

async function codeOf(request: VerbRequest, lead: AnsweringLead, io: RequestIo): Promise<number> {
  try {
    const { argv, cwd, build, environment } = callSchema.parse(JSON.parse(request.head));
    if (build !== lead.build || !isSame(environment, lead.environment)) return DECLINED;
    const own = { ...io.streams, environment, cwd };
    const call = plainCall(argv, frequentVerbs());
    if (call === undefined || !isLook(call) || !isHere(call, lead, own)) return DECLINED;
    return await perform(call.verb, call.given, own);
  } catch {
    // `perform` tells its own errors: this is a request of another form, or its directory is gone.
    return DECLINED;
  }
}

const isLook = ({ verb: { name }, given: { options } }: PlainCall): boolean =>
  LOOKS[name]?.every((option) => options[option] === undefined) ?? false;

/** Whether the request is about teams of this lead's root that are small enough. */
function isHere({ given }: PlainCall, { root, place }: AnsweringLead, io: CliIo): boolean {
  const silent = { write: () => true };
  const context = new CliContext({ ...io, stdout: silent, stderr: silent }, commonFlags(given));
  return !isStoreNamed(context) && placeOf(rootOf(context)) === place && longestBoardLog(root) <= MOST_LOG_BYTES;
}

function isSame(one: CliIo['environment'], other: CliIo['environment']): boolean {
  const names = [...Object.keys(one), ...Object.keys(other)].filter((name) => SAME.test(name));
  return names.every((name) => one[name] === other[name]);
}

interface RequestIo {
  readonly streams: Omit<CliIo, 'environment' | 'cwd'>;
  /** Resolves when all that was written is sent, or the process that asked is gone. */
  settled(): Promise<unknown>;
}

/** Bytes after which a part of an answer is sent while its verb goes on. */
const PART_BYTES = 64 * 1024;

interface AnswerPart {
  readonly kind: 'stdout' | 'stderr';
  text: string;
}

/**
 * Many short writes go as one frame: the process that asked reads and writes each frame by itself, and writes none before
 * it has the last.
 */
function ioOf(request: VerbRequest): RequestIo {
  const sent: Promise<void>[] = [];
  let part: AnswerPart | undefined;
  const send = (done?: () => void): void => {
    if (part === undefined) return;
    const { kind, text } = part;
    part = undefined;
    sent.push(request.send(kind, Buffer.from(text)).then(done));
  };
  const output = (kind: AnswerPart['kind']): CliIo['stdout'] => ({
    write(text, done) {
      if (part?.kind !== kind) send();
      part ??= { kind, text: '' };
      part.text += text;
      // A verb may wait for `done` before it goes on; the lead's other work goes on meanwhile.
      if (part.text.length >= PART_BYTES) send(done);
      else if (done) setImmediate(done);
      return true;
    },
  });
  const settled = (): Promise<unknown> => {
    send();
    return Promise.all(sent);
  };
  return {
    streams: { stdin: nothing(), stdout: output('stdout'), stderr: output('stderr'), gone: request.gone },
    settled,
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
