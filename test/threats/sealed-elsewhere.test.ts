/**
 * Documents that this user sealed, for another team: a pull, or the server of a store, can put them in the place of a
 * team's own. A seal says who wrote a document; the team's ULID in it says for which team.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { failureSchema, Workplace } from '../support/cli.ts';

let place: Workplace;
const at = (project: string, file = ''): string => join(place.root, project, file);
const documentOf = (project: string, file: string): string => at(project, `.teams/crew/${file}`);
const git = (project: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=me', '-c', 'user.email=me@here', ...args], {
    cwd: at(project),
    encoding: 'utf8',
  }).trim();
const teams = (project: string, ...argv: string[]) => place.say(argv, { cwd: at(project) });

async function isRefused(...argv: string[]): Promise<void> {
  const { code, out } = await teams('mine', ...argv, '--json');
  expect([argv, code, failureSchema.parse(JSON.parse(out)).error.code]).toEqual([argv, 4, 'UNTRUSTED']);
}

/** A project with a team whose only task failed, and can be tried again. */
async function project(name: string, agent: object): Promise<void> {
  mkdirSync(at(name));
  writeFileSync(at(name, 'kept.txt'), 'mine\n');
  git(name, 'init', '-q');
  git(name, 'add', '.');
  git(name, 'commit', '-qm', 'one');
  const tasks = [{ subject: 'Work', run: 'echo new > kept.txt; test -e go' }];
  writeFileSync(at(name, 'plan.json'), JSON.stringify({ name: 'crew', members: [{ name: 'ada', agent }], tasks }));
  expect((await teams(name, 'run', 'plan.json')).code).toBe(1);
}

beforeEach(async () => {
  place = new Workplace();
  await project('mine', { kind: 'exec' });
  await project('other', { kind: 'exec', command: ['sh', '-c', `touch ${at('owned')}`] });
});

describe('a document of another team of this user', () => {
  it('its config.json starts nothing and changes nothing', async () => {
    copyFileSync(documentOf('other', 'config.json'), documentOf('mine', 'config.json'));
    const text = readFileSync(documentOf('mine', 'config.json'), 'utf8');
    await isRefused('resume', 'crew', '--retry-failed');
    await isRefused('worker', 'crew', 'ada');
    await isRefused('undo', 'crew', '--yes');
    expect(existsSync(at('owned'))).toBe(false);
    expect(readFileSync(documentOf('mine', 'config.json'), 'utf8')).toBe(text);
    expect((await teams('mine', 'status', 'crew')).code).toBe(0);
  });

  it('its state.json takes back nothing in its repository', async () => {
    copyFileSync(documentOf('other', 'state.json'), documentOf('mine', 'state.json'));
    await isRefused('undo', 'crew', '--yes');
    await isRefused('resume', 'crew', '--retry-failed');
    expect([at('mine', 'kept.txt'), at('other', 'kept.txt')].map((path) => readFileSync(path, 'utf8'))).toEqual([
      'new\n',
      'new\n',
    ]);
  });

  it('its whole folder does not fit to the board', async () => {
    for (const file of ['config.json', 'state.json', 'plan.json'])
      copyFileSync(documentOf('other', file), documentOf('mine', file));
    await isRefused('resume', 'crew', '--retry-failed');
  });

  it('`doctor --trust` makes it one of this team, once it was shown', async () => {
    copyFileSync(documentOf('other', 'config.json'), documentOf('mine', 'config.json'));
    const asked = await teams('mine', 'doctor', '--trust', 'crew');
    expect([asked.code, asked.err]).toEqual([2, expect.stringContaining('owned') as string]);
    expect((await teams('mine', 'doctor', '--trust', 'crew', '--yes')).code).toBe(0);
    writeFileSync(at('mine', 'go'), '');
    expect((await teams('mine', 'resume', 'crew', '--retry-failed')).code).toBe(0);
  });
});
