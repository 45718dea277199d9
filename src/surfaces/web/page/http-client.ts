/**
 * Requests to our server, and to no other. The token comes after the `#` of the address. It is removed from the address
 * bar at once, kept for this tab, and sent only in a header.
 */
import type { Update } from '../wire-types.ts';
import { EventReader } from './sse.ts';

const KEY = 'teams-token';

/** @returns the team that the address names, if any */
export function takeToken(): string | undefined {
  const given = new URLSearchParams(location.hash.slice(1));
  const token = given.get('token');
  if (token === null) return undefined;
  sessionStorage.setItem(KEY, token);
  const team = given.get('team') ?? undefined;
  history.replaceState(null, '', team === undefined ? '/' : `/#/${encodeURIComponent(team)}`);
  return team;
}

const headers = (more: Record<string, string> = {}): Record<string, string> => ({
  authorization: `Bearer ${sessionStorage.getItem(KEY) ?? ''}`,
  ...more,
});

export class RequestRefusedError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface Failure {
  readonly error?: { readonly message: string };
}

type Maybe<T> = T | undefined;

/** Checks only that the answer is an object: our own server sends it, built from the same types. */
function said<T>(value: unknown): Maybe<T> {
  const isThere = (one: unknown): one is T => typeof one === 'object' && one !== null;
  return isThere(value) ? value : undefined;
}

async function ask<T>(path: string, init: RequestInit): Promise<T> {
  const response = await fetch(`/api/${path}`, { ...init, redirect: 'error', credentials: 'omit' });
  const answer: unknown = await response.json();
  const value = said<T>(answer);
  if (response.ok && value !== undefined) return value;
  const why = said<Failure>(answer)?.error?.message;
  throw new RequestRefusedError(response.status, why ?? `The server answered ${response.status}.`);
}

export const get = <T>(path: string, signal?: AbortSignal): Promise<T> =>
  ask(path, { headers: headers(), signal: signal ?? null });

export const post = <T>(path: string, body: object): Promise<T> =>
  ask(path, { method: 'POST', headers: headers({ 'content-type': 'application/json' }), body: JSON.stringify(body) });

export const inTeam = (team: string, rest: string): string => `teams/${encodeURIComponent(team)}/${rest}`;

interface UpdateListener {
  readonly onUpdate: (update: Update) => void;
  /** @param why undefined while connected */
  readonly onState: (why: string | undefined) => void;
}

/** A function, because the value changes while the loop waits. */
const isGone = ({ aborted }: AbortSignal): boolean => aborted;

/** Seconds before each new attempt; the last one repeats. */
const WAITS = [0.5, 1, 2, 5];

/** Follows a team until `signal` aborts. After a lost connection it continues where it stopped. */
export async function listen(team: string, { onUpdate, onState }: UpdateListener, signal: AbortSignal): Promise<void> {
  const reader = new EventReader();
  for (let tries = 0; !signal.aborted; tries += 1) {
    try {
      const id = reader.lastId;
      const response = await fetch(`/api/${inTeam(team, 'stream')}`, {
        signal,
        redirect: 'error',
        credentials: 'omit',
        headers: headers(id === '' ? {} : { 'last-event-id': id }),
      });
      if (response.status === 401 || response.status === 404) {
        onState(response.status === 401 ? 'Open the address that `teams ui` printed.' : 'This team no longer exists.');
        return;
      }
      reader.restart();
      for await (const piece of textOf(response)) {
        for (const { data } of reader.push(piece)) {
          const update = said<Update>(JSON.parse(data));
          if (update !== undefined) onUpdate(update);
        }
        tries = 0;
        onState(undefined);
      }
    } catch {
      // Any failure is reported below and followed by a new attempt.
    }
    if (isGone(signal)) return;
    onState('Connection lost; reconnecting.');
    await wait((WAITS[Math.min(tries, WAITS.length - 1)] ?? 5) * 1_000, signal);
  }
}

async function* textOf({ ok, body }: Response): AsyncGenerator<string> {
  if (!ok || body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}

const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
