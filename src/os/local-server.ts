/**
 * A server on a Unix socket that speaks in frames: a request is one line of JSON and then the bytes of a stdin; the
 * answer is frames of a kind, a length and bytes.
 */
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { outputTail } from './output-tail.ts';

/** The kernel's limit. Node cuts a longer path silently, so that two servers could get one socket. */
const MOST_PATH_BYTES = 107;
const MOST_HEAD_BYTES = 1024 * 1024;
const HEAD_MS = 10_000;
/** Milliseconds that a client may take to end after it has its answer. */
const LEAVE_MS = 10_000;
const MOST_CONNECTIONS = 64;

const HEADER_BYTES = 5;

export type FrameKind = 'stdout' | 'stderr' | 'exit';
const CODES: Readonly<Record<FrameKind, number>> = { stdout: 1, stderr: 2, exit: 3 };

export interface LocalRequest {
  /** The first line. */
  readonly head: string;
  /** What follows it. */
  readonly input: Readable;
  /** Aborts when the client is gone. */
  readonly gone: AbortSignal;
  /** @returns after the bytes are passed to the system, or lost because the client is gone */
  send(kind: FrameKind, bytes: Uint8Array): Promise<void>;
  /** Ends the connection at once. What waits for the client is lost. */
  drop(): void;
}

export interface LocalServer {
  close(): Promise<void>;
}

/** @throws RangeError for a path that the system would cut; the errors of `listen` */
export async function serveLocal(path: string, answer: (request: LocalRequest) => Promise<void>): Promise<LocalServer> {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    void converse(socket, answer);
  });
  server.maxConnections = MOST_CONNECTIONS;
  await listenAt(server, path);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

/** Whether a socket can have this path as it stands. */
export const isSocketPath = (path: string): boolean => Buffer.byteLength(path) <= MOST_PATH_BYTES;

/** @throws RangeError for a path that the system would cut; the errors of `listen` */
export function listenAt(server: Server, path: string): Promise<void> {
  if (!isSocketPath(path))
    throw new RangeError(`The path of a socket has at most ${MOST_PATH_BYTES} bytes, and ${path} is longer.`);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function converse(socket: Socket, answer: (request: LocalRequest) => Promise<void>): Promise<void> {
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  socket.on('error', () => gone.abort());
  try {
    const head = await headOf(socket);
    if (head === undefined) return;
    await answer({
      head,
      input: socket,
      gone: gone.signal,
      send: (kind, bytes) => send(socket, kind, bytes),
      drop: () => socket.destroy(),
    });
  } catch {
    // The caller answers its own errors; what is left is a broken connection.
  } finally {
    leave(socket);
    if (gone.signal.aborted) socket.destroy();
  }
}

/** Ends the answer. What the client still sends is dropped: a connection that closes before that would lose the answer. */
function leave(socket: Socket): void {
  const late = setTimeout(() => socket.destroy(), LEAVE_MS);
  socket.once('end', () => socket.destroySoon()).once('close', () => clearTimeout(late));
  socket.resume().end();
  if (socket.readableEnded) socket.destroySoon();
}

/** The first line; undefined if it does not come in time, or is too long. */
function headOf(socket: Socket): Promise<string | undefined> {
  return new Promise((resolve) => {
    // A client may send it byte by byte.
    const known = outputTail(MOST_HEAD_BYTES);
    let size = 0;
    const end = (head: string | undefined): void => {
      clearTimeout(late);
      socket.off('readable', read).off('end', stop).off('close', stop);
      resolve(head);
    };
    const stop = (): void => end(undefined);
    const late = setTimeout(stop, HEAD_MS);
    const read = (): void => {
      for (let bytes: unknown = socket.read(); Buffer.isBuffer(bytes); bytes = socket.read()) {
        const line = bytes.indexOf(10);
        const part = line < 0 ? bytes : bytes.subarray(0, line);
        size += part.length;
        if (size > MOST_HEAD_BYTES) return stop();
        known.push(part);
        if (line < 0) continue;
        if (line + 1 < bytes.length) socket.unshift(bytes.subarray(line + 1));
        return end(known.bytes().toString('utf8'));
      }
    };
    socket.on('readable', read).once('end', stop).once('close', stop);
  });
}

/** A part of an answer: its kind, its length, its bytes. */
export function frameOf(kind: FrameKind, bytes: Uint8Array): Buffer {
  const made = Buffer.alloc(HEADER_BYTES + bytes.length);
  made.writeUInt8(CODES[kind], 0);
  made.writeUInt32BE(bytes.length, 1);
  made.set(bytes, HEADER_BYTES);
  return made;
}

function send(socket: Socket, kind: FrameKind, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve();
    socket.write(frameOf(kind, bytes), () => resolve());
  });
}

/** Whether a server listens at the path; its refusal is the proof that it has ended. */
export const isServed = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    if (!isSocketPath(path)) return resolve(false);
    const socket = createConnection(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
