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
    [plan(exec, 'lead: {kind: acp, command: [gone]}\n'), 'The agent of lead cannot work here: no program gone on PATH'],
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
