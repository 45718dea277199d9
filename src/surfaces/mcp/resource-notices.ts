/**
 * Tells a host which resources changed. In the era of 2025-11-25 a host subscribes to single ones, and hears unasked when
 * the list changes; in that of 2026-07-28 it opens a stream with a filter, which the SDK keeps: there every change is
 * told, and what nobody asked for goes nowhere.
 */
import type { McpServer, ProtocolEra } from '@modelcontextprotocol/server';
import { MailboxWatch, type ToolContext } from '../../app.ts';
import { changesBetween, resourceSnapshot } from './resources.ts';

/** The wire of a server. */
export type McpConnection = McpServer['server'];

export class ResourceNotices {
  readonly #context: ToolContext;
  readonly #server: McpConnection;
  readonly #era: ProtocolEra;
  readonly #closing = new AbortController();
  readonly #watch: MailboxWatch;
  readonly #subscribed = new Set<string>();
  #isOn = false;

  constructor(context: ToolContext, server: McpConnection, era: ProtocolEra) {
    this.#context = context;
    this.#server = server;
    this.#era = era;
    this.#watch = new MailboxWatch(context, this.#closing.signal);
  }

  /** From now on changes are told; a host that never asks for resources costs no watching. Idempotent. */
  start(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    // A host that has gone needs no news; what went wrong with the team is said in the answers.
    this.#tell().catch(() => undefined);
  }

  /** Something of ours was just done: looks at once. */
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

  async #tell(): Promise<void> {
    let before = resourceSnapshot(this.#context);
    for await (const _ of this.#watch.looks()) {
      const now = resourceSnapshot(this.#context);
      const { isListChanged, updated } = changesBetween(before, now);
      before = now;
      if (isListChanged) await this.#server.sendResourceListChanged();
      for (const uri of updated)
        if (this.#era === 'modern' || this.#subscribed.has(uri)) await this.#server.sendResourceUpdated({ uri });
    }
  }
}
