/** One table of vendor failures for all kinds of agents: the failure classes of docs/specification.md R7.3. */
import { describe, expect, it } from 'vitest';
import { faultOf, refused, type VendorRefusal } from '../../src/agents/vendor-fault.ts';
import { callFault } from '../../src/agents/loop/model-call-fault.ts';
import type { FailureClass } from '../../src/model/agent/agent.ts';

describe('what a vendor answers', () => {
  it.each<[FailureClass, VendorRefusal]>([
    ['rate_limited', { status: 429, text: 'slow down' }],
    ['unauthorised', { status: 429, text: 'You exceeded your current quota' }],
    ['unauthorised', { status: 429, text: 'insufficient_quota' }],
    ['rate_limited', { status: 529, text: 'overloaded_error' }],
    ['rate_limited', { status: 503, text: 'The model is overloaded' }],
    ['crashed', { status: 503, text: 'Service unavailable' }],
    ['crashed', { status: 500, text: 'your API key is fine' }],
    ['unauthorised', { status: 401, text: '' }],
    ['unauthorised', { status: 402, text: '' }],
    ['unauthorised', { status: 403, text: '' }],
    ['unauthorised', { status: 400, text: 'API key not valid. Please pass a valid API key.' }],
    ['unauthorised', { status: 400, text: 'Your credit balance is too low' }],
    ['overflow', { status: 400, text: 'prompt is too long: 200001 tokens > 200000 maximum' }],
    ['overflow', { status: 400, text: 'context_length_exceeded' }],
    ['overflow', { status: 413, text: '' }],
    ['bad_output', { status: 400, text: 'messages.0: unexpected role' }],
    ['refused', { status: 400, text: 'content_filter: the prompt triggered our content policy' }],
    ['rate_limited', { status: 429, text: 'content filter is overloaded' }],
    ['not_installed', { status: 404, text: '' }],
    ['timeout', { status: 408, text: '' }],
  ])('the fault of a vendor answer is %s: %j', (fault, refusal) => {
    expect(faultOf(refusal)).toBe(fault);
    expect(faultOf(refusal, 'crashed')).toBe(fault);
  });

  it.each<[FailureClass, VendorRefusal]>([
    ['crashed', { code: 'ECONNREFUSED', text: 'connect ECONNREFUSED 127.0.0.1:1' }],
    ['overflow', { text: 'The context window is full' }],
    ['unauthorised', { text: 'Quota exceeded. Check your plan and billing details.' }],
    ['rate_limited', { text: 'exceeded retry limit, last status: 429 Too Many Requests' }],
    ['rate_limited', { text: 'We’re currently experiencing high demand' }],
    ['unauthorised', { text: 'Missing environment variable: MOCK_KEY.' }],
    ['not_installed', { text: 'model "x" not found, try pulling it first' }],
    ['not_installed', { text: 'The model `gpt-9` does not exist or you do not have access to it.' }],
    ['unauthorised', { text: 'invalid x-api-key' }],
    ['refused', { text: 'The vendor refused to answer (content filter).' }],
    ['timeout', { text: 'Request timed out.' }],
    ['crashed', { text: 'stream disconnected before completion' }],
    ['bad_output', { text: 'Type validation failed: Value: {"status":500}' }],
  ])('the fault of an answer without a status is %s: %j', (fault, refusal) => {
    expect(faultOf(refusal)).toBe(fault);
  });

  it('an answer without information has the default class of its caller', () => {
    expect(faultOf({ text: 'I do not know.' })).toBe('bad_output');
    expect(faultOf({ text: 'I do not know.' }, 'crashed')).toBe('crashed');
    expect(refused({ text: '' })).toMatchObject({ why: 'bad_output', message: 'It failed without a message.' });
  });
});

describe('an error of a model call', () => {
  it('the class of an error uses its causes, its body and its headers', () => {
    const inner = {
      statusCode: 429,
      responseBody: '{"error":{"message":"Slow down."}}',
      responseHeaders: { 'retry-after': '7' },
    };
    const error = new Error('Failed after 1 attempt.', { cause: Object.assign(new Error('API'), inner) });
    expect(callFault(error, 'Anthropic (m)')).toEqual({
      why: 'rate_limited',
      message: 'Anthropic (m) answered 429: Slow down.',
      retryAfterMs: 7_000,
      passes: true,
      isRefusal: true,
    });
  });

  it('a refused connection is reported as no server', () => {
    const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    const error = new TypeError('fetch failed', { cause });
    expect(callFault(error, 'OpenAI (m)')).toMatchObject({ why: 'crashed', passes: true });
    expect(callFault(error, 'Ollama (m)', 'not_installed')).toMatchObject({ why: 'not_installed', passes: false });
  });
});
