/**
 * Requests that the page refuses (threats 16 and 18 of docs/reliability.md), sent over raw sockets because no browser
 * would send them.
 */
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ToldTeam } from '../../support/told-team.ts';
import { appOf } from '../../../src/surfaces/web/http-app.ts';
import { TeamCache } from '../../../src/surfaces/web/team-cache.ts';
import { openPage, type Page } from '../../support/web.ts';

const told = (): ToldTeam =>
  new ToldTeam({ ada: 'executor', bob: 'reviewer' }).led().started('ada').add('A subject that nobody else may see');

const POST = 'POST /api/teams/login/deeds HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\nConnection: close\n';
const GET = 'GET /api/teams HTTP/1.1\nConnection: close\nAuthorization: Bearer TOKEN\n';
const BODY = '{"do":"send","to":"ada","text":"hi"}';
const sent = (type: string): string => `${POST}${type}Content-Length: ${BODY.length}\n\n${BODY}`;

const STRANGERS: readonly [what: string, said: string, status: number][] = [
  ['another Host', `${GET}Host: evil.com\n\n`, 403],
  ['another Host with our port', `${GET}Host: evil.com:80\n\n`, 403],
  ['our Host with another port', `${GET}Host: 127.0.0.1:1\n\n`, 403],
  ['our Host without a port', `${GET}Host: 127.0.0.1\n\n`, 403],
  ['a Host that begins as ours', `${GET}Host: HOST.evil.com\n\n`, 403],
  ['a Host with a user in it', `${GET}Host: HOST@evil.com\n\n`, 403],
  ['the address 0.0.0.0', `${GET}Host: 0.0.0.0\n\n`, 403],
  ['no Host', `${GET}\n`, 403],
  ['an empty Host', `${GET}Host:\n\n`, 403],
  ['two Hosts', `${GET}Host: HOST\nHost: evil.com\n\n`, 403],
  ['two Hosts, ours last', `${GET}Host: evil.com\nHost: HOST\n\n`, 403],
  ['our Host twice', `${GET}Host: HOST\nHost: HOST\n\n`, 403],
  ['HTTP/1.0 without a Host', 'GET /api/teams HTTP/1.0\nAuthorization: Bearer TOKEN\n\n', 403],
  ['an absolute URL as its target', 'GET http://evil.com/api/teams HTTP/1.1\nHost: HOST\nConnection: close\n\n', 403],
  ['our absolute URL as its target', `GET http://HOST/api/teams HTTP/1.1\nHost: HOST\nConnection: close\n\n`, 403],
  ['a host as its target', 'GET //evil.com/api/teams HTTP/1.1\nHost: HOST\nConnection: close\n\n', 403],
  ['a star as its target', 'OPTIONS * HTTP/1.1\nHost: HOST\nConnection: close\n\n', 403],
  ['another Origin', `${GET}Host: HOST\nOrigin: http://evil.com\n\n`, 403],
  ['the Origin null', `${GET}Host: HOST\nOrigin: null\n\n`, 403],
  ['an Origin on another port', `${GET}Host: HOST\nOrigin: http://127.0.0.1:1\n\n`, 403],
  ['an Origin by https', `${GET}Host: HOST\nOrigin: https://HOST\n\n`, 403],
  ['two Origins', `${GET}Host: HOST\nOrigin: http://HOST\nOrigin: http://evil.com\n\n`, 403],
  ['a page of another site', `${GET}Host: HOST\nSec-Fetch-Site: cross-site\n\n`, 403],
  ['a page of another port', `${GET}Host: HOST\nSec-Fetch-Site: same-site\n\n`, 403],
  ['a data request from the address bar', `${GET}Host: HOST\nSec-Fetch-Site: none\n\n`, 403],
  ['our page in another site', 'GET / HTTP/1.1\nHost: HOST\nSec-Fetch-Site: cross-site\nConnection: close\n\n', 403],
  ['no token', 'GET /api/teams HTTP/1.1\nHost: HOST\nConnection: close\n\n', 401],
  ['a wrong token', 'GET /api/teams HTTP/1.1\nHost: HOST\nAuthorization: Bearer x\nConnection: close\n\n', 401],
  [
    'a token with more',
    'GET /api/teams HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKENx\nConnection: close\n\n',
    401,
  ],
  ['the token twice', `${GET}Host: HOST\nAuthorization: Bearer TOKEN\n\n`, 401],
  ['the token in the address', 'GET /api/teams?token=TOKEN HTTP/1.1\nHost: HOST\nConnection: close\n\n', 401],
  ['the token as a cookie', 'GET /api/teams HTTP/1.1\nHost: HOST\nCookie: token=TOKEN\nConnection: close\n\n', 401],
  [
    'the token as a password',
    'GET /api/teams HTTP/1.1\nHost: HOST\nAuthorization: Basic TOKEN\nConnection: close\n\n',
    401,
  ],
  ['no token, behind a dot', 'GET /./api/teams HTTP/1.1\nHost: HOST\nConnection: close\n\n', 403],
  ['no token, behind a parent', 'GET /x/../api/teams HTTP/1.1\nHost: HOST\nConnection: close\n\n', 403],
  ['no token, with an encoded letter', 'GET /%61pi/teams HTTP/1.1\nHost: HOST\nConnection: close\n\n', 403],
  ['no token, with an encoded letter inside', 'GET /a%70i/teams HTTP/1.1\nHost: HOST\nConnection: close\n\n', 403],
  ['no token, behind an encoded dot', 'GET /%2e/api/teams HTTP/1.1\nHost: HOST\nConnection: close\n\n', 403],
  ['no token, behind two slashes', 'GET /x//../../api/teams HTTP/1.1\nHost: HOST\nConnection: close\n\n', 403],
  ['no token, with a backslash', 'GET /\\api/teams HTTP/1.1\nHost: HOST\nConnection: close\n\n', 403],
  ['no token, with another case', 'GET /API/teams HTTP/1.1\nHost: HOST\nConnection: close\n\n', 404],
  ['a stream without a token', 'GET /api/teams/login/stream HTTP/1.1\nHost: HOST\nConnection: close\n\n', 401],
  ['a text/plain body', sent('Content-Type: text/plain\n'), 415],
  ['a form', sent('Content-Type: application/x-www-form-urlencoded\n'), 415],
  ['a multipart form', sent('Content-Type: multipart/form-data; boundary=x\n'), 415],
  ['no content type', sent(''), 415],
  ['two content types', sent('Content-Type: application/json\nContent-Type: text/plain\n'), 415],
  ['a command of another site', sent('Content-Type: application/json\nOrigin: http://evil.com\n'), 403],
  ['a command without a token', sent('Content-Type: application/json\n').replace('Bearer TOKEN', ''), 401],
  ['a preflight request', 'OPTIONS /api/teams HTTP/1.1\nHost: HOST\nOrigin: http://HOST\nConnection: close\n\n', 405],
  ['PUT', 'PUT /api/teams/login/deeds HTTP/1.1\nHost: HOST\nConnection: close\nContent-Length: 0\n\n', 405],
  ['DELETE', 'DELETE /api/teams/login HTTP/1.1\nHost: HOST\nConnection: close\n\n', 405],
  ['TRACE', 'TRACE / HTTP/1.1\nHost: HOST\nConnection: close\n\n', 405],
  ['a POST to the page', 'POST / HTTP/1.1\nHost: HOST\nConnection: close\nContent-Length: 0\n\n', 405],
  ['a CONNECT tunnel', 'CONNECT evil.com:443 HTTP/1.1\nHost: HOST\n\n', 403],
  [
    'a web socket',
    'GET /api/teams/login/stream HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\nConnection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Key: eA==\nSec-WebSocket-Version: 13\n\n',
    403,
  ],
  ['two lengths', `${POST}Content-Type: application/json\nContent-Length: 1\nContent-Length: 2\n\n{}`, 400],
  [
    'a length and chunks',
    `${POST}Content-Type: application/json\nContent-Length: 2\nTransfer-Encoding: chunked\n\n{}`,
    400,
  ],
  ['a folded header', `${GET}Host: HOST\nX-A: 1\n Origin: null\n\n`, 400],
  ['no HTTP', 'hello\n\n', 400],
];

