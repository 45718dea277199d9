/**
 * A team's changes as server-sent events. The id of each is the number of the last event of the team that it knows of;
 * who comes back with `Last-Event-ID` gets what changed after that, and nothing twice that did not change.
 */
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { LiveTeam } from './live-team.ts';

/** So often something is said, at least: a connection that is cut is noticed by who writes. */
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

/** Asked anew: it changes while we wait. */
const isOver = ({ aborted }: AbortSignal): boolean => aborted;
