/** Isolation where the team, the user's key or temporary files lie in an unusual place of the workspace. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { openProgramIsolation, type HeldProgram } from '../../src/runtime/isolation/open-program-isolation.ts';
import { main } from '../../src/surfaces/cli/main.ts';
import { fencePlace, openFence, runInside, type FencePlace } from '../support/fence.ts';

const SECRET = 'canary-of-the-layout';
let place: FencePlace;
beforeEach(() => {
  place = fencePlace();
});

function secretAt(path: string): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, SECRET, { mode: 0o600 });
}

async function fenceOf(team: string, environment: Readonly<Record<string, string>>): Promise<HeldProgram> {
  const ownHome = join(team, 'homes/ada');
  mkdirSync(ownHome, { recursive: true });
  const isolation = await openProgramIsolation({
    setting: 'auto',
    root: place.work,
    isWritable: true,
    ownHome,
    shared: [],
    team: [team],
    readable: [],
    handed: [],
    programs: [],
    member: { name: 'ada', team: 'crew', environment: {} },
    commandLine: main,
    environment,
  });
  if (isolation.kind === 'missing') throw new Error(isolation.why);
  onTestFinished(() => isolation.close());
  return isolation;
}

const found = (held: HeldProgram): Promise<string> => runInside(held, place, `grep -rls '${SECRET}' .; true`);

it('a team in a folder of the workspace is not there, and cannot be written', async () => {
  secretAt(join(place.work, 'sub/.teams/crew/config.json'));
  const held = await fenceOf(join(place.work, 'sub/.teams/crew'), place.environment);
  expect(await found(held)).toBe('');
  expect(await runInside(held, place, '(: > sub/.teams/crew/new) 2>/dev/null && echo wrote; echo on > ~/note')).toBe(
    '',
  );
});

it('a team behind a link is not there, by neither path', async () => {
  rmSync(join(place.work, '.teams'), { recursive: true });
  secretAt(join(place.work, 'store/crew/config.json'));
  symlinkSync(join(place.work, 'store'), join(place.work, '.teams'));
  const held = await fenceOf(join(place.work, '.teams/crew'), place.environment);
  expect(await found(held)).toBe('');
  expect(await runInside(held, place, '(: > .teams/crew/new) 2>/dev/null && echo wrote; true')).toBe('');
});

it("the user's key in the workspace is not there", async () => {
  const state = join(place.work, 'state');
  secretAt(join(state, 'teams/key'));
  const held = await fenceOf(join(place.work, '.teams/crew'), { ...place.environment, XDG_STATE_HOME: state });
  expect(await found(held)).toBe('');
});

it('with temporary files in the workspace, no socket of a member is in it', async () => {
  mkdirSync(join(place.work, 'tmp'));
  vi.stubEnv('TMPDIR', join(place.work, 'tmp'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const [ada] = [await openFence(place), await openFence(place, { member: 'bob' })];
  expect(await runInside(ada, place, 'find . -name sock')).toBe('');
});
