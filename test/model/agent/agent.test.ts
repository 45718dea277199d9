import fc from 'fast-check';
import { expect, test } from 'vitest';
import { argvOf, execAgent, parseAgentFlag, type AgentSpec } from '../../../src/model/agent/agent.ts';
import { AGENT_KINDS } from '../../../src/model/agent/agent-kinds.ts';
import { UsageError } from '../../../src/model/text/errors.ts';

const configured = new Map<string, AgentSpec>([
  ['fast', { kind: 'claude', tier: 'haiku' }],
  ['codex', { kind: 'codex', baseUrl: 'http://localhost:9' }],
]);

const shell = (text: string): AgentSpec => ({ kind: 'exec', command: ['/bin/sh', '-c', text] });

test.each<[string, AgentSpec]>([
  ...AGENT_KINDS.filter((kind) => kind !== 'codex').map((kind): [string, AgentSpec] => [kind, { kind }]),
  ['fast', { kind: 'claude', tier: 'haiku' }],
  [' claude ', { kind: 'claude' }],
  ['exec:npm test && echo "$HOME"', shell('npm test && echo "$HOME"')],
  ['{"kind":"exec","command":"npm test"}', shell('npm test')],
  ['{"kind":"exec","command":["npm","test"]}', { kind: 'exec', command: ['npm', 'test'] }],
  [
    '{"kind":"acp","command":["goose","acp"],"env":{"N":1}}',
    { kind: 'acp', command: ['goose', 'acp'], env: { N: '1' } },
  ],
  [
    '{"kind":"openai","model":"m","options":{"temperature":0.5}}',
    { kind: 'openai', model: 'm', options: { temperature: 0.5 } },
  ],
])('--agent %j is read', (text, spec) => {
  expect(parseAgentFlag(text, configured)).toEqual(spec);
});

test('--agent prefers the configured agent to the kind of the same name', () => {
  expect(parseAgentFlag('codex', configured)).toEqual({ kind: 'codex', baseUrl: 'http://localhost:9' });
});

test.each([
  ['cluade', 'Unknown agent "cluade"; did you mean "claude"?'],
  ['fsat', 'Unknown agent "fsat"; did you mean "fast"?'],
  ['', 'Unknown agent "".'],
  ['exec:', 'Unknown agent "exec:"; did you mean "exec"?'],
  ['{', 'cannot be read as JSON.'],
  ['{}', '"kind" is missing; it is one of exec,'],
  ['{"kind":"claud"}', 'got "claud"; did you mean "claude"?'],
  ['{"kind":"claude","modle":"x"}', 'Unknown key "modle"; did you mean "model"?'],
  ['{"kind":"claude","model":"--yolo"}', 'begins with no hyphen'],
  ['{"kind":"claude","command":"x"}', 'only exec takes a text'],
  ['{"kind":"exec","command":[]}', 'Expected "command" not to be empty.'],
  ['{"kind":"exec","command":"a\\u0000b"}', 'NUL'],
  ['{"kind":"openai","baseUrl":"file:///etc"}', 'http or https'],
  ['{"kind":"openai","env":{"A B":"x"}}', 'environment variable'],
  ['{"kind":"openai","env":{"A":[]}}', 'Expected "A" to be a text or a number or true or false, got a list.'],
])('--agent %j is refused: %s', (text, sentence) => {
  const refusal = refusalOf(text);
  expect(refusal).toMatchObject({ code: 'USAGE' });
  expect(refusal.message).toContain(sentence);
});

test('--agent never throws anything but a UsageError', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.string().map((text) => `{"kind":${text}`),
      ),
      (text) => {
        try {
          parseAgentFlag(text);
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
        }
      },
    ),
  );
});

test('a command in text goes to the shell whole, and an argv unchanged', () => {
  expect(argvOf('a "b"; c')).toEqual(['/bin/sh', '-c', 'a "b"; c']);
  expect(execAgent(['a', 'b c'])).toEqual({ kind: 'exec', command: ['a', 'b c'] });
});

function refusalOf(text: string): UsageError {
  try {
    parseAgentFlag(text, configured);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error(`${text} was accepted`);
}
