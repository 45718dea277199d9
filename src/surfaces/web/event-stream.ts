/**
 * A team's changes as server-sent events. The id of each is the number of the last team event that it covers. A client
 * that returns with `Last-Event-ID` gets only what changed after that number.
 */
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { LiveTeam } from './live-team.ts';

/** A comment is sent at least this often, because only writing detects a broken connection. */
const HEARTBEAT_MS = 15_000;

export function streamOf(c: Context, team: LiveTeam, closing: AbortSignal): Response {
  const asked = c.req.header('last-event-id') ?? '';
  let after = /^\d{1,12}$/.test(asked) ? Number(asked) : 0;
  return streamSSE(c, async (stream) => {
    const gone = new AbortController();
    stream.onAbort(() => gone.abort());
    const ended = AbortSignal.any([gone.signal, closing]);
    using _watcher = team.watched();
    while (!isOver(ended)) {
      const update = team.update(after);
      await stream.writeSSE({ event: 'update', id: String(update.number), data: update.text });
      after = update.number;
      while (!(await team.changed(update.version, HEARTBEAT_MS, ended)) && !isOver(ended)) await stream.write(': \n\n');
    }
  });
}

/** A function, because the value changes while the loop waits. */
const isOver = ({ aborted }: AbortSignal): boolean => aborted;
