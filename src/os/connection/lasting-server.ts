/**
 * A server on a Unix socket whose clients stay connected: each asks as much as it wants on its connection, and is
 * answered in any order (`numbered-frames.ts`). It reads no more of a client that does not read its answers, or that has
 * asked much which is not answered yet.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { listenAt } from '../local-server.ts';
import { NumberedFrames, numberedFrame } from './numbered-frames.ts';

/** A question has at most so many bytes. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Of one client, without an answer. */
const MOST_OPEN = 256;
const MOST_OPEN_BYTES = 16 * 1024 * 1024;
/** With one more, the one ends that was used least recently and has nothing open: its client can connect again. */
export const MOST_CONNECTIONS = 256;

/** @param from stands for the connection on which it was asked */
type Answer = (question: Buffer, from: object) => Promise<string>;

export class LastingServer {
  readonly #server: Server;
  /** In the order of their last use. */
  readonly #open = new Set<Conversation>();

  private constructor(answer: Answer) {
    this.#server = createServer((socket) => this.#meet(socket, answer));
  }

  /**
   * @param answer if it rejects, the connection ends
   * @throws RangeError for a path that the system would cut; the errors of `listen`
   */
  static async listen(path: string, answer: Answer): Promise<LastingServer> {
    const made = new LastingServer(answer);
    await listenAt(made.#server, path);
    return made;
  }

  /** How many clients are connected. */
  get count(): number {
    return this.#open.size;
  }

  /** Ends all connections. What is not answered then stays without an answer. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      for (const one of this.#open) one.end();
    });
  }

  #meet(socket: Socket, answer: Answer): void {
    if (this.#open.size >= MOST_CONNECTIONS) {
      const resting = [...this.#open].find(({ isResting }) => isResting);
      if (resting === undefined) return void socket.destroy();
      this.#open.delete(resting);
      resting.end();
    }
    const one = new Conversation(socket, answer, () => {
      this.#open.delete(one);
      this.#open.add(one);
    });
    this.#open.add(one);
    socket.once('close', () => this.#open.delete(one));
  }
}

/** What one client asks. */
class Conversation {
  readonly #socket: Socket;
  readonly #answer: Answer;
  readonly #frames = new NumberedFrames(MOST_BYTES);
  /** Questions without an answer, and their bytes. */
  #open = 0;
  #openBytes = 0;

  /** @param onUse called when something comes; never after the connection has ended */
  constructor(socket: Socket, answer: Answer, onUse: () => void) {
    this.#socket = socket;
    this.#answer = answer;
    socket.on('data', (chunk: Buffer) => {
      onUse();
      this.#hear(chunk);
    });
    socket.on('drain', () => this.#readOrWait());
    // It is followed by `close`.
    socket.on('error', () => {});
  }

  get isResting(): boolean {
    return this.#open === 0;
  }

  end(): void {
    this.#socket.destroy();
  }

  #hear(chunk: Buffer): void {
    try {
      for (const { number, bytes } of this.#frames.read(chunk)) void this.#answerTo(number, bytes);
    } catch {
      // What follows a frame that cannot be read cannot be read either.
      this.end();
    }
    this.#readOrWait();
  }

  async #answerTo(number: number, bytes: Buffer): Promise<void> {
    const { length } = bytes;
    this.#open += 1;
    this.#openBytes += length;
    try {
      const text = await this.#answer(bytes, this);
      if (!this.#socket.destroyed) this.#socket.write(numberedFrame(number, text));
    } catch {
      this.end();
    } finally {
      this.#open -= 1;
      this.#openBytes -= length;
      this.#readOrWait();
    }
  }

  #readOrWait(): void {
    const socket = this.#socket;
    if (socket.destroyed) return;
    const isFull = this.#open >= MOST_OPEN || this.#openBytes >= MOST_OPEN_BYTES || socket.writableNeedDrain;
    if (isFull && !socket.isPaused()) socket.pause();
    else if (!isFull && socket.isPaused()) socket.resume();
  }
}
