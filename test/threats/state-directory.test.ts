/**
 * The user's own directory of teams holds the key and what the user trusts. Where other users of the machine may write
 * in it, they could say both: nothing in it counts.
 */
import { createHmac } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { failureSchema, Workplace } from '../support/cli.ts';

let place: Workplace;
let own: string;
const inProject = (...argv: string[]) => place.say(argv, { cwd: join(place.root, 'project') });

beforeEach(() => {
  place = new Workplace();
  own = join(place.root, 'home/state/teams');
  mkdirSync(join(place.root, 'project'));
});

describe.each([
  ['the directory', () => own],
  ['the directory of what is trusted', () => join(own, 'trusted')],
])('others may write %s', (_, opened) => {
  it('a configuration that one of them says is trusted names no agent', async () => {
    const owned = join(place.root, 'owned');
    const text = `agents:\n  mine: { kind: exec, command: [touch, ${owned}] }\ndefaultAgent: mine\n`;
    const path = place.put('project/.teams/config.yaml', text);
    place.put(
      'project/plan.json',
      JSON.stringify({ name: 'duo', members: [{ name: 'ada' }], tasks: [{ subject: 'Work', description: 'Do' }] }),
    );
    await inProject('create', 'first', '--member', 'ada');
    mkdirSync(join(own, 'trusted'), { recursive: true });
    const record = join(own, 'trusted', createHmac('sha256', path).update(text).digest('hex'));
    writeFileSync(record, '');
    chmodSync(opened(), 0o777);
    await inProject('run', 'plan.json', '--timeout', '20s');
    expect(existsSync(owned)).toBe(false);
    const { code, err } = await inProject('doctor', '--trust');
    expect([code, err]).toEqual([4, expect.stringContaining(`chmod go-w ${opened()}`)]);

    // The same record in a directory of the user's alone counts.
    chmodSync(opened(), 0o700);
    await inProject('run', 'plan.json', '--fresh', '--timeout', '20s');
    expect(existsSync(owned)).toBe(true);
  });
});

it('a key in a directory where others may put another one is refused, and doctor says so', async () => {
  expect((await inProject('create', 'first', '--member', 'ada')).code).toBe(0);
  chmodSync(own, 0o777);
  const { code, out } = await inProject('create', 'crew', '--member', 'ada', '--json');
  const { error } = failureSchema.parse(JSON.parse(out));
  expect([code, error.code, error.message]).toEqual([4, 'UNTRUSTED', expect.stringContaining(`chmod go-w ${own}`)]);
  expect((await inProject('doctor')).out).toContain(own);
  expect((await inProject('doctor')).out).toMatch(/NOT OK +key/);
  chmodSync(own, 0o755);
  rmSync(join(place.root, 'project/.teams/crew'), { recursive: true, force: true });
  expect((await inProject('create', 'crew', '--member', 'ada')).code).toBe(0);
});

it.each(['nowhere/at-all', 'teams'])('a link in its place that leads to %s is one sentence', async (target) => {
  mkdirSync(join(own, '..'), { recursive: true });
  symlinkSync(join(own, '..', target), own);
  place.put('project/.teams/config.yaml', 'defaultAgent: exec\n');
  const { code, err } = await inProject('create', 'crew', '--member', 'ada');
  expect([code, err.trim().split('\n').at(-1)]).toEqual([4, expect.stringMatching(/^teams: [^\n]*\.$/)]);
});
