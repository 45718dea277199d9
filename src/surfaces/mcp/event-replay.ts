/**
 * The last messages of a session, so that a host whose stream broke gets what it missed (`Last-Event-ID`). Memory is
 * bounded: what is older is lost, and a host that asks for it is refused.
 */
import type { EventId, EventStore, JSONRPCMessage, StreamId } from '@modelcontextprotocol/server';
import { UsageError } from '../../app.ts';

const MOST_MESSAGES = 1_000;
const MOST_BYTES = 8 * 1024 * 1024;

interface Kept {
  readonly number: number;
  readonly stream: StreamId;
  readonly message: JSONRPCMessage;
  readonly bytes: number;
}

export class EventReplay implements EventStore {
  readonly #kept: Kept[] = [];
  #bytes = 0;
  #last = 0;

  storeEvent(stream: StreamId, message: JSONRPCMessage): Promise<EventId> {
    this.#last += 1;
    const bytes = Buffer.byteLength(JSON.stringify(message));
    this.#kept.push({ number: this.#last, stream, message, bytes });
    this.#bytes += bytes;
    while (this.#kept.length > MOST_MESSAGES || (this.#bytes > MOST_BYTES && this.#kept.length > 1))
      this.#bytes -= this.#kept.shift()?.bytes ?? 0;
    return Promise.resolve(String(this.#last));
  }

  getStreamIdForEventId(id: EventId): Promise<StreamId | undefined> {
    return Promise.resolve(this.#at(id)?.stream);
  }

  async replayEventsAfter(
    id: EventId,
    { send }: { readonly send: (id: EventId, message: JSONRPCMessage) => Promise<void> },
  ): Promise<StreamId> {
    const from = this.#at(id);
    if (from === undefined) throw new UsageError('USAGE', `The message ${JSON.stringify(id)} is no longer kept.`);
    const missed = this.#kept.filter(({ number, stream }) => stream === from.stream && number > from.number);
    // The SDK keeps an empty message for the event that opens a stream; as a message a host would refuse it.
    for (const { number, message } of missed) if ('jsonrpc' in message) await send(String(number), message);
    return from.stream;
  }

  #at(id: EventId): Kept | undefined {
    return this.#kept.find(({ number }) => String(number) === id);
  }
}
