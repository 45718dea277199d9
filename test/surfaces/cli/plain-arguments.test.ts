/** Command lines in the plainest form mean the same without commander. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { program } from '../../../src/surfaces/cli/commander-program.ts';
import { COMMON } from '../../../src/surfaces/cli/global-options.ts';
import { frequentVerbs } from '../../../src/surfaces/cli/frequent-main.ts';
import { plainCall } from '../../../src/surfaces/cli/plain-arguments.ts';
import type { Verb, VerbInput } from '../../../src/surfaces/cli/verb.ts';
import { verbs } from '../../../src/surfaces/cli/verbs/all-verbs.ts';

interface Call {
  readonly name: string;
  readonly given: VerbInput;
}

/** @returns undefined for help and for a usage error */
async function byCommander(argv: readonly string[]): Promise<Call | undefined> {
  let call: Call | undefined;
  const onVerb = (verb: Verb, given: VerbInput): Promise<void> => {
    call = { name: verb.name, given };
    return Promise.resolve();
  };
  await program(verbs, { write: () => {} }, onVerb)
    .parseAsync([...argv], { from: 'user' })
    .catch(() => {});
  return call;
}

const flags = [
  ...frequentVerbs().flatMap(({ options = [] }) => options.map((one) => one.flags)),
  ...COMMON.map(([one]) => one),
];
const names = [...new Set(flags.map((one) => one.split(' ')[0] ?? ''))];
const wordArbitrary = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('login', 'ada', 'two words', '', '-', '1', 'send', 'help', 'a=b') },
  { weight: 4, arbitrary: fc.constantFrom(...names) },
  { weight: 2, arbitrary: fc.constantFrom(...names).map((name) => `${name}=v=w`) },
  { weight: 1, arbitrary: fc.constantFrom('--', '-f', '-h', '--help', '-1', '--nonsense', '--roo', '--json=', '-x=1') },
  { weight: 1, arbitrary: fc.string({ maxLength: 4 }) },
);

it('what is read without commander is what commander reads', async () => {
  let plain = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...frequentVerbs()),
      fc.array(wordArbitrary, { maxLength: 6 }),
      async ({ name }, words) => {
        const argv = [...name.split(' '), ...words];
        const call = plainCall(argv, frequentVerbs());
        if (call === undefined) return;
        plain += 1;
        expect({ name: call.verb.name, given: call.given }).toEqual(await byCommander(argv));
      },
    ),
    { numRuns: 3_000 },
  );
  expect(plain).toBeGreaterThan(500);
});

it.each([
  ['send login ada hello', ['login', 'ada', 'hello']],
  ['task list login --status failed --json', ['login']],
  ['status', []],
  ['take login ada --max 1', ['login', 'ada']],
  ['task create login --blocked-by 1 --blocked-by=2 subject', ['login', 'subject']],
])('`%s` is read without commander', (line, words) => {
  expect(plainCall(line.split(' '), frequentVerbs())?.given.words).toEqual(words);
});

it.each([
  'send --help',
  'send -- a',
  'take --wait',
  'task',
  'nonsense',
  'list one',
  'send a --kind',
  'send a --kind --json',
])('`%s` is left to commander', (line) => {
  expect(plainCall(line.split(' '), frequentVerbs())).toBeUndefined();
});
