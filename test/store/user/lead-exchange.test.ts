/** How a lead takes requests as files, and gives answers: nothing that lies in its folder, or befalls it, ends the lead. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ownIdentity } from '../../../src/os/process-table.ts';
import { answerAsLead, placeOf, type VerbRequest } from '../../../src/store/user/lead-exchange.ts';
import { tempDir } from '../../support/temp.ts';

let root = '';
let state = '';
let leads = '';
beforeEach(() => {
  [root, state] = [tempDir(), tempDir()];
  leads = join(state, 'teams/leads');
  mkdirSync(join(root, '.teams'));
  writeFileSync(join(root, 'bundle'), '');
});

/** Answers with what was asked. */
const echo = async (request: VerbRequest): Promise<void> => {
  await request.send('stdout', Buffer.from(request.head));
  await request.send('exit', Uint8Array.of(0));
};

function lead(answer = echo): { readonly folder: string; readonly end: () => void } {
  const answering = answerAsLead(root, join(root, 'bundle'), { XDG_STATE_HOME: state }, answer);
  const end = (): void => answering[Symbol.dispose]();
  onTestFinished(end);
  const [name = ''] = readdirSync(leads).filter((one) => one.startsWith(`${placeOf(root)}-${process.pid}-`));
  return { folder: join(leads, name), end };
}

function ask(folder: string, id: string, text: string): void {
  writeFileSync(join(folder, `${id}.new`), text);
  renameSync(join(folder, `${id}.new`), join(folder, `${id}.ask`));
}

const answered = (folder: string, id: string) => expect.poll(() => existsSync(join(folder, `${id}.answer`)));
const textOf = (folder: string, id: string): string => readFileSync(join(folder, `${id}.answer`), 'latin1');
const echoOf = (text: string): string => `\x01\0\0\0${String.fromCharCode(text.length)}${text}\x03\0\0\0\x01\0`;

describe('a lead', () => {
  it('answers each request once, whole, in a folder of its own', async () => {
    const { folder, end } = lead();
    expect([statSync(folder).mode & 0o777, folder]).toEqual([
      0o700,
      expect.stringContaining(`-${process.pid}-${ownIdentity().startTime}-`),
    ]);
    for (const id of ['1-1', '1-2', '1-3']) ask(folder, id, `hello ${id}`);
    for (const id of ['1-1', '1-2', '1-3']) {
      await answered(folder, id).toBe(true);
      expect(textOf(folder, id)).toBe(echoOf(`hello ${id}`));
    }
    expect(readdirSync(folder).filter((name) => !name.endsWith('.answer'))).toEqual([]);
    end();
    expect(readdirSync(leads)).toEqual([]);
  });

  it('goes on after what is no request, an answer that fails, and an answer in parts', async () => {
    const { folder } = lead(async (request) => {
      if (request.head === 'fail') throw new Error('no answer');
      await echo(request);
    });
    symlinkSync(join(root, 'bundle'), join(folder, 'link.ask'));
    mkdirSync(join(folder, 'folder.ask'));
    writeFileSync(join(folder, 'long.ask'), 'x'.repeat(1024 * 1024 + 1));
    writeFileSync(join(folder, 'other'), 'x');
    ask(folder, '2-1', 'fail');
    ask(folder, '2-2', 'well');
    await answered(folder, '2-2').toBe(true);
    expect(textOf(folder, '2-2')).toBe(echoOf('well'));
    expect(readdirSync(folder).toSorted()).toEqual(['2-2.answer', 'folder.ask', 'other']);
  });

  it('lives without its folder', async () => {
    const { folder, end, told } = await new Promise<ReturnType<typeof lead> & { told: string }>((resolve) => {
      const led = lead(async (request) => {
        rmSync(led.folder, { recursive: true });
        await echo(request);
        resolve({ ...led, told: request.head });
      });
      ask(led.folder, '3-1', 'hello');
    });
    expect(told).toBe('hello');
    // The answer is put in its place before the loop goes on.
    await new Promise(setImmediate);
    expect([existsSync(folder), readdirSync(leads)]).toEqual([false, []]);
    expect(end).not.toThrow();
  });

  it('removes what killed leads left, and nothing of a living one', () => {
    const { startTime, pidNamespace } = ownIdentity();
    const space = pidNamespace.replaceAll(/\D/g, '');
    const living = [`1-2-${process.pid}-${startTime}-${space}`, `1-2-${process.ppid}`, '1-2-3-4-5'];
    const dead = [`1-2-${process.pid}-1${startTime}-${space}`, `1-2-4194305-1-${space}`, '1-2-4194305'];
    for (const name of [...living, ...dead]) mkdirSync(join(leads, name), { recursive: true });
    const { folder } = lead();
    expect(
      readdirSync(leads)
        .map((name) => join(leads, name))
        .toSorted(),
    ).toEqual([...living.map((name) => join(leads, name)), folder].toSorted());
  });

  it('answers nobody where no folder can be made', () => {
    writeFileSync(join(state, 'teams'), '');
    expect(() => answerAsLead(root, join(root, 'bundle'), { XDG_STATE_HOME: state }, echo)).not.toThrow();
  });
});
