/**
 * The routes of the page's server. The guard has accepted the request; data asks for the token once more. Here input is parsed, the team is looked
 * up among the existing ones, and the answer is made. No file path is ever built from the request.
 */
import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import * as z from 'zod';
import { check, isTeamError, safeText, UsageError, builtPage } from '../../app.ts';
import { webCommandSchema, runWebCommand } from './commands.ts';
import type { TeamCache } from './team-cache.ts';
import { asJson } from './json.ts';
import { tokenRefusal, type ServerIdentity } from '../http/request-guard.ts';
import { streamSSE } from 'hono/streaming';
import type { LiveTeam } from './live-team.ts';

/** The largest message that is kept in its line, with its JSON around it. */
const LARGEST_BODY = 320 * 1024;

const number = z.coerce.number().int().min(0).max(1e9);
const mailQuery = z.object({
  member: z.string().optional(),
  q: z.string().max(1_000).optional(),
  /** Milliseconds since 1970: what was sent later is left out. */
  until: z.coerce.number().min(0).max(8.64e15).optional(),
  skip: number.default(0),
  count: number.default(100),
});
const pastQuery = z.union([
  z.strictObject({ event: number }),
  z.strictObject({ at: z.coerce.number().min(0).max(8.64e15) }),
]);
const outputQuery = z.object({
  task: z.string().max(16).optional(),
  member: z.string().max(64).optional(),
  after: number.default(0),
});
const searchQuery = z.object({ q: z.string().trim().min(1).max(200) });
const fileQuery = z.object({ file: z.string().max(500), from: number.default(1) });

/** @param server its token is asked for again here, after routing: what a route serves never depends on the guard alone */
export function appOf(cache: TeamCache, server: Pick<ServerIdentity, 'isToken' | 'rules'>): Hono {
  const app = new Hono();
  app.use('/api/*', async (c, next) => {
    const refused = tokenRefusal(c.req.header('authorization') ?? '', server);
    if (refused === undefined) return next();
    return c.json({ error: { code: 'REFUSED', message: refused.why } }, 401);
  });
  app.get('/api/teams', (c) => answer(c, { teams: cache.list() }));
  app.get('/api/teams/:team/stream', async (c) => streamOf(c, await cache.live(c.req.param('team')), cache.closing));
  app.get('/api/teams/:team/tasks/:id', async (c) =>
    answer(c, (await cache.live(c.req.param('team'))).task(c.req.param('id'))),
  );
  app.get('/api/teams/:team/why', async (c) => {
    const live = await cache.live(c.req.param('team'));
    return answer(c, await live.why(c.req.query('subject') || undefined));
  });
  app.get('/api/teams/:team/output', async (c) => {
    const { task, member = '', after } = parsed(outputQuery, c.req.query());
    const live = await cache.live(c.req.param('team'));
    return answer(c, live.output(task === undefined ? { member } : { task }, after));
  });
  app.get('/api/teams/:team/changes', async (c) => {
    const live = await cache.live(c.req.param('team'));
    return answer(c, await live.changes(c.req.query('task') || undefined));
  });
  app.get('/api/teams/:team/mail', async (c) => {
    const { q, count, ...rest } = parsed(mailQuery, c.req.query());
    const live = await cache.live(c.req.param('team'));
    return answer(c, await live.mail({ ...rest, text: q, count: Math.min(500, count) }));
  });
  app.get('/api/teams/:team/past', async (c) => {
    const wanted = parsed(pastQuery, c.req.query());
    const text = await (await cache.live(c.req.param('team'))).past(wanted);
    return c.body(text, 200, { 'content-type': 'application/json' });
  });
  app.get('/api/teams/:team/search', async (c) => {
    const { q } = parsed(searchQuery, c.req.query());
    return answer(c, await (await cache.live(c.req.param('team'))).search(q));
  });
  app.get('/api/teams/:team/file', async (c) => {
    const { file, from } = parsed(fileQuery, c.req.query());
    return answer(c, (await cache.live(c.req.param('team'))).file({ file, from: Math.max(1, from) }));
  });
  app.post('/api/teams/:team/deeds', bodyLimit({ maxSize: LARGEST_BODY, onError: tooLong }), async (c) => {
    const deed = parsed(webCommandSchema, await c.req.json().catch(() => undefined));
    return answer(c, await runWebCommand(cache.handle(c.req.param('team')), deed, cache.place));
  });
  app.get('*', (c) => asset(c));
  app.onError((error, c) => failed(c, error));
  app.notFound((c) => c.json({ error: { code: 'NOT_FOUND', message: 'There is no such page.' } }, 404));
  return app;
}

