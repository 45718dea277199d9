/** Pages of other sites in a real browser: none of the ways that a browser has reaches the page's server. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findProgram } from '../../../src/os/program-path.ts';
import { defined } from '../../../src/model/text/defined.ts';
import { hasBrowser } from '../../support/browser.ts';
import { ToldTeam } from '../../support/told-team.ts';
import { isRoot } from '../../support/user.ts';
import { openPage } from '../../support/web.ts';

const FOREIGN = 'evil.example';

/** Each resolves with what it learned of the address `at`; the site knows the token, too. */
const WAYS = {
  'a fetch': 'fetch(at).then((one) => one.text())',
  'a fetch with the token': 'fetch(at, { headers: { authorization: `Bearer ${token}` } }).then((one) => one.text())',
  'a fetch without CORS': "fetch(at, { mode: 'no-cors' }).then((one) => one.text())",
  'an EventSource': `new Promise((done) => {
    const one = new EventSource(at.replace('/teams', '/teams/login/stream'));
    one.onmessage = (event) => { one.close(); done(event.data); };
    one.onerror = () => { one.close(); done(''); };
  })`,
  'a WebSocket': `new Promise((done) => {
    const one = new WebSocket(at.replace('http', 'ws'));
    one.onopen = () => { one.close(); done('open'); };
    one.onerror = () => done('');
  })`,
  'a script': `new Promise((done) => {
    const one = Object.assign(document.createElement('script'), { src: at, onload: () => done('ran'), onerror: () => done('') });
    document.body.append(one);
  })`,
  'a frame': `new Promise((done) => {
    const one = Object.assign(document.createElement('iframe'), { src: at });
    one.onload = () => { try { done(one.contentWindow.document.body.innerText); } catch { done(''); } };
    document.body.append(one);
  })`,
  'a posted command': `fetch(at.replace('/teams', '/teams/login/deeds'), {
    method: 'POST', headers: { 'content-type': 'application/json', authorization: \`Bearer \${token}\` }, body: deed,
  }).then((one) => one.text())`,
  'a posted command without CORS': `fetch(at.replace('/teams', '/teams/login/deeds'), {
    method: 'POST', mode: 'no-cors', body: deed,
  }).then((one) => one.text())`,
} as const;

/** A page of another site; a browser gets it under every name. */
async function site(): Promise<number> {
  const server = createServer((_, answer) => void answer.setHeader('content-type', 'text/html').end('<body>evil'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

describe.skipIf(!hasBrowser)('a page of another site', () => {
  let browser: Browser;
  beforeAll(async () => {
    const rules = `--host-resolver-rules=MAP ${FOREIGN} 127.0.0.1`;
    const args = isRoot ? ['--no-sandbox', rules] : [rules];
    browser = await chromium.launch({
      args,
      ...defined({ executablePath: findProgram('chromium', process.env['PATH'] ?? '') }),
    });
  });
  afterAll(() => browser.close());

  it('learns nothing and does nothing, by 36 requests from another name and another port', async () => {
    const team = new ToldTeam({ ada: 'executor' }).led().started('ada').add('A subject that nobody else may see');
    const before = readFileSync(team.store.paths.log, 'utf8');
    const page = await openPage(team.root);
    const port = await site();
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const tab = await context.newPage();
    const ask = (how: string, at: string): Promise<string> =>
      tab.evaluate(
        `(({ at, token, deed }) => (${how}))(${JSON.stringify({ at, token: page.token, deed: '{"do":"send","to":"ada","text":"hi"}' })}).catch(() => '')`,
      );
    const learned: [string, string][] = [];
    for (const from of [`http://${FOREIGN}:${port}`, `http://127.0.0.1:${port}`]) {
      await tab.goto(from);
      for (const host of ['127.0.0.1', FOREIGN])
        for (const [way, how] of Object.entries(WAYS))
          learned.push([`${way} from ${from} to ${host}`, await ask(how, `http://${host}:${page.port}/api/teams`)]);
    }
    expect(learned).toHaveLength(36);
    expect(learned.filter(([, text]) => text !== '')).toEqual([]);
    expect(readFileSync(team.store.paths.log, 'utf8')).toBe(before);
    expect(readdirSync(team.store.paths.folder)).not.toContain('ada_inbox.jsonl');

    // A name that leads to this machine: its page is not served, and its requests are of one origin.
    const rebound = await tab.goto(`http://${FOREIGN}:${page.port}/`);
    expect(rebound?.status()).toBe(403);
    expect(await ask(WAYS['a fetch with the token'], `http://${FOREIGN}:${page.port}/api/teams`)).not.toContain(
      'login',
    );
    // The page itself does all that, so that this test sees what it must.
    await tab.goto(page.url);
    expect(await ask(WAYS['a fetch with the token'], `http://127.0.0.1:${page.port}/api/teams`)).toContain('login');
    expect(await ask(WAYS['a posted command'], `http://127.0.0.1:${page.port}/api/teams`)).not.toContain('error');
    expect(readdirSync(team.store.paths.folder)).toContain('ada_inbox.jsonl');
  });
});
