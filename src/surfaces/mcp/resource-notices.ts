/**
 * Tells a host which resources changed. In protocol 2025-11-25 a host subscribes to single resources, and is notified
 * without a subscription when the list changes. In protocol 2026-07-28 it opens a stream with a filter that the SDK
 * applies: every change is reported to the SDK, which drops those not asked for.
 */
import type { McpServer } from '@modelcontextprotocol/server';
import { MailboxWatch, type ToolContext } from '../../app.ts';
import { changesBetween, resourceSnapshot } from './resources.ts';

/** The SDK's connection of a server. */
export type McpConnection = McpServer['server'];

/** Where changes are reported. */
interface ResourceSink {
  listChanged(): Promise<void>;
  updated(uri: string): Promise<void>;
  /** It gets all updates, and drops those that nobody asked for. */
  readonly filters: boolean;
}

/** A connection as a sink; in protocol 2026-07-28 the SDK filters. */
export const connectionSink = (server: McpConnection, filters: boolean): ResourceSink => ({
  listChanged: () => server.sendResourceListChanged(),
  updated: (uri) => server.sendResourceUpdated({ uri }),
  filters,
});

export class ResourceNotices {
  readonly #context: ToolContext;
  readonly #sink: ResourceSink;
  readonly #closing = new AbortController();
  readonly #watch: MailboxWatch;
  readonly #subscribed = new Set<string>();
  #isOn = false;

  constructor(context: ToolContext, sink: ResourceSink) {
    this.#context = context;
    this.#sink = sink;
    this.#watch = new MailboxWatch(context, this.#closing.signal);
  }

  /** Starts reporting changes. A host that never asks for resources causes no watching. Idempotent. */
  start(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    // A host that is gone needs no notices. A problem with the team is reported in the answers of the tools.
    this.#report().catch(() => undefined);
  }

  /** Looks at once, after one of our tools changed something. */
  ring(): void {
    if (this.#isOn) this.#watch.ring();
  }

  subscribe(uri: string): void {
    this.#subscribed.add(uri);
  }

  unsubscribe(uri: string): void {
    this.#subscribed.delete(uri);
  }

  close(): void {
    this.#closing.abort();
  }

  async #report(): Promise<void> {
    let before = resourceSnapshot(this.#context);
    for await (const _ of this.#watch.looks()) {
      const now = resourceSnapshot(this.#context);
      const { isListChanged, updated } = changesBetween(before, now);
      before = now;
      if (isListChanged) await this.#sink.listChanged();
      for (const uri of updated) if (this.#sink.filters || this.#subscribed.has(uri)) await this.#sink.updated(uri);
    }
  }
}
