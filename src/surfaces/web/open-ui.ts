/** `teams ui`: a page on this machine that shows the teams of a root, and does what a lead may do. */
import { getRequestListener } from '@hono/node-server';
import { appOf } from './http-app.ts';
import { TeamCache, type TeamCacheOptions } from './team-cache.ts';
import { drawToken, LOOPBACK_ADDRESS, openHttpServer } from '../http/http-server.ts';
import type { HttpRules } from '../http/request-guard.ts';

interface Ui {
  readonly port: number;
  /** For a browser. The token is in the fragment after `#`, which browsers do not send. */
  readonly url: string;
  close(): Promise<void>;
}

interface UiOptions extends TeamCacheOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** The team that is shown first. */
  readonly team?: string | undefined;
}

const RULES: HttpRules = {
  data: '/api/',
  methods: ['GET', 'POST'],
  cure: 'Open the address that `teams ui` printed: it carries the token.',
};

/** @throws UsageError `USAGE` for a port in use */
export async function openUi({ port: wanted, team, ...options }: UiOptions): Promise<Ui> {
  const cache = new TeamCache(options);
  const { token, isToken } = drawToken();
  const app = appOf(cache, { isToken, rules: RULES });
  const httpServer = await openHttpServer(
    { host: LOOPBACK_ADDRESS, port: wanted, isToken, rules: RULES },
    getRequestListener(app.fetch),
  );
  cache.warm(team);
  const first = team === undefined ? '' : `&team=${encodeURIComponent(team)}`;
  return {
    port: httpServer.port,
    url: `http://127.0.0.1:${httpServer.port}/#token=${token}${first}`,
    async close() {
      await cache[Symbol.asyncDispose]();
      await httpServer.close();
    },
  };
}
