/** JSON-RPC between two programs over lines: requests both ways, answers, notifications. It has no time limits. */
import * as z from 'zod';
import type { JsonObject } from './json-lines.ts';

export type RpcAnswer =
  | { readonly ok: true; readonly result: unknown }
  /** The other side refused, or has ended. */
  | { readonly ok: false; readonly code: number; readonly message: string };

export interface Rpc {
  request(method: string, params: JsonObject): Promise<RpcAnswer>;
  notify(method: string, params: JsonObject): void;
  respond(id: RpcId, result: JsonObject): void;
  refuse(id: RpcId, message: string): void;
  /** Takes a message. An answer goes to its request; everything else is returned. */
  heard(message: JsonObject): RpcHeard | undefined;
  /** The other side has ended: every open request is answered with that. */
  closed(): void;
}

export type RpcId = string | number;
export interface RpcHeard {
  readonly method: string;
  readonly params: JsonObject;
  /** Set for a request, which needs an answer. */
  readonly id: RpcId | undefined;
}

const id = z.union([z.string(), z.number()]);
const params = z.record(z.string(), z.unknown()).catch({});
const called = z.object({ method: z.string(), id: id.optional(), params: params.default({}) });
const failed = z.object({ id, error: z.object({ code: z.number().catch(0), message: z.string().catch('no reason') }) });
const answered = z.object({ id, result: z.unknown() });

const METHOD_NOT_FOUND = -32_601;
const ENDED: RpcAnswer = { ok: false, code: 0, message: 'The program has ended.' };

/** @param header fields of every message; Codex leaves the version out */
export function rpc(send: (message: JsonObject) => void, header: JsonObject = {}): Rpc {
  const open = new Map<RpcId, (answer: RpcAnswer) => void>();
  let [last, isClosed] = [0, false];
  const settle = (to: RpcId, answer: RpcAnswer): void => {
    open.get(to)?.(answer);
    open.delete(to);
  };
  return {
    request(method, given) {
      if (isClosed) return Promise.resolve(ENDED);
      last += 1;
      const own = last;
      send({ ...header, id: own, method, params: given });
      return new Promise((resolve) => open.set(own, resolve));
    },
    notify: (method, given) => send({ ...header, method, params: given }),
    respond: (to, result) => send({ ...header, id: to, result }),
    refuse: (to, message) => send({ ...header, id: to, error: { code: METHOD_NOT_FOUND, message } }),
    heard(message) {
      const call = called.safeParse(message);
      if (call.success) return { method: call.data.method, params: call.data.params, id: call.data.id };
      const refusal = failed.safeParse(message);
      if (refusal.success) settle(refusal.data.id, { ok: false, ...refusal.data.error });
      else {
        const answer = answered.safeParse(message);
        if (answer.success) settle(answer.data.id, { ok: true, result: answer.data.result });
      }
      return undefined;
    },
    closed() {
      isClosed = true;
      for (const to of Array.from(open.keys())) settle(to, ENDED);
    },
  };
}
