/** A plan whose agents cannot work here: `validate`, `--dry-run` and `run` say so in one sentence, before anything starts. */
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Workplace } from '../support/cli.ts';

const VERBS = [['validate'], ['run', '--dry-run'], ['run']];

const plan = (agent: string, more = ''): string =>
  `name: crew\nmembers: [{name: ada, agent: ${agent}}]\ntasks: [{subject: Build}]\n${more}`;

it.each([
  ['acp', '{kind: acp, command: [no-such-program]}', 'no program no-such-program on PATH'],
  ['claude', 'claude', 'no program claude on PATH'],
  ['codex', 'codex', 'no program codex on PATH'],
  ['gemini', 'gemini', 'no program gemini on PATH'],
  ['anthropic', '{kind: anthropic, model: m}', 'ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN is not set'],
  ['openai', '{kind: openai, model: m}', 'OPENAI_API_KEY is not set'],
])('the agent of a member is missing: %s', { timeout: 30_000 }, async (_kind, agent, found) => {
  const place = new Workplace({ PATH: '/nowhere' });
  place.put('crew.yaml', plan(agent));
  const err = `teams: The agent of ada cannot work here: ${found}; \`teams doctor\` says what to do.\n`;
  for (const verb of VERBS)
    expect(await place.start(...verb, 'crew.yaml').ended, verb.join(' ')).toMatchObject({ code: 5, err });
  expect(existsSync(join(place.root, '.teams'))).toBe(false);
});

it('a program that is not executable, an agent of the lead, and no agent at all', { timeout: 30_000 }, async () => {
  const place = new Workplace();
  const tool = place.put('tool', '#!/bin/sh\n');
  chmodSync(tool, 0o644);
  const exec = '{kind: exec, command: "true"}';
  for (const [text, says] of [
    [plan(`{kind: acp, command: [${tool}]}`), `The agent of ada cannot work here: no program ${tool}`],
    [
      plan(exec, 'lead: {kind: acp, command: [gone]}\n'),
      'The agent of the lead cannot work here: no program gone on PATH',
    ],
    [plan('auto').replace(', agent: auto', ''), 'Member ada has no agent'],
  ] as const) {
    place.put('crew.yaml', text);
    for (const verb of VERBS) {
      const { code, err } = await place.start(...verb, 'crew.yaml').ended;
      expect({ code, err }, verb.join(' ')).toEqual({ code: 5, err: expect.stringContaining(says) as string });
    }
  }
  expect(existsSync(join(place.root, '.teams'))).toBe(false);
});

it.each([
  ['a word of a shell text', '{kind: exec, command: no-such-tool --fast}', 'no program no-such-tool on PATH'],
  ['a script beside the plan', '{kind: exec, command: ./missing.sh}', 'no program ./missing.sh'],
  ['a script that is not executable', '{kind: exec, command: ./plain.sh}', 'no program ./plain.sh'],
  ['an argv', '{kind: exec, command: [no-such-tool, x]}', 'no program no-such-tool on PATH'],
  ['a relative argv', '{kind: acp, command: [bin/gone]}', 'no program bin/gone'],
])('the program of a command is missing: %s', { timeout: 30_000 }, async (_how, agent, found) => {
  const place = new Workplace();
  chmodSync(place.put('plain.sh', '#!/bin/sh\n'), 0o644);
  place.put('crew.yaml', plan(agent));
  const err = `teams: The agent of ada cannot work here: ${found}; \`teams doctor\` says what to do.\n`;
  for (const verb of VERBS)
    expect(await place.start(...verb, 'crew.yaml').ended, verb.join(' ')).toMatchObject({ code: 5, err });
  expect(existsSync(join(place.root, '.teams'))).toBe(false);
});

it.each([
  'true',
  'if true; then :; fi',
  'X=1 no-such-tool || true',
  '"$HOME/no-such-tool" || true',
  '(exit 0)',
  ': && cat',
  './tool.sh now',
  'f() { :; }; f',
])('a command that works, or that only its shell understands, starts: %s', async (command) => {
  const place = new Workplace();
  chmodSync(place.put('tool.sh', '#!/bin/sh\n'), 0o755);
  place.put('crew.yaml', plan(`{kind: exec, command: ${JSON.stringify(command)}}`));
  expect(await place.start('validate', 'crew.yaml').ended).toMatchObject({ code: 0 });
});

it('the reviewer and the agent of follow-up tasks are looked for, too', { timeout: 30_000 }, async () => {
  const place = new Workplace({ PATH: '/nowhere' });
  const exec = '{kind: exec, command: "/bin/true"}';
  place.put('crew.yaml', plan(exec));
  for (const verb of [['run', '--dry-run'], ['run']]) {
    const { code, err } = await place.start(...verb, 'crew.yaml', '--reviewer', 'claude').ended;
    expect({ code, err }).toEqual({
      code: 5,
      err: 'teams: The agent of the reviewer cannot work here: no program claude on PATH; `teams doctor` says what to do.\n',
    });
  }
  place.put('crew.yaml', plan(exec, 'cascade: true\n'));
  for (const verb of VERBS) {
    const { code, err } = await place.start(...verb, 'crew.yaml', '--agent', 'gemini').ended;
    expect({ code, err }).toEqual({
      code: 5,
      err: 'teams: The agent of members that follow-up tasks add cannot work here: no program gemini on PATH; `teams doctor` says what to do.\n',
    });
  }
  expect(existsSync(join(place.root, '.teams'))).toBe(false);
});
