/** Which bytes of a member's output belong to which attempt, also across rotations and writers of other processes. */
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { OutputLog } from '../../../src/store/board/output-log.ts';
import { TaskOutput } from '../../../src/store/board/output-parts.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { teamPaths, type TeamPaths } from '../../../src/store/files/paths.ts';
import { name } from '../../support/team.ts';
import { tempDir } from '../../support/temp.ts';

const ADA = name('ada');
const BOB = name('bob');
let paths: TeamPaths;
let second = 0;
const now = (): string => new Date((second += 1) * 1_000).toISOString();

beforeEach(() => {
  paths = teamPaths(tempDir(), name('login'));
  mkdirSync(paths.logs, { recursive: true });
});

function log(member = ADA): OutputLog {
  const opened = new OutputLog(realDisk, paths.output(member), paths.outputParts(member));
  onTestFinished(() => opened.close());
  return opened;
}

const attempt = (to: OutputLog, task: string, claim: number, text: string): void => {
  to.begin({ task, claim }, now());
  to.append(Buffer.from(text));
  to.begin(undefined, now());
};

const textOf = (output: TaskOutput, members = [ADA, BOB]): string =>
  [...output.look(members)].map(({ part, bytes }) => `${part.member}.${part.claim}:${bytes.toString()}`).join('|');
const read = (task: string): string => textOf(new TaskOutput({ disk: realDisk, paths }, task));

describe('the output of a task', () => {
  it('has what its attempts printed, in their order, and nothing of others', () => {
    const ada = log();
    const bob = log(BOB);
    ada.append(Buffer.from('before\n'));
    attempt(ada, '1', 1, 'one\n');
    attempt(ada, '2', 1, 'two\n');
    attempt(bob, '1', 2, 'again\n');
    expect(read('1')).toBe('ada.1:one\n|bob.2:again\n');
    expect(read('2')).toBe('ada.1:two\n');
    expect(read('3')).toBe('');
  });

  it('each look yields what came since the last, while an attempt works', () => {
    const ada = log();
    ada.begin({ task: '1', claim: 1 }, now());
    const output = new TaskOutput({ disk: realDisk, paths }, '1');
    ada.append(Buffer.from('a'));
    expect(textOf(output)).toBe('ada.1:a');
    expect(textOf(output)).toBe('');
    ada.append(Buffer.from('b'));
    ada.begin(undefined, now());
    ada.append(Buffer.from('of nobody'));
    expect(textOf(output)).toBe('ada.1:b\n');
  });

  it('goes on across a rotation of the log', () => {
    const ada = log();
    const line = `${'x'.repeat(1024 * 1024 - 1)}\n`;
    ada.begin({ task: '1', claim: 1 }, now());
    for (let count = 0; count < 12; count += 1) ada.append(Buffer.from(line));
    ada.append(Buffer.from('end'));
    const output = new TaskOutput({ disk: realDisk, paths }, '1');
    const text = [...output.look([ADA])].map(({ bytes }) => bytes.toString()).join('');
    expect(text).toBe(`${line.repeat(12)}end`);
  });

  it('counts what another process wrote into the log meanwhile', () => {
    const ada = log();
    attempt(ada, '1', 1, 'one\n');
    appendFileSync(paths.output(ADA), 'a warning of the program\n');
    attempt(ada, '2', 1, 'two\n');
    expect(read('2')).toBe('ada.1:two\n');
  });

  it('takes no part for a file that is not the one it names, and no line that cannot be read', () => {
    const ada = log();
    attempt(ada, '1', 1, 'one\n');
    ada.close();
    appendFileSync(paths.outputParts(ADA), 'no json\n{"at":1}\n');
    expect(read('1')).toBe('ada.1:one\n');
    const kept = readFileSync(paths.output(ADA));
    renameSync(paths.output(ADA), join(paths.logs, 'elsewhere'));
    appendFileSync(paths.output(ADA), kept);
    expect(read('1')).toBe('');
    rmSync(paths.outputParts(ADA));
    expect(read('1')).toBe('');
  });
});
