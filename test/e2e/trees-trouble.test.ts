/** Git that fails again and again where changes land: waited for, told, and at last a person's matter. Nothing is lost. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { realClock } from '../../src/os/system-clock.ts';
import { LandingStack } from '../../src/runtime/landing/landing-stack.ts';
import { git, scene } from '../support/tree-scene.ts';

/** Pauses of the queue, in ms; they pass at once. */
const pauses: number[] = [];
let atPause: (ms: number) => void;

beforeEach(() => {
  pauses.length = 0;
  atPause = () => {};
  const sleep = realClock.sleep.bind(realClock);
  const spy = vi.spyOn(realClock, 'sleep').mockImplementation(async (ms, signal) => {
    const isPause = ms >= 2_000 && Math.log2(ms / 2_000) % 1 === 0;
    if (isPause) {
      pauses.push(ms);
      atPause(ms);
    }
    await sleep(isPause ? 20 : ms, signal);
  });
  return () => spy.mockRestore();
});

const VAULT = '.teams/p/vault.git';
const inVault = (at: string, ...args: string[]): string => git(join(at, VAULT), '--git-dir=.', ...args);
const putBack = (at: string): void => {
  const team = inVault(at, 'for-each-ref', '--format=%(refname)').split('/')[2] ?? '';
  renameSync(join(at, '.teams/p/main-away'), join(at, VAULT, 'refs/teams', team, 'main'));
};

describe('git that fails on the common state', () => {
  it('is tried with longer and longer pauses, then ends the run with the reason; the change lands after the cure', async () => {
    const away = 'mv ../../vault.git/refs/teams/*/main ../../main-away';
    const run = `echo ada >ada.txt; test -e ../../main-away || ${away}`;
    const { at, teams, landed } = scene({
      tasks: [
        { subject: 'One', owner: 'ada', run },
        { subject: 'Two', owner: 'bob', run: 'true', blockedBy: [1] },
      ],
    });
    const { code, out, err } = await teams('run', 'p.json', '--quiet');
    expect(code, `${out}${err}`).toBe(4);
    expect(pauses).toEqual([2_000, 4_000, 8_000, 16_000, 32_000]);
    expect(`${out}${err}`).toContain(
      'What members made is kept, but none of it can land: the team has no common state',
    );
    expect(`${out}${err}`).toContain('teams resume p');
    expect((await teams('status', 'p', '--json')).out).toContain('"interrupted"');
    const why = await teams('why', 'p', '1');
    expect(why.out).toContain('the team has no common state');
    expect(why.out).toContain('teams resume p');
    expect((await teams('log', 'p')).out.match(/the team has no common state/g)?.length).toBe(2);

    putBack(at);
    const resumed = await teams('resume', 'p', '--quiet');
    expect(resumed.code, `${resumed.out}${resumed.err}`).toBe(0);
    expect(landed('ada.txt')).toBe('ada\n');
    expect((await teams('why', 'p', '1')).out).not.toContain('common state');
  });

  it('lands by itself if it works again meanwhile, and says so', async () => {
    const run = `echo ada >ada.txt; mv ../../vault.git/refs/teams/*/main ../../main-away`;
    const { at, teams, landed } = scene({ tasks: [{ subject: 'One', owner: 'ada', run }] });
    atPause = (ms) => {
      if (ms === 4_000) putBack(at);
    };
    const { code, out, err } = await teams('run', 'p.json', '--quiet');
    expect(code, `${out}${err}`).toBe(0);
    expect(landed('ada.txt')).toBe('ada\n');
    expect((await teams('log', 'p')).out).toContain('changes land again');
  });
});

it('an error of our own in the queue holds it as well, with the reason, and is no end of the lead', async () => {
  const { teams, landed } = scene({ tasks: [{ subject: 'One', owner: 'ada', run: 'echo ada >ada.txt' }] });
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  const spy = vi.spyOn(LandingStack.prototype, 'on').mockRejectedValue(new TypeError('no such thing'));
  try {
    const { code, out, err } = await teams('run', 'p.json', '--quiet');
    expect(code, `${out}${err}`).toBe(4);
    expect(`${out}${err}`).toContain('none of it can land: an error of teams itself: TypeError: no such thing');
    expect(unhandled).toEqual([]);
    expect((await teams('status', 'p', '--json')).out).toContain('"interrupted"');
  } finally {
    spy.mockRestore();
    process.off('unhandledRejection', note);
  }
  expect((await teams('resume', 'p', '--quiet')).code).toBe(0);
  expect(landed('ada.txt')).toBe('ada\n');
});

it('a change that git cannot read goes back to its member with the reason, and others land meanwhile', async () => {
  // The gate on the first change waits until the second one is damaged.
  const gate = 'for n in $(seq 600); do test -e ../../../../go && exit 0; sleep 0.1; done; exit 1';
  const { at, teams, landed } = scene({
    tasks: [
      { subject: 'One', owner: 'ada', run: 'echo ada >ada.txt' },
      { subject: 'Two', owner: 'bob', run: 'test -e ../../../../begun && echo bob >bob.txt', retries: 50 },
    ],
    gates: { test: gate },
  });
  const running = teams('run', 'p.json', '--quiet');
  const attempt = (task: number): string | undefined =>
    existsSync(join(at, VAULT, 'HEAD'))
      ? inVault(at, 'for-each-ref', '--format=%(refname)')
          .split('\n')
          .find((ref) => ref.includes(`/attempts/${task}.`))
      : undefined;
  const log = (): string => readFileSync(join(at, '.tasks/p/log.jsonl'), 'utf8');
  await vi.waitFor(() => expect(attempt(1)).toBeDefined(), { timeout: 30_000 });
  writeFileSync(join(at, 'begun'), '');
  await vi.waitFor(() => expect(log().match(/task.submitted/g)?.length).toBe(2), { timeout: 30_000 });
  const tree = inVault(at, 'rev-parse', `${attempt(2) ?? ''}^{tree}`).trim();
  rmSync(join(at, VAULT, 'objects', tree.slice(0, 2), tree.slice(2)));
  writeFileSync(join(at, 'go'), '');
  const { code, out, err } = await running;
  expect(code, `${out}${err}`).toBe(0);
  expect(landed('ada.txt')).toBe('ada\n');
  expect(landed('bob.txt')).toBe('bob\n');
  expect(log()).toContain('"cause":"unreadable"');
  expect(pauses.slice(0, 5)).toEqual([2_000, 4_000, 8_000, 16_000, 32_000]);
});
