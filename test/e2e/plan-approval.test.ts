/** The plan that a person approves is the text that the member's agent wrote, in a turn that only reads. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until, Workplace, type Answer } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';

/** Plans by `TEAMS_PHASE`, and tries to write while it plans. The second plan repeats what the refusal said. */
const AGENT = `#!/bin/sh
text=$(cat)
if [ "$TEAMS_PHASE" = plan ]; then
  echo early > early 2>/dev/null
  echo "PLAN by the agent: \${text##*refused it: }" | head -n 1
  exit
fi
printf '%s' "$text" > prompt
echo done
`;

/** Waits for a text in the mail of the lead. */
async function planned(place: Workplace, text: string): Promise<string> {
  let out = '';
  await until(async () => (out = (await place.teams('inbox', 'p', 'lead')).out).includes(text), text);
  return out;
}

const file = (place: Workplace, name: string): string => readFileSync(join(place.root, name), 'utf8');

/** @param home a home outside of the project, so that commands can be isolated */
function begin(agent: string, task: string, home?: string): { place: Workplace; ended: Promise<Answer> } {
  const place = new Workplace(home === undefined ? {} : { HOME: home });
  place.put('agent.sh', AGENT);
  place.put(
    'p.yaml',
    `name: p\nmembers: [{name: pat, planApproval: true, agent: ${agent}}]\ntasks: [{subject: Refactor, ${task}}]\n`,
  );
  return { place, ended: place.start('run', 'p.yaml').ended };
}

const answer = async (place: Workplace, verb: string, text: string): Promise<void> => {
  const { code, err } = await place.teams('task', verb, 'p', '1', text);
  expect(code, err).toBe(0);
};

it('a command plans in a read-only isolation; a refusal is in its next planning turn, the plan in its task', async () => {
  const { place, ended } = begin('{kind: exec, command: [sh, agent.sh]}', 'prompt: do it', tempDir());
  expect(await planned(place, 'PLAN by the agent: do it')).toContain('PLAN for task #1: Refactor');
  await answer(place, 'refuse', 'first the tests');
  await planned(place, 'PLAN by the agent: first the tests');
  await answer(place, 'approve', 'and keep it short');
  const { code, out, err } = await ended;
  expect(code, `${out}${err}`).toBe(0);
  expect(existsSync(join(place.root, 'early'))).toBe(false);
  expect(file(place, 'prompt')).toMatch(/^do it[^]*PLAN by the agent: first the tests[^]*and keep it short/);
});

it('a command that no isolation keeps from writing is not asked: its text is the plan, and the request says so', async () => {
  const { place, ended } = begin('{kind: exec}', "run: 'echo changed > changed'");
  const asked = await planned(place, 'PLAN for task #1');
  expect(asked).toContain('It runs: echo changed > changed');
  expect(asked).toContain('its command was not asked for a plan');
  await answer(place, 'refuse', 'not now');
  const { code, out } = await ended;
  expect(code).toBe(1);
  expect(out).toContain('the plan was refused: not now');
  expect(existsSync(join(place.root, 'changed'))).toBe(false);
});

it('an agent that answers a refusal with the same plan fails the attempt; it can change nothing while it plans', async () => {
  const turn = '{match: Do not begin yet, writes: {early: x}, answers: My plan is to guess., repeat: true}';
  const { place, ended } = begin(`{kind: scripted, options: {turns: [${turn}]}}`, 'prompt: do it');
  await planned(place, 'My plan is to guess.');
  await answer(place, 'refuse', 'guessing is no plan');
  const { code, out } = await ended;
  expect(code).toBe(1);
  expect(out).toContain('the plan was refused: guessing is no plan. The same plan came again');
  expect(existsSync(join(place.root, 'early'))).toBe(false);
});
