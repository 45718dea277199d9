/** A limit of what comes over a connection in answer to one question: its client keeps an answer whole, of any size. */
import { StoreError } from '../../model/text/errors.ts';

export interface AnswerLimit {
  /** Another question is asked, whose answer may have so many bytes. */
  readonly ask: (mostBytes: number) => void;
  /** Why the connection was ended; undefined while it was not. */
  readonly why: () => Error | undefined;
}

/**
 * Ends a connection that answers more.
 *
 * @param connection of the client, with its `stream`: when encryption begins it has another one
 * @param mostBytes before the first question is asked
 * @param refusal the error for an answer of more than `mostBytes`
 * @throws StoreError `ENGINE_UNFIT` for a version of the client whose connection has no stream
 */
export function limitAnswers(
  connection: unknown,
  mostBytes: number,
  refusal: (mostBytes: number) => Error,
): AnswerLimit {
  let watched: ByteStream | undefined;
  let [come, most] = [0, mostBytes];
  let why: Error | undefined;
  const ask = (bytes: number): void => {
    [come, most] = [0, bytes];
    const stream = streamOf(connection);
    if (stream === watched) return;
    watched = stream;
    stream.on('data', (chunk) => {
      come += chunk.length;
      if (come <= most) return;
      why ??= refusal(most);
      stream.destroy();
    });
  };
  ask(mostBytes);
  return { ask, why: () => why };
}

interface ByteStream {
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  destroy(): unknown;
}

function streamOf(connection: unknown): ByteStream {
  const stream = typeof connection === 'object' && connection !== null && 'stream' in connection && connection.stream;
  if (isByteStream(stream)) return stream;
  throw new StoreError('ENGINE_UNFIT', 'What this version of pg receives cannot be counted: install pg 8.');
}

const isByteStream = (value: unknown): value is ByteStream =>
  typeof value === 'object' &&
  value !== null &&
  'on' in value &&
  typeof value.on === 'function' &&
  'destroy' in value &&
  typeof value.destroy === 'function';
