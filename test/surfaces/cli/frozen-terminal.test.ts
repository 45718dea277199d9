/** A terminal that takes nothing: the lead goes on, and signals work. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BIN, until, Workplace } from '../../support/cli.ts';
import { FrozenTerminal, noPty } from '../../support/frozen-terminal.ts';

const LONG_MS = 30_000;

function plan(place: Workplace, run: string): void {
  const members = [{ name: 'ada', agent: { kind: 'exec' } }];
  place.put('plan.json', JSON.stringify({ name: 'duo', members, tasks: [{ subject: 'Work', owner: 'ada', run }] }));
}

const start = (place: Workplace, state: 'full' | 'empty', ...words: string[]): FrozenTerminal =>
  new FrozenTerminal(state, [process.execPath, BIN, ...words], {
    cwd: place.root,
    env: { ...place.environment, TERM: 'xterm-256color' },
  });

const log = (place: Workplace, file = '.teams/duo/events.jsonl'): string => {
  const path = join(place.root, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
};

/** Whether it has the process that writes to the terminal: it begins after the command takes signals. */
const hasChild = (pid: number | undefined): boolean =>
  pid !== undefined && readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8') !== '';

describe.skipIf(noPty())('a terminal that takes nothing', () => {
  it('a member that died is started again, the run ends, and its report is shown when the terminal goes on', async () => {
    const place = new Workplace();
    plan(place, 'test -e once || { touch once; kill -9 $PPID; }; echo done > done.txt');
    const terminal = start(place, 'full', 'run', 'plan.json');
    await until(() => terminal.exit !== undefined, 'the run ends', LONG_MS);
    expect(terminal.exit).toBe(0);
    expect(existsSync(join(place.root, 'done.txt'))).toBe(true);
    expect(log(place)).toContain('"member.exited"');
    terminal.thaw();
    await until(() => terminal.text.includes('TEAM COMPLETE'), 'the report is shown', LONG_MS);
  });

  it.each(['full', 'empty'] as const)('SIGTERM ends the lead in order (%s)', async (state) => {
    const place = new Workplace({ TEAMS_SHUTDOWN_TIMEOUT_MS: '1000' });
    plan(place, 'touch begun; sleep 600');
    const terminal = start(place, state, 'run', 'plan.json');
    await until(() => existsSync(join(place.root, 'begun')), 'the task has begun', LONG_MS);
    process.kill(terminal.pid ?? 0, 'SIGTERM');
    await until(() => terminal.exit !== undefined, 'the lead ends', LONG_MS);
    expect(terminal.exit).toBe(143);
  });

  it('`teams lead` on it takes orders', async () => {
    const place = new Workplace();
    await place.teams('create', 'duo', '--member', 'ada');
    const terminal = start(place, 'full', 'lead', 'duo');
    await until(() => log(place, '.tasks/duo/log.jsonl').includes('lead.took'), 'the lead leads', LONG_MS);
    expect((await place.teams('delete', 'duo', '--force', '--now')).code).toBe(0);
    await until(() => terminal.exit !== undefined, 'the lead ends', LONG_MS);
    expect(terminal.exit).toBe(0);
  });

  it.each([
    ['wait duo', undefined],
    ['ui duo', undefined],
    ['relay --to exec:./slow --prompt x', 'asked'],
  ])('SIGTERM ends %s', async (words, begun) => {
    const place = new Workplace();
    await place.teams('create', 'duo', '--member', 'ada');
    place.put('slow', '#!/bin/sh\ntouch asked\nsleep 600\n');
    chmodSync(join(place.root, 'slow'), 0o755);
    const terminal = start(place, 'full', ...words.split(' '));
    if (begun === undefined) await until(() => hasChild(terminal.pid), 'the command takes signals', LONG_MS);
    else await until(() => existsSync(join(place.root, begun)), 'the backend is asked', LONG_MS);
    process.kill(terminal.pid ?? 0, 'SIGTERM');
    await until(() => terminal.exit !== undefined, 'the command ends', LONG_MS);
    expect(terminal.exit).toBe(143);
  });

  it('a terminal that is closed meanwhile leaves no process', async () => {
    const place = new Workplace();
    plan(place, 'true');
    const terminal = start(place, 'full', 'run', 'plan.json');
    await until(() => terminal.exit !== undefined, 'the run ends', LONG_MS);
    await terminal.close();
  });
});

it.skipIf(noPty())('a terminal that is read shows the view, then the report, in this order', async () => {
  const place = new Workplace();
  plan(place, 'echo hello; until test -f seen; do sleep 0.05; done');
  const terminal = start(place, 'empty', 'run', 'plan.json');
  terminal.thaw();
  await until(() => terminal.text.includes('hello'), 'the view shows the output', LONG_MS);
  writeFileSync(join(place.root, 'seen'), '');
  await until(() => terminal.exit !== undefined, 'the run ends', LONG_MS);
  expect(terminal.exit).toBe(0);
  expect(terminal.text).toMatch(/hello[^]*\u001b\[\?1049l[^]*TEAM COMPLETE/);
});
