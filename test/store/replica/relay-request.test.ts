/** Who may ask a relay: a request proves that it comes from the user. */
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseName } from '../../../src/model/text/names.ts';
import { hashText } from '../../../src/store/board/results.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { sealedRequest } from '../../../src/store/replica/relay-answer.ts';
import { relayRequest } from '../../../src/store/replica/relay-request.ts';
import { canonical, openSeal, type Seal } from '../../../src/store/user/seal.ts';
import { tempDir } from '../../support/temp.ts';

const TEAM = parseName('team', 'login');
let seal: Seal;
beforeEach(() => {
  seal = openSeal(realDisk, join(tempDir(), 'teams', 'key'));
});

const asked = (body: string, sealed = body, by = seal): string =>
  `${JSON.stringify({ do: 'append', team: TEAM, seal: by.signText(sealedRequest('append', TEAM, sealed)) })}\n${body}`;

describe('a request to a relay', () => {
  it.each(['', 'a record', '{"__proto__":"\\ud800"}\n', 'ä'.repeat(5_000)])('is sealed as a document is', (body) => {
    const text = sealedRequest('append', TEAM, body);
    expect(text).toBe(canonical(JSON.parse(text)));
    expect(seal.signText(text)).toBe(seal.sign(JSON.parse(text) as object));
  });

  it.each([
    ['short', 'a record'],
    ['of some lines', 'one\n\n{"two"}\n'],
    ['empty', ''],
    ['long', 'ä'.repeat(100_000)],
  ])('with a body that is %s is read as it was sent', (_, body) => {
    expect(relayRequest(asked(body), seal)).toEqual({ do: 'append', team: TEAM, body });
  });

  it.each([
    ['a short body that was changed', () => asked('a Record', 'a record')],
    ['a long body that was changed', () => asked(`${'x'.repeat(100_000)}!`, 'x'.repeat(100_001))],
    ['the hash of the body that was sealed', () => asked(hashText('x'.repeat(5_000)), 'x'.repeat(5_000))],
    ['another request', () => asked('a record').replace('"append"', '"keep"')],
    ['another team', () => asked('a record').replace('"login"', '"other"')],
    ['the key of another user', () => asked('x', 'x', openSeal(realDisk, join(tempDir(), 'teams', 'key')))],
    ['no seal', () => `${JSON.stringify({ do: 'append', team: TEAM })}\nx`],
    ['no line', () => 'append'],
    ['words around its line', () => asked('x').replace('{', 'Here it is: {')],
  ])('with %s is not heard', (_, text) => {
    expect(relayRequest(text(), seal)).toBeUndefined();
  });

  const sent = (body: string): string =>
    `${JSON.stringify({ do: 'send', team: TEAM, seal: seal.signText(sealedRequest('send', TEAM, body)) })}\n${body}`;

  it.each([
    ['mail', { recipient: 'ada', line: '{"id":"1"}' }],
    ['mail for the lead', { recipient: 'lead', line: '' }],
    ['mail with a long body', { recipient: 'ada', line: '{}', blob: 'all of it' }],
  ])('of %s is read with its body', (_, body) => {
    expect(relayRequest(sent(JSON.stringify(body)), seal)).toEqual({ do: 'send', team: TEAM, body });
  });

  it.each([
    ['no JSON', 'hello'],
    ['no object', '"hello"'],
    ['nothing', 'null'],
    ['no recipient', JSON.stringify({ line: 'x' })],
    ['a path in place of a recipient', JSON.stringify({ recipient: '../ada', line: 'x' })],
    ['a line that is no text', JSON.stringify({ recipient: 'ada', line: 7 })],
    ['a long body that is no text', JSON.stringify({ recipient: 'ada', line: 'x', blob: 7 })],
  ])('of mail with %s is not heard', (_, body) => {
    expect(relayRequest(sent(body), seal)).toBeUndefined();
  });
});
