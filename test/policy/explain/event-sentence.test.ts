/** Events as sentences for people: what is of use to a program only is left to the files. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventSentence } from '../../../src/policy/explain/event-sentence.ts';

const ID = '01M86Y4XFCQEQYZDHP04KW6AVD';

it('a question and its answer are told without the id, which the way to answer has', () => {
  expect(eventSentence({ at: '', type: 'request.made', text: `${ID}: Which database?` })).toBe('asks: Which database?');
  expect(eventSentence({ at: '', type: 'request.answered', text: `${ID}: the second` })).toBe('answered: the second');
});

it('a message that the lead read is not told as if its sender read it', () => {
  const event = { at: '', type: 'message.received' as const, member: 'cy', text: 'all is well' };
  expect(eventSentence(event)).toBe('its mail was read by the lead: all is well');
});

it('what is kept for undo is told without the reference', () => {
  const event = { at: '', type: 'baseline.saved' as const, text: 'refs/teams/x/1/start is 19c3affa' };
  expect(eventSentence(event)).not.toContain('refs/');
});

it('a message names its reader as a sentence does', () => {
  const event = { at: '', type: 'message.sent' as const, member: 'cy', text: 'to ada: to be or not' };
  expect(eventSentence(event)).toBe('wrote to ada: to be or not');
  expect(eventSentence({ ...event, text: 'hello' })).toBe('wrote: hello');
});

it('an isolation is told once, without the name of the member, which stands before it', () => {
  const told = (type: 'other.sandbox.held' | 'other.sandbox.missing', text: string): string =>
    eventSentence({ at: '', type, member: 'cy', text });
  expect(told('other.sandbox.held', 'cy: its program is isolated.')).toBe('is isolated');
  expect(told('other.sandbox.held', '')).toBe('is isolated');
  expect(told('other.sandbox.missing', 'cy: its program is not isolated: there is no bwrap.')).toBe(
    'is not isolated: there is no bwrap',
  );
  expect(told('other.sandbox.missing', 'cy: workspace-write is not enforced: exec cannot.')).toBe(
    'workspace-write is not enforced: exec cannot',
  );
  expect(told('other.sandbox.missing', 'bwrap: no such program')).toBe('bwrap: no such program');
});

it('each event that the source has is told in words, not by its name', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const texts = files.map((file) => readFileSync(join('src', file), 'utf8'));
  const types = texts.flatMap((text) =>
    [...text.matchAll(/\b(?:type: |TYPE = )'([a-z]+\.[a-z_]+)'/g)].map(([, type = '']) => type),
  );
  // `lead.decided` is told by what was decided.
  expect(new Set(types).size).toBeGreaterThan(80);
  const told = (type: string): string =>
    eventSentence({ at: '', type: `other.${type}`, task: '3', text: 'the reason' });
  expect([...new Set(types)].filter((type) => told(type).includes(type))).toEqual(['lead.decided']);
});
