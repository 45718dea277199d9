/**
 * A kill between any two steps of a change's life. A `git` before the real one counts the calls of all our processes, and
 * kills the process that made the Nth, before or after git did its work: so each step of keep, land, copy and apply is
 * once the last one. Then the run is resumed. `LANDING_STEPS=1` tries every call (npm run test:landing), 10 every tenth; otherwise a
 * few are tried. `LANDING_CALLS=103-149` tries only these, `LANDING_CALLS=160-` all from there on.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { BIN } from '../support/cli.ts';
import { EXEC, git, scene, userState } from '../support/tree-scene.ts';

const REAL = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();

/** A byte a call; calls of one moment may take one number. */
const shim = (calls: string, step: string): string => `#!/bin/sh
printf x >>"${calls}"; n=$(wc -c <"${calls}")
if [ "$n.before" = "${step}" ]; then echo "$*" >"${calls}.killed"; kill -9 $PPID; exit 1; fi
"${REAL}" "$@"; code=$?
if [ "$n.after" = "${step}" ]; then echo "$*" >"${calls}.killed"; kill -9 $PPID; fi
exit $code
`;

const PLAN = {
  members: EXEC.slice(0, 2),
  tasks: [
    { subject: 'One', owner: 'ada', run: 'n=$(cat count.txt); echo $((n + 1)) >count.txt; echo one >one.txt' },
    { subject: 'Two', owner: 'bob', run: 'n=$(cat count.txt); echo $((n + 1)) >count.txt; echo two >two.txt' },
    { subject: 'Three', owner: 'ada', run: 'cat one.txt two.txt >three.txt; rm a.txt', blockedBy: [1, 2] },
  ],
  gates: { test: 'test ! -e two.txt -o ! -e one.txt || test $(cat count.txt) = 2' },
};
const MADE = { 'count.txt': '2\n', 'one.txt': 'one\n', 'two.txt': 'two\n', 'three.txt': 'one\ntwo\n' };

/** @returns how many calls of git it took, if none was killed */
async function killedAt(step: string): Promise<number> {
  const { place, at, teams, landed } = scene(PLAN);
  const [shims, calls] = [join(place.root, 'shims'), join(place.root, 'calls')];
  mkdirSync(shims);
  writeFileSync(calls, '');
  writeFileSync(join(shims, 'git'), shim(calls, step), { mode: 0o755 });
  const env = { ...place.environment, PATH: `${shims}${delimiter}${place.environment['PATH'] ?? ''}` };
  const said: string[] = [];
  const run = async (...argv: string[]): Promise<number> => {
    const child = spawn(process.execPath, [BIN, ...argv], { cwd: at, env, stdio: ['ignore', 'ignore', 'pipe'] });
    const [err] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    said.push(`${argv.join(' ')}: ${child.exitCode ?? child.signalCode ?? ''} ${err}`);
    return child.exitCode ?? -1;
  };
  const before = userState(at);
  let code = await run('run', 'p.json', '--quiet');
  for (let again = 0; code !== 0 && again < 4; again += 1)
    code = existsSync(join(at, '.teams/p/config.json'))
      ? await run('resume', 'p', '--retry-failed', '--quiet')
      : await run('run', 'p.json', '--quiet');
  const told = (): string => `killed at ${step} (${killedCall(calls)}):\n${said.join('\n')}`;
  expect(code, told()).toBe(0);
  expect(userState(at), told()).toEqual(before);
  for (const [path, content] of Object.entries(MADE)) expect(landed(path), told()).toBe(content);
  let applied = await run('apply', 'p');
  // What was begun is finished.
  if (applied !== 0) applied = (await run('apply', 'p')) && (await run('undo', 'p', '--redo', '--yes'));
  expect(applied, told()).toBe(0);
  for (const [path, content] of Object.entries(MADE))
    expect(readFileSync(join(at, path), 'utf8'), told()).toBe(content);
  expect([existsSync(join(at, 'a.txt')), readFileSync(join(at, 'mine.txt'), 'utf8')]).toEqual([
    false,
    'not committed\n',
  ]);
  expect(git(at, 'fsck', '--no-dangling', '--connectivity-only'), told()).toBe('');
  expect((await teams('undo', 'p', '--yes')).code).toBe(0);
  expect(userState(at), told()).toEqual(before);
  return statSync(calls).size;
}

const killedCall = (calls: string): string =>
  existsSync(`${calls}.killed`) ? readFileSync(`${calls}.killed`, 'utf8').trim() : 'never made';

/** @returns whether `LANDING_CALLS` has the call; without it every call is tried */
function isAskedFor(call: number): boolean {
  const [first, last] = (process.env['LANDING_CALLS'] ?? '').split('-');
  return call >= Number(first ?? 0) && (last === undefined || last === '' || call <= Number(last));
}

const isLong = process.env['LANDING_STEPS'] !== undefined;

it(
  'a process that is killed before or after any of its calls of git loses nothing',
  async () => {
    const calls = await killedAt('none');
    expect(calls).toBeGreaterThan(50);
    const stride = Number(process.env['LANDING_STEPS'] ?? Math.ceil(calls / 3));
    for (let n = Math.min(stride, 13); n <= calls; n += stride) {
      if (!isAskedFor(n)) continue;
      for (const when of isLong ? ['before', 'after'] : [n % 2 === 0 ? 'before' : 'after']) {
        await killedAt(`${n}.${when}`);
        if (isLong) process.stderr.write(`killed ${when} call ${n} of ${calls}: nothing lost\n`);
      }
    }
  },
  isLong ? 10_800_000 : 180_000,
);
