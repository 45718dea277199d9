/**
 * The client of a `LastingServer`: one connection of a process to a server, for all that the process asks there. It is
 * made when something is asked, and made again when it has ended. An idle one keeps no process alive.
 */
import { createConnection, type Socket } from 'node:net';
import { codeOf } from '../../model/text/errors.ts';
import { isSocketPath } from '../local-server.ts';
import { realClock } from '../system-clock.ts';
import { MOST_NUMBER, NumberedFrames, numberedFrame } from './numbered-frames.ts';

/** An answer has at most so many bytes. */
const MOST_BYTES = 512 * 1024 * 1024;

/** What is read at once. */
const READ_BYTES = 16 * 1024;

/** A question without an answer. */
interface Open {
  readonly resolve: (answer: string) => void;
  readonly reject: (error: Error) => void;
  /** When nothing more is waited for, by the clock of the process. */
  readonly until: number;
}

/** A connection that is made, or has not failed yet. */
interface Link {
  readonly socket: Socket;
  /** Resolves with false if nobody listens. */
  readonly isConnected: Promise<boolean>;
  readonly ended: Promise<void>;
}

export class LastingConnection {
  /** By the path of the server. */
  static readonly #ofProcess = new Map<string, LastingConnection>();
  readonly #path: string;
  #users = 0;
  #link: Link | undefined;
  readonly #open = new Map<number, Open>();
  /** Questions that the system takes only after it has passed on others. */
  #unsent: { readonly number: number; readonly text: string }[] = [];
  #last = 0;
  /** It stays set when a question is answered, so that most questions set none. */
  #timer: NodeJS.Timeout | undefined;
  #timedTo = Number.POSITIVE_INFINITY;

  private constructor(path: string) {
    this.#path = path;
  }

  /** The connection of this process to a server. Each user of it calls {@link leave} once. */
  static to(path: string): LastingConnection {
    const known = LastingConnection.#ofProcess.get(path) ?? new LastingConnection(path);
    LastingConnection.#ofProcess.set(path, known);
    known.#users += 1;
    return known;
  }

  /** The last user ends it. */
  leave(): void {
    this.#users -= 1;
    if (this.#users > 0) return;
    LastingConnection.#ofProcess.delete(this.#path);
    clearTimeout(this.#timer);
    this.#timedTo = Number.POSITIVE_INFINITY;
    this.#link?.socket.destroy();
  }

  /**
   * One question and its answer.
   *
   * @param ms after which nothing more is waited for
   * @throws the error of the connection (`ENOENT` and `ECONNREFUSED` where nobody listens); `ECONNRESET` if it ended
   *   before the answer; `ETIMEDOUT`
   */
  ask(text: string, ms: number): Promise<string> {
    const link = (this.#link ??= this.#connect());
    this.#last = this.#last === MOST_NUMBER ? 0 : this.#last + 1;
    const number = this.#last;
    return new Promise((resolve, reject) => {
      const until = realClock.monotonic() + ms;
      this.#open.set(number, { resolve, reject, until });
      this.#timeTo(until);
      link.socket.ref();
      this.#unsent.push({ number, text });
      this.#send(link.socket);
    });
  }

  /** Whether a server listens: connects to it if it is not connected. */
  async isServed(): Promise<boolean> {
    if (!isSocketPath(this.#path)) return false;
    return (this.#link ??= this.#connect()).isConnected;
  }

  /** Resolves when the connection ends; at once if there is none. */
  async untilEnd(): Promise<void> {
    await this.#link?.ended;
  }

  /** Nothing that was asked is waited for any more: each fails with `ETIMEDOUT`. */
  giveUp(): void {
    for (const number of this.#open.keys()) this.#take(number)?.reject(this.#failure('ETIMEDOUT'));
  }

  #connect(): Link {
    const frames = new NumberedFrames(MOST_BYTES);
    // Without it, each answer of some bytes costs a new buffer of 64 KiB, and the way through a stream.
    const buffer = Buffer.alloc(READ_BYTES);
    const callback = (length: number): boolean => {
      try {
        for (const { number, bytes } of frames.read(buffer.subarray(0, length)))
          this.#take(number)?.resolve(bytes.toString('utf8'));
      } catch {
        socket.destroy();
      }
      return true;
    };
    const socket = createConnection({ path: this.#path, onread: { buffer, callback } });
    let why: string | undefined;
    socket.on('drain', () => this.#send(socket));
    socket.on('error', (error) => (why = codeOf(error)));
    const isConnected = new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('close', () => resolve(false));
    });
    const ended = new Promise<void>((resolve) => {
      socket.once('close', () => {
        this.#link = undefined;
        this.#unsent = [];
        for (const number of this.#open.keys()) this.#take(number)?.reject(this.#failure(why ?? 'ECONNRESET'));
        resolve();
      });
    });
    socket.unref();
    return { socket, isConnected, ended };
  }

  #send(socket: Socket): void {
    while (!socket.writableNeedDrain) {
      const next = this.#unsent.shift();
      if (next === undefined) return;
      if (this.#open.has(next.number)) socket.write(numberedFrame(next.number, next.text));
    }
  }

  /** A question that has its answer, or gets none. @returns undefined if nobody waits for it any more */
  #take(number: number): Open | undefined {
    const one = this.#open.get(number);
    if (one === undefined) return undefined;
    this.#open.delete(number);
    if (this.#open.size === 0) this.#link?.socket.unref();
    return one;
  }

  #timeTo(until: number): void {
    if (until >= this.#timedTo) return;
    this.#timedTo = until;
    clearTimeout(this.#timer);
    // A question keeps the process alive by its socket.
    this.#timer = setTimeout(() => this.#endLate(), Math.max(until - realClock.monotonic(), 1)).unref();
  }

  #endLate(): void {
    const now = realClock.monotonic();
    for (const [number, { until }] of this.#open)
      if (until <= now) this.#take(number)?.reject(this.#failure('ETIMEDOUT'));
    this.#timedTo = Number.POSITIVE_INFINITY;
    for (const { until } of this.#open.values()) this.#timeTo(until);
  }

  #failure(code: string): Error {
    return Object.assign(new Error(`${code} ${this.#path}`), { code });
  }
}