function tooLong(c: Context): Response {
  const message = `A request may have at most ${LARGEST_BODY} bytes; put longer text into a file.`;
  return c.json({ error: { code: 'USAGE', message } }, 413);
}

/** @throws UsageError `USAGE` */
function parsed<T>(schema: z.ZodType<T>, given: unknown): T {
  const checked = check(schema, given);
  if (checked.ok) return checked.value;
  const { path, text } = checked.problems[0] ?? { path: [], text: 'The request is not valid.' };
  throw new UsageError('USAGE', path.length === 0 ? text : `${path.join('.')}: ${text}`);
}

const answer = (c: Context, value: unknown): Response =>
  c.body(asJson(value), 200, { 'content-type': 'application/json' });

function asset(c: Context): Response | Promise<Response> {
  const found = assetAt(c.req.path);
  return found === undefined ? c.notFound() : c.body(found.text, 200, { 'content-type': found.type });
}

const STATUS = { 2: 400, 3: 409, 4: 500, 5: 503 } as const;

function failed(c: Context, error: Error): Response {
  if (!isTeamError(error)) {
    const message = `This is a bug in teams: ${error.message}`;
    return c.json({ error: { code: 'BUG', message: safeText(message) } }, 500);
  }
  const { code, message, exitCode } = error;
  const known = code === 'UNKNOWN_TEAM' || code === 'UNKNOWN_TASK' ? 404 : code === 'POLICY_DENIED' ? 403 : undefined;
  return c.json({ error: { code, message: safeText(message) } }, known ?? STATUS[exitCode]);
}

/** The page itself: four files built with the package. They hold no data and are the same for every team. */
const TYPES = {
  'index.html': 'text/html; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;

/** @returns undefined for a path that is not a file of the page */
function assetAt(path: string): { readonly type: string; readonly text: string } | undefined {
  const name = path === '/' ? 'index.html' : path.slice(1);
  if (!isAsset(name)) return undefined;
  return { type: TYPES[name], text: builtPage(name) };
}

const isAsset = (name: string): name is keyof typeof TYPES => Object.hasOwn(TYPES, name);

/** A comment is sent at least this often, because only writing detects a broken connection. */
const HEARTBEAT_MS = 15_000;

/**
 * A team's changes as server-sent events. The id of each is the number of the last team event that it covers, and which
 * team it is. A client that returns with `Last-Event-ID` gets only what changed after that number. The stream ends when
 * another team was made in the place of this one.
 */
function streamOf(c: Context, team: LiveTeam, closing: AbortSignal): Response {
  const [, number = '0', of] = /^(\d{1,12})@(.+)$/.exec(c.req.header('last-event-id') ?? '') ?? [];
  let after = of === team.identity ? Number(number) : 0;
  return streamSSE(c, async (stream) => {
    const gone = new AbortController();
    stream.onAbort(() => gone.abort());
    const ended = AbortSignal.any([gone.signal, closing]);
    using _watcher = team.watched();
    while (!isOver(ended) && !team.isReplaced()) {
      const update = team.update(after);
      await stream.writeSSE({ event: 'update', id: `${update.number}@${team.identity}`, data: update.text });
      after = update.number;
      while (!(await team.changed(update.version, HEARTBEAT_MS, ended)) && !isOver(ended)) await stream.write(': \n\n');
    }
  });
}

/** A function, because the value changes while the loop waits. */
const isOver = ({ aborted }: AbortSignal): boolean => aborted;
