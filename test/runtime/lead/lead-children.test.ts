/**
 * Programs that the lead runs by itself: the sweep after one of them never ends another, however long the sweep lasts.
 * A test holds the sweep open by its seam.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Mark } from '../../../src/model/agent/process-mark.ts';
import { LEAD } from '../../../src/model/text/names.ts';
import { parsePlan } from '../../../src/model/plan/plan.ts';
import { ownIdentity } from '../../../src/os/process-table.ts';
import type { Reaper } from '../../../src/os/reaper-handle.ts';
import { sweep } from '../../../src/os/sweep.ts';
import { LeadChildren } from '../../../src/runtime/lead/lead-children.ts';
import { marksIn } from '../../../src/runtime/lead/recorded-marks.ts';
import { cwdOf } from '../../../src/store/team/team-reader.ts';
import { runGates } from '../../../src/runtime/landing/gates.ts';
import { keepStart } from '../../../src/runtime/runs/safety-point.ts';
import { runHook } from '../../../src/runtime/team/hooks.ts';
import { until } from '../../support/cli.ts';
import { isRunning } from '../../support/session.ts';
import { ToldTeam } from '../../support/told-team.ts';

const signal = new AbortController().signal;

/** A lead's children whose first sweep waits until the test releases it. */
function open() {
  const { store, root } = new ToldTeam({ ada: 'executor' });
  store.roster.write({ version: 1, name: LEAD, phase: 'running', ...ownIdentity() });
  const told: string[] = [];
  const reaper: Reaper = {
    pid: undefined,
    add: (mark) => void told.push(`add ${mark.id}`),
    remove: (mark) => void told.push(`remove ${mark.id}`),
    done: () => Promise.resolve(),
    endAll: () => Promise.resolve(),
  };
  const swept: (readonly Mark[])[] = [];
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  onTestFinished(() => release());
  const end = async (marks: readonly Mark[]): Promise<void> => {
    swept.push(marks);
    if (swept.length === 1) await held;
    expect(await sweep(marks, [])).toMatchObject({ clean: true });
  };
  const children = new LeadChildren({ store, run: '01JZZZZZZZZZZZZZZZZZZZZZZZ', reaper: () => reaper, end });
  const at = (file: string): string => join(root, file);
  const place = { cwd: root, path: process.env['PATH'] ?? '' };
  const hook = (command: string) =>
    children.run((marker) =>
      runHook({ name: 'onTeammateIdle', command, event: {} }, { store, signal, at: place, marker }),
    );
  const troubles = (): string[] =>
    [...store.events.read(0)].flatMap(({ event }) => (event.type === 'hook.failed' ? [event.text ?? ''] : []));
  return { store, root, children, told, swept, release: () => release(), at, hook, troubles };
}

/** A command that says that it began, and ends in order only after the test said so. */
const lasting = (at: (file: string) => string): string =>
  `echo > ${at('begun')}; while [ ! -e ${at('go')} ]; do sleep 0.01; done; echo > ${at('ended')}`;

describe('a program of the lead that starts while the sweep after another lasts', () => {
  it('a hook runs to its end', async () => {
    const { hook, at, swept, release, troubles } = open();
    const first = hook('true');
    await until(() => swept.length === 1, 'the sweep after the first hook has begun');
    const second = hook(lasting(at));
    await until(() => existsSync(at('begun')), 'the second hook has begun');
    release();
    await first;
    writeFileSync(at('go'), '');
    expect(await second).toBeUndefined();
    expect(existsSync(at('ended'))).toBe(true);
    expect(troubles()).toEqual([]);
  });

  it('a gate runs to its end and passes', async () => {
    const { hook, at, swept, release, store, children } = open();
    const first = hook('true');
    await until(() => swept.length === 1, 'the sweep after the first hook has begun');
    const text = JSON.stringify({
      name: 'login',
      members: [{ name: 'ada', role: 'executor', agent: 'exec' }],
      tasks: [{ subject: 'One', run: 'true' }],
      gates: { build: lasting(at) },
    });
    const plan = parsePlan({ text, file: 'plan.json', format: 'json' });
    const gates = runGates(plan, { store, children, gates: {}, isolation: 'auto', lend: undefined }, cwdOf(store));
    await until(() => existsSync(at('begun')), 'the gate has begun');
    release();
    await first;
    writeFileSync(at('go'), '');
    expect(await gates).toMatchObject([{ name: 'build', result: 'pass' }]);
  });

  it('git makes the safety point', async () => {
    const { hook, swept, release, store, children, root } = open();
    execFileSync('git', ['init', '-q', root]);
    writeFileSync(join(root, '.git/info/exclude'), '/.teams/\n/.tasks/\n');
    writeFileSync(join(root, 'a'), 'a');
    const first = hook('true');
    await until(() => swept.length === 1, 'the sweep after the first hook has begun');
    const told: string[] = [];
    const made = keepStart({
      store,
      children,
      keptFileBytes: Infinity,
      note: () => Promise.resolve(),
      state: () => Promise.resolve(undefined),
      tell: ({ type }) => void told.push(type),
    });
    // Its commands run one after the other while the sweep is held open; its end waits for the sweep.
    await until(
      () => execFileSync('git', ['-C', root, 'for-each-ref'], { encoding: 'utf8' }) !== '',
      'the ref is made',
    );
    release();
    await first;
    expect(await made).toBeUndefined();
    // On a loaded machine the lead also says that it takes long.
    expect(told.filter((type) => type !== 'baseline.slow')).toEqual(['baseline.saved']);
  });
});

describe('the marks of programs of the lead', () => {
  it('the marks of programs of the lead differ from start to start and are known before each start', async () => {
    const { hook, told, swept, release, store, at } = open();
    release();
    const record = (): Mark[] => marksIn(store.roster.read(LEAD) ?? { version: 1, name: LEAD, phase: 'running' });
    const running = hook(lasting(at));
    await until(() => existsSync(at('begun')), 'the hook has begun');
    expect(record()).toHaveLength(1);
    expect(told).toEqual([`add ${record()[0]?.id}`]);
    writeFileSync(at('go'), '');
    await running;
    for (let round = 0; round < 3; round += 1) await hook('true');
    const ids = swept.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
    expect(told.filter((line) => line.startsWith('remove'))).toEqual(ids.map((id) => `remove ${id}`));
  });

  it('what a program of the lead leaves running is ended, and only that', async () => {
    const { hook, at, release } = open();
    release();
    const other = hook(lasting(at));
    await until(() => existsSync(at('begun')), 'the other hook has begun');
    await hook(`setsid sleep 60 > /dev/null 2>&1 & echo $! > ${at('pid')}`);
    const left = Number(readFileSync(at('pid'), 'utf8'));
    expect(isRunning(left)).toBe(false);
    writeFileSync(at('go'), '');
    await other;
    expect(existsSync(at('ended'))).toBe(true);
  });

  it('programs that end during a sweep are swept together by the next', async () => {
    const { children, swept, release } = open();
    const ended = () => children.run((marker) => Promise.resolve(marker.mark(['true'])));
    const first = ended();
    await until(() => swept.length === 1, 'the first sweep has begun');
    const others = [ended(), ended(), ended()];
    release();
    await Promise.all([first, ...others]);
    expect(swept.map((marks) => marks.length)).toEqual([1, 3]);
  });
});
