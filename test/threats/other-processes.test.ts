/** What an isolated process reaches of processes outside: the one that leads, and the program of another member. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openShellIsolation } from '../../src/runtime/isolation/open-shell-isolation.ts';
import { until } from '../support/cli.ts';
import { fencePlace, openFence, startInside, type FencePlace } from '../support/fence.ts';
import { pids, running } from '../support/processes.ts';

const SECRET = 'canary-of-a-process';
/** PTRACE_SEIZE, which stops nothing. */
const TRACE = `exit(syscall(${{ x64: 101, arm64: 117 }[process.arch as string] ?? 101}, 0x4206, $ARGV[0] + 0, 0, 0) == 0 ? 0 : 1)`;
/** Each is tried on the process `$1`. */
const ACTS = {
  'its variables': `tr '\\0' '\\n' < /proc/$1/environ | grep -q ${SECRET}`,
  'its memory': `perl -e 'open(my $m, "+<", "/proc/$ARGV[0]/mem") or exit 1' $1`,
  'files by its root': `grep -q ${SECRET} "/proc/$1/root$2"`,
  'its open files': `grep -q ${SECRET} /proc/$1/fd/3`,
  'its working directory': `ls -d /proc/$1/cwd/.`,
  'the process itself, by ptrace': `perl -e '${TRACE}' $1`,
  'the process itself, by a signal': `kill -0 $1`,
} as const;

let place: FencePlace;
/** The processes, each with a file that it has open, by the path of that file to it. */
let targets: Record<string, readonly [pid: number, file: string]>;

beforeEach(async () => {
  place = fencePlace();
  const file = join(place.base, 'of-the-lead');
  writeFileSync(file, `${SECRET}\n`);
  const environment = { ...place.environment, SECRET };
  const lead = spawn('/bin/sh', ['-c', `exec 3<${file}; sleep 600 & echo up; wait`], { env: environment });
  const sleepFor = `601.${process.pid}`;
  const script = `echo ${SECRET} > ~/own; exec 3<~/own; cd ~; sleep ${sleepFor} & wait`;
  const bob = startInside(await openFence(place, { member: 'bob' }), place, script, { env: { SECRET } });
  const gone = [once(lead, 'exit'), once(bob, 'exit')];
  onTestFinished(async () => {
    for (const { pid, parent } of running()) if (parent === lead.pid) process.kill(pid, 'SIGKILL');
    bob.kill('SIGKILL');
    await Promise.all(gone);
  });
  await once(lead.stdout, 'data');
  const sleeper = (): number | undefined => running(pids()).find(({ command }) => command === `sleep ${sleepFor}`)?.pid;
  await until(() => sleeper() !== undefined, 'the program of bob runs');
  targets = {
    'the lead': [lead.pid ?? 0, file],
    'the program of another member': [sleeper() ?? 0, join(place.home, 'own')],
  };
});

type Around = (argv: readonly string[]) => readonly string[];

/** @returns the acts that succeed */
function done(around: Around, [pid, file]: readonly [number, string]): string[] {
  return Object.entries(ACTS).flatMap(([what, act]) => {
    const [program = '', ...args] = around(['/bin/sh', '-c', act, 'sh', String(pid), file]);
    const env = { PATH: '/usr/bin:/bin', HOME: place.home };
    const { status } = spawnSync(program, args, { cwd: place.work, env, stdio: 'ignore' });
    return status === 0 ? [what] : [];
  });
}

describe.each(['the lead', 'the program of another member'])('of %s', (target) => {
  const aim = (): readonly [number, string] => targets[target] ?? expect.fail('no target');

  it('an isolated program reaches nothing', async () => {
    const { hold } = await openFence(place);
    expect(done((argv) => hold(argv), aim())).toEqual([]);
  });

  it('an isolated shell command reaches nothing', async () => {
    const { around } = await openShellIsolation({ setting: 'auto', root: place.work, environment: place.environment });
    expect(done((argv) => around(place.work, true, argv), aim())).toEqual([]);
  });

  it('a process that is not isolated reaches all, so that these tests see what they must', () => {
    expect(done((argv) => argv, aim())).toEqual(Object.keys(ACTS));
  });
});
