/**
 * A login that a real CLI renews at a false token server reaches the user's own file, with its program isolated and not.
 * The user's tokens are old, so that each program renews them before it asks its model, which refuses everything.
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { AgentSpec } from '../../src/model/agent/agent.ts';
import { encodeIsolation } from '../../src/runtime/team/teammate-env.ts';
import { join as joinTeam } from '../../src/runtime/teammate/join.ts';
import { main } from '../../src/surfaces/cli/main.ts';
import { until } from '../support/cli.ts';
import { allowLeft } from '../support/leftovers.ts';
import { reopened, team } from '../support/session.ts';
import { name } from '../support/team.ts';
import { realCli, type RealCli } from './clis.ts';
import { openTokenServer } from './token-server.ts';

beforeEach(() => allowLeft(/\/(?:homes|home|logins)\//));

const PATIENCE_MS = 120_000;
const LONG_AGO = '2020-01-01T00:00:00Z';

/** A token whose claims a program reads; nobody checks its signature. */
const jwt = (serial: string): string => {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { 'https://api.openai.com/auth': { chatgpt_plan_type: 'plus', chatgpt_account_id: 'acc' } };
  return `${part({ alg: 'none', typ: 'JWT' })}.${part({ ...claims, email: 'a@b.c', serial, exp: serial === 'old' ? 1 : 9_999_999_999 })}.x`;
};

interface Login {
  /** Below the user's home. */
  readonly file: string;
  readonly old: object;
  readonly isTokens: (path: string) => boolean;
  readonly tokens: object;
  readonly spec: Partial<AgentSpec>;
}

const LOGINS: Readonly<Record<RealCli, Login>> = {
  claude: {
    file: '.claude/.credentials.json',
    old: {
      claudeAiOauth: {
        accessToken: 'sk-ant-oat01-old',
        refreshToken: 'sk-ant-ort01-old',
        expiresAt: 1,
        scopes: ['user:inference', 'user:profile'],
        subscriptionType: 'max',
      },
    },
    isTokens: (path) => path.startsWith('/v1/oauth/token'),
    tokens: {
      token_type: 'Bearer',
      access_token: 'sk-ant-oat01-anew',
      refresh_token: 'sk-ant-ort01-anew',
      expires_in: 28_800,
      scope: 'user:inference user:profile',
    },
    spec: {},
  },
  codex: {
    file: '.codex/auth.json',
    old: {
      auth_mode: 'chatgpt',
      OPENAI_API_KEY: null,
      tokens: { id_token: jwt('old'), access_token: jwt('old'), refresh_token: 'rt-old', account_id: 'acc' },
      last_refresh: LONG_AGO,
    },
    isTokens: (path) => path.endsWith('/oauth/token'),
    tokens: { id_token: jwt('anew'), access_token: jwt('anew'), refresh_token: 'rt-anew' },
    spec: {},
  },
  gemini: {
    file: '.gemini/oauth_creds.json',
    old: {
      access_token: 'ya29.old',
      refresh_token: '1//old',
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      token_type: 'Bearer',
      expiry_date: 1,
    },
    isTokens: (path) => path.startsWith('/token'),
    tokens: { access_token: 'ya29.anew', expires_in: 3_599, token_type: 'Bearer' },
    spec: {},
  },
  opencode: {
    file: '.local/share/opencode/auth.json',
    old: { openai: { type: 'oauth', refresh: 'rt-old', access: jwt('old'), expires: 1, accountId: 'acc' } },
    isTokens: (path) => path.endsWith('/oauth/token'),
    tokens: { id_token: jwt('anew'), access_token: jwt('anew'), refresh_token: 'rt-anew', expires_in: 3_600 },
    spec: { model: 'openai/gpt-5.4' },
  },
};

const CLIS = ['claude', 'codex', 'gemini', 'opencode'] as const;

describe.each(CLIS)('the real %s', (kind) => {
  it.each(['auto', 'off'] as const)('renews the login of the user, isolation %s', async (isolation) => {
    const program = await realCli(kind);
    const { file, old, isTokens, tokens, spec } = LOGINS[kind];
    const base = mkdtempSync(join(realpathSync(homedir()), '.real-login-'));
    onTestFinished(() => rmSync(base, { recursive: true, force: true }));
    const [home, made] = [join(base, 'home'), join(base, 'made')];
    const login = join(home, file);
    for (const directory of [dirname(login), made]) mkdirSync(directory, { recursive: true });
    writeFileSync(login, JSON.stringify(old), { mode: 0o600 });
    const server = await openTokenServer(made, isTokens, tokens);
    onTestFinished(() => server.close());
    const env = {
      HTTPS_PROXY: server.url,
      https_proxy: server.url,
      NO_PROXY: '127.0.0.1,localhost',
      NODE_EXTRA_CA_CERTS: server.certificate,
      SSL_CERT_FILE: server.certificate,
      CODEX_CA_CERTIFICATE: server.certificate,
      ...(kind === 'gemini' ? { GOOGLE_GENAI_USE_GCA: 'true' } : {}),
    };
    const on = await team({
      // Codex is in our isolation only where a person is asked.
      members: [
        {
          name: 'ada',
          agent: { kind, command: [program], ...spec, env },
          approvals: kind === 'codex' ? 'ask' : undefined,
        },
      ],
      tasks: [{ subject: 'Work', work: { prompt: 'Do it.' } }],
    });
    const PATH = `${dirname(program)}:${process.env['PATH'] ?? ''}`;
    const environment = {
      PATH,
      HOME: home,
      XDG_STATE_HOME: join(home, 'state'),
      NODE_EXTRA_CA_CERTS: server.certificate,
      ...encodeIsolation(isolation),
    };
    const teammate = await joinTeam(reopened(on.paths), name('ada'), { byHand: true, commandLine: main, environment });
    const left = teammate.run();
    try {
      await until(() => readFileSync(login, 'utf8').includes('anew'), 'the login is renewed', PATIENCE_MS);
    } catch (error) {
      throw new Error(
        `Asked: ${server.asked.join(', ')}; ${JSON.stringify(on.events('agent.failed').concat(on.events('agent.output')))}`,
        {
          cause: error,
        },
      );
    } finally {
      teammate.stop('signal');
      await left;
    }
    expect(server.asked.filter((one) => one.startsWith('POST') && isTokens(one.slice(one.indexOf('/'))))).not.toEqual(
      [],
    );
    const text = readFileSync(login, 'utf8');
    expect(text).toContain(kind === 'codex' || kind === 'opencode' ? jwt('anew') : 'anew');
  });
});
