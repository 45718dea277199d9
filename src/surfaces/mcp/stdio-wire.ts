/**
 * MCP over two streams, one message a line. In contrast to the SDK's transport, it answers a frame that it cannot read
 * with a JSON-RPC error and goes on, and many messages may wait to be written. It ends with its input.
 */
import type { Readable, Writable } from 'node:stream';
import {
  parseJSONRPCMessage,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { isMap, roomIn } from '../../app.ts';
import { inRevision } from './revision.ts';
import { FrameReader, INVALID_REQUEST, type HeardFrame } from '../wire/frames.ts';

type Id = string | number;

export class StdioWire implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #frames = new FrameReader();
  #isClosed = false;
  /** Negotiated by `initialize`; later revisions negotiate none. */
  #version: string | undefined;
  /** Resolves when the host has read. No request is read before. */
  #room: Promise<void> | undefined;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  readonly setProtocolVersion = (version: string): void => {
    this.#version = version;
  };

  start(): Promise<void> {
    const close = (): void => void this.close();
    this.#input.on('data', this.#read);
    this.#input.on('error', (error) => this.onerror?.(error));
    this.#input.once('end', close);
    this.#input.once('close', close);
    if (this.#input.readableEnded || this.#input.destroyed) setImmediate(close);
    // It stays after the end: a late write to a host that is gone must not be an uncaught error.
    this.#output.on('error', (error) => {
      if (this.#isClosed) return;
      this.onerror?.(error);
      close();
    });
    return Promise.resolve();
  }

  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#isClosed = true;
    this.#input.off('data', this.#read);
    this.#input.pause();
    this.onclose?.();
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('The connection is closed.'));
    this.#output.write(serializeMessage(inRevision(message, this.#version)));
    if (this.#room !== undefined) return this.#room;
    const room = roomIn(this.#output);
    if (room === undefined) return Promise.resolve();
    this.#input.pause();
    this.#room = room.then(() => {
      this.#room = undefined;
      if (!this.#isClosed) this.#input.resume();
    });
    return this.#room;
  }

  readonly #read = (chunk: Buffer): void => {
    for (const frame of this.#frames.push(chunk)) if (!this.#isClosed) this.#take(frame);
  };

  #take(frame: HeardFrame): void {
    if (frame.kind === 'refused') {
      this.#refuse(frame.code, frame.message, frame.id);
      return;
    }
    const message = parsed(frame.value);
    if (message !== undefined) this.onmessage?.(message);
    else this.#refuseValue(frame.value);
  }

  /** Only what looks like a request is answered, so that two ends never answer errors with errors. */
  #refuseValue(value: unknown): void {
    if (isMap(value) && 'method' in value)
      this.#refuse(INVALID_REQUEST, 'The line is not a JSON-RPC 2.0 message.', idIn(value));
    else this.onerror?.(new Error('A line was neither a request nor an answer.'));
  }

  #refuse(code: number, message: string, id: Id | undefined): void {
    this.onerror?.(new Error(message));
    // A host that is gone needs no answer.
    this.send({ jsonrpc: '2.0', id, error: { code, message } }).catch(() => undefined);
  }
}

function parsed(value: unknown): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(value);
  } catch {
    return undefined;
  }
}

function idIn({ id }: Readonly<Record<string, unknown>>): Id | undefined {
  return typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id)) ? id : undefined;
}