describe('the page', () => {
  it('the page refuses every foreign request, tells it nothing and does nothing for it', async () => {
    expect(STRANGERS.length).toBeGreaterThanOrEqual(40);
    const team = told();
    const before = readFileSync(team.store.paths.log, 'utf8');
    const page = await openPage(team.root);
    const answers = await Promise.all(STRANGERS.map(async ([what, said]) => ({ what, answer: await page.raw(said) })));
    expect(answers.map(({ what, answer }) => [what, answer.status])).toEqual(
      STRANGERS.map(([what, , status]) => [what, status]),
    );
    for (const { what, answer } of answers)
      expect([what, /^www-authenticate: Bearer\r$/im.test(answer.head)]).toEqual([what, answer.status === 401]);
    for (const { what, answer } of answers)
      expect([what, answer.head + answer.body]).not.toEqual([
        what,
        expect.stringMatching(/login|subject|access-control/i),
      ]);
    expect(readFileSync(team.store.paths.log, 'utf8')).toBe(before);
    expect(readdirSync(team.store.paths.folder)).not.toContain('ada_inbox.jsonl');
  });

  it('a route asks for the token itself, whatever the guard let through', async () => {
    await using cache = new TeamCache({ open: { root: told().root, environment: {} }, watch: {}, why: {} });
    const app = appOf(cache, {
      isToken: (given) => given === 'right',
      rules: { data: '/api/', methods: ['GET'], cure: 'x' },
    });
    const asked = async (path: string, token?: string): Promise<number> =>
      (await app.request(path, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } })).status;
    const data = ['/api/teams', '/./api/teams', '/%61pi/teams', '/x/../api/teams', '/api/teams/login/mail'];
    for (const path of data) {
      expect([path, await asked(path)]).toEqual([path, 401]);
      expect([path, await asked(path, 'wrong')]).toEqual([path, 401]);
    }
    expect(await asked('/api/teams', 'right')).toBe(200);
  });

  it('the page accepts a request that has the token and names this server', async () => {
    const page = await openPage(told().root);
    const own = 'Origin: http://HOST\nSec-Fetch-Site: same-origin\n';
    expect(await page.raw(`${GET}Host: HOST\n${own}\n`)).toMatchObject({
      status: 200,
      body: '{"teams":[{"id":"login","name":"login"}]}',
    });
    expect(await page.raw(sent(`Content-Type: application/json; charset=utf-8\n${own}`))).toMatchObject({
      status: 200,
    });
    expect(await page.raw('GET / HTTP/1.1\nHost: HOST\nSec-Fetch-Site: none\nConnection: close\n\n')).toMatchObject({
      status: 200,
    });
  });

  it('every answer of the page has a policy for its own script only, and is not cached', async () => {
    const page = await openPage(told().root);
    for (const said of [
      'GET / HTTP/1.1',
      'GET /page.js HTTP/1.1',
      'GET /api/teams HTTP/1.1',
      'GET /nothing HTTP/1.1',
    ]) {
      const { head } = await page.raw(`${said}\nHost: HOST\nConnection: close\n\n`);
      expect(head).toContain("default-src 'none'; script-src 'self'");
      expect(head).toContain("require-trusted-types-for 'script'; trusted-types 'none'");
      expect(head).toContain('x-content-type-options: nosniff');
      expect(head).toContain('cache-control: no-store');
    }
  });

  it('the page listens on this machine only', async () => {
    const page = await openPage(told().root);
    const others = Object.values(networkInterfaces())
      .flatMap((one) => one ?? [])
      .filter(({ address, family }) => family === 'IPv4' && address !== '127.0.0.1');
    const heard = await Promise.all(['127.0.0.2', ...others.map(({ address }) => address)].map(page.isHeardAt));
    expect(heard).not.toContain(true);
  });

  it('looking at the page changes nothing', async () => {
    const team = told();
    const page = await openPage(team.root);
    await page.hear('login', ({ head }) => !head.isReading);
    const looks = ['', '/login/tasks/1', '/login/why', '/login/mail?q=x', '/login/file?file=board/log.jsonl'];
    const before = sizesIn(team.root);
    for (const look of looks) expect((await page.ask(`teams${look}`)).status).toBe(200);
    expect(sizesIn(team.root)).toEqual(before);
  });
});

