/** Signatures with the user's key: what they are made over, and whose count. */
import { createPublicKey, verify } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { isPublicKey, keysIn } from '../../../src/model/text/public-key.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { openSeal } from '../../../src/store/user/seal.ts';
import { Signatures } from '../../../src/store/user/signature.ts';
import { isKeyTrusted, trustedKeys, trustKey } from '../../../src/store/user/trust.ts';
import { tempDir } from '../../support/temp.ts';

const SAID = { vouches: 1, team: 'T', event: 'E', commands: [{ task: '1', run: 'make' }] };

let root = '';
const of = (user: string, ...given: string[]): Signatures =>
  new Signatures(openSeal(realDisk, join(root, user, 'key')), realDisk, () => given);

beforeEach(() => {
  root = tempDir();
});

it('a signature holds for the user who made it, and for one who was told the key', () => {
  const signature = of('a').sign(SAID);
  const { key } = of('a');
  expect(isPublicKey(key)).toBe(true);
  expect([of('a').holds(SAID, signature), of('b').holds(SAID, signature)]).toEqual([true, false]);
  expect(of('b', key).holds(SAID, signature)).toBe(true);
  expect([of('b').strangerOf(SAID, signature), of('b', key).strangerOf(SAID, signature)]).toEqual([key, undefined]);
});

it('it is plain Ed25519 over a text that says what it is for', () => {
  const [, key = '', made = ''] = of('a')
    .sign({ b: [2, undefined], a: { d: 1, c: undefined } })
    .split(':');
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(key, 'base64url')]);
  const known = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  const text = Buffer.from('teams signature 1\n{"a":{"d":1},"b":[2,null]}');
  expect(verify(null, text, known, Buffer.from(made, 'base64url'))).toBe(true);
});

it('it holds for nothing else, and is none in another form', () => {
  const signature = of('a').sign(SAID);
  const { key } = of('a');
  const told = of('b', key);
  for (const other of [{}, { ...SAID, event: 'F' }, { ...SAID, team: 'U' }, { ...SAID, more: 1 }])
    expect([told.holds(other, signature), told.strangerOf(other, signature)]).toEqual([false, undefined]);
  const evil = of('evil').sign(SAID);
  const forms = [
    '',
    key,
    signature.slice(0, -1),
    `${signature}A`,
    ` ${signature}`,
    `${signature}\n`,
    7,
    null,
    undefined,
  ];
  for (const form of [...forms, key + evil.slice(key.length), `ed25519:${'A'.repeat(43)}:${'A'.repeat(86)}`])
    expect([form, told.holds(SAID, form), told.strangerOf(SAID, form)]).toEqual([form, false, undefined]);
  expect(told.holds({ ...SAID, seal: 'any', signature: 'any' }, signature)).toBe(true);
});

it('a key is trusted on this machine until its file is removed', () => {
  const { key } = of('c');
  expect([isKeyTrusted(key, realDisk), trustedKeys().includes(key)]).toEqual([false, false]);
  const file = trustKey(key);
  expect([of('b').holds(SAID, of('c').sign(SAID)), trustedKeys().includes(key)]).toEqual([true, true]);
  rmSync(file);
  expect([of('b').holds(SAID, of('c').sign(SAID)), trustedKeys().includes(key)]).toEqual([false, false]);
});

it('keys are separated by commas or spaces in the environment, and one that is none is named', () => {
  const [a, b] = [of('a').key, of('b').key];
  expect(keysIn({})).toEqual([]);
  expect(keysIn({ TEAMS_TRUST: `${a}, ${b}\n` })).toEqual([a, b]);
  // The last character has two bits that say nothing: one key is written in one way.
  const twin = a.slice(0, -1) + String.fromCodePoint((a.codePointAt(a.length - 1) ?? 0) + 1);
  for (const wrong of ['x', a.slice(1), `${a}A`, a.toUpperCase(), twin])
    expect(() => keysIn({ TEAMS_TRUST: wrong })).toThrow(expect.objectContaining({ code: 'USAGE' }));
});
