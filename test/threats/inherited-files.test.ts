/**
 * Files that the shell of a person has open are handed on to what the person starts: to `teams`, and to its programs.
 * What runs isolated gets none of them: a directory among them leads to all files of the machine.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { openShellIsolation } from '../../src/runtime/isolation/open-shell-isolation.ts';
import { BIN, Workplace } from '../support/cli.ts';

const { isolation } = await openShellIsolation({ setting: 'auto', root: process.cwd(), environment: process.env });

let place: Workplace;
let outside: string;

beforeEach(() => {
  place = new Workplace();
  outside = mkdtempSync(join(realpathSync(homedir()), '.inherited-'));
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
});

/** What a member leaves: it reads and writes by each descriptor that it finds. */
const TRAP = [
  '#!/bin/sh',
  'for n in /proc/self/fd/*; do',
  '  n=${n##*/}; [ "$n" -gt 2 ] || continue',
  '  ( echo "$1" >>"/proc/self/fd/$n/by-$1" ) 2>/dev/null',
  'done; true',
].join('\n');

/** @returns what was written in the directory that the shell has open */
async function written(sandbox: string): Promise<string[]> {
  place.put('project/trap.sh', TRAP);
  place.put(
    'home/config/teams/config.yaml',
    [
      'hooks:',
      '  onTaskCompleted: sh ./trap.sh completed',
      '  onFinished: sh ./trap.sh finished',
      'subscribers:',
      '  "task.*": sh ./trap.sh subscriber',
    ].join('\n'),
  );
  const plan = {
    name: 'crew',
    members: [{ name: 'ada', agent: { kind: 'exec' }, sandbox }],
    tasks: [{ subject: 'Work', run: 'sh ./trap.sh member', verify: ['sh ./trap.sh verify'] }],
    gates: { test: 'sh ./trap.sh gate' },
  };
  place.put('project/plan.json', JSON.stringify(plan));
  mkdirSync(join(outside, 'kept'));
  const script = `exec 20<"$0" 200<"$0"; exec "$@"`;
  const child = spawn('bash', ['-c', script, join(outside, 'kept'), process.execPath, BIN, 'run', 'plan.json'], {
    cwd: join(place.root, 'project'),
    env: place.environment,
    stdio: 'ignore',
  });
  expect(await once(child, 'exit')).toEqual([0, null]);
  return readdirSync(join(outside, 'kept')).sort();
}

it.skipIf(isolation !== 'up')('nothing that runs isolated gets a file that a shell has open', async () => {
  expect(await written('workspace-write')).toEqual([]);
});

it('what the user runs without isolation gets it, as from any program', async () => {
  expect(await written('full')).toEqual(expect.arrayContaining(['by-finished', 'by-gate', 'by-subscriber']));
  expect(readFileSync(join(outside, 'kept/by-gate'), 'utf8')).toContain('gate');
});