const sizesIn = (root: string): string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' }).map((file) => {
    const { size, mtimeMs, ino } = statSync(join(root, file));
    return `${file} ${size} ${mtimeMs} ${ino}`;
  });

const codeOf = async (page: Page, file: string): Promise<string> => {
  const answer = await page.ask(`teams/login/file?file=${encodeURIComponent(file)}`);
  const text = await answer.text();
  expect(text).not.toMatch(/SECRET/);
  return answer.status === 200 ? 'shown' : String(answer.status);
};

describe('a file', () => {
  it('a file of the record is shown, page by page', async () => {
    const team = told();
    const page = await openPage(team.root);
    for (let line = 0; line < 1_000; line += 1) team.note('agent.printed', { member: 'ada', text: `line ${line}` });
    const page_ = await page.json('teams/login/file?file=team/events.jsonl&from=1801');
    expect(page_).toMatchObject({ from: 1_801, total: 2_002 });
    expect(JSON.stringify(page_)).toContain('line 899');
    expect(JSON.stringify(page_)).not.toContain('line 898');
  });

  it('a file outside of the record is not shown, by any name or link', async () => {
    const team = told();
    const { folder, results } = team.store.paths;
    const outside = join(team.root, 'secret.md');
    writeFileSync(outside, 'SECRET');
    for (const directory of ['homes', 'homes/ada', 'results', 'artifacts'])
      mkdirSync(join(folder, directory), { recursive: true });
    writeFileSync(join(folder, 'homes', 'ada', 'login.json'), 'SECRET');
    symlinkSync(outside, join(results, '1.md'));
    symlinkSync(join(folder, 'homes', 'ada', 'login.json'), join(results, '2.md'));
    linkSync(outside, join(results, '3.md'));
    execFileSync('mkfifo', [join(results, '4.md')]);
    mkdirSync(join(results, '5.md'));
    symlinkSync(join(folder, 'homes'), join(folder, 'artifacts', 'a'));
    const page = await openPage(team.root);
    const hostile = [
      'team/../../secret.md',
      '../secret.md',
      'team/results/../../../secret.md',
      '/etc/passwd',
      'team//etc/passwd',

      'team/config.json',
      'team/homes/ada/login.json',
      'team/.tokens/x',
      'team/lead.lock',
      'team',
      '',
      'board/../x',
      'team/results/1.md',
      'team/results/2.md',
      'team/results/3.md',
      'team/results/4.md',
      'team/results/5.md',
      'team/artifacts/a/ada/login.json',
      'team/artifacts/../homes/ada/login.json',
      'team/results/..%2f..%2fx',
      'team/results/\u0000',
      'team/results\\..\\x',
      'TEAM/events.jsonl',
      'team/events.jsonl/',
      'team/plan.json',
    ];
    for (const file of hostile) expect([file, await codeOf(page, file)]).not.toEqual([file, 'shown']);
    expect(await codeOf(page, 'board/log.jsonl')).toBe('shown');
    for (const team_ of ['..', '%2e%2e', '.archive', 'nobody', 'login%2f..'])
      expect((await page.ask(`teams/${team_}/file?file=board/log.jsonl`)).status).not.toBe(200);
  });
});
