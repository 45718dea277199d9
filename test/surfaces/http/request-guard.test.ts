/** Which requests a server of ours accepts, by where it listens. */
import { describe, expect, test } from 'vitest';
import { requestRefusal } from '../../../src/surfaces/http/request-guard.ts';

const rules = { data: '/mcp', methods: ['GET', 'POST', 'DELETE'], cure: 'Send the token.' };

function statusOf(
  host: string,
  { method = 'GET', target = '/mcp', ...headers }: Record<string, string> & { method?: string; target?: string },
  port = 8080,
): number {
  const rawHeaders = Object.entries({ authorization: 'Bearer right', ...headers }).flat();
  const server = { host, port, rules, isToken: (given: string) => given === 'right' };
  return requestRefusal({ method, target, rawHeaders }, server)?.status ?? 200;
}

describe('the address of a request', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1:8080', 200],
    ['127.0.0.1', 'localhost:8080', 200],
    ['127.0.0.1', 'localhost:8081', 403],
    ['127.0.0.1', 'localhost', 403],
    ['127.0.0.1', '[::1]:8080', 403],
    ['127.0.0.1', 'evil.example:8080', 403],
    ['127.0.0.1', '10.0.0.1:8080', 403],
    ['::1', '[::1]:8080', 200],
    ['10.0.0.1', '10.0.0.1:8080', 200],
    ['10.0.0.1', '10.0.0.2:8080', 403],
    ['machine.example', 'machine.example:8080', 200],
    ['machine.example', 'evil.example:8080', 403],
    // On all addresses any address names it, and no name: DNS rebinding needs a name.
    ['0.0.0.0', '10.0.0.2:8080', 200],
    ['::', '[fe80::1]:8080', 200],
    ['0.0.0.0', 'evil.example:8080', 403],
    ['0.0.0.0', '10.0.0.2.evil.example:8080', 403],
  ])('a server at %s that is asked as %s answers %i', (at, host, status) => {
    expect(statusOf(at, { host })).toBe(status);
    expect(statusOf(at, { host, origin: `http://${host}` })).toBe(status);
    expect(statusOf(at, { host, origin: 'https://evil.example' })).toBe(403);
  });

  test.each([
    ['127.0.0.1', '127.0.0.1', 200],
    ['127.0.0.1', 'localhost', 200],
    ['127.0.0.1', 'localhost:80', 200],
    ['127.0.0.1', 'localhost:', 403],
    ['127.0.0.1', 'localhost:8080', 403],
    ['127.0.0.1', 'evil.example', 403],
    ['::1', '[::1]', 200],
    ['::', '[fe80::80]', 200],
  ])('a server at %s on port 80 that is asked as %s, as a browser does, answers %i', (at, host, status) => {
    expect(statusOf(at, { host }, 80)).toBe(status);
    expect(statusOf(at, { host, origin: `http://${host}` }, 80)).toBe(status);
  });
});

describe('what is asked', () => {
  const host = '127.0.0.1:8080';
  test.each([
    ['another method', { method: 'PUT' }, 405],
    ['a method for data elsewhere', { method: 'DELETE', target: '/' }, 405],
    ['a form', { method: 'POST', 'content-type': 'text/plain' }, 415],
    ['JSON', { method: 'POST', 'content-type': 'application/json' }, 200],
    ['the end of a session', { method: 'DELETE' }, 200],
    ['a scheme in lower case', { authorization: 'bearer right' }, 200],
    ['another scheme', { authorization: 'Basic right' }, 401],
    ['a wrong token', { authorization: 'Bearer wrong' }, 401],
    ['no token', { authorization: '' }, 401],
    ['a path that is not normal', { target: '/x/../mcp' }, 403],
    ['a tab of another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['no data, without a token', { target: '/', authorization: '' }, 200],
  ])('%s is answered with its status', (_, request, status) => {
    expect(statusOf('127.0.0.1', { host, ...request })).toBe(status);
  });
});
